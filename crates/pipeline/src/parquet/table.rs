//! The metadata of a Parquet file and of its output.

use std::{collections::BTreeSet, sync::Arc};

use arrow_ipc::{convert::try_schema_from_ipc_buffer, writer::StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use parquet::{
    basic::{ConvertedType, LogicalType, Repetition, Type as Physical},
    errors::Result,
    file::{
        metadata::{
            ColumnChunkMetaData, FileMetaData, KeyValue, PageIndexPolicy, ParquetMetaData,
            ParquetMetaDataReader,
        },
        properties::{WriterProperties, WriterPropertiesPtr},
        reader::ChunkReader,
    },
    schema::types::{ColumnDescriptor, SchemaDescPtr, SchemaDescriptor, Type},
};
use pqseal_keys::base64;
use serde_json::{Value, json};

use pqseal_records::{
    FieldPath,
    layout::{ColumnKind, Layout, TableError, Target, is_called},
    rules::{ResultFormat, Rules, Selector},
};

use crate::error::Error;

/// A table. Its columns are the leaves of the schema, named by their paths.
pub(super) struct Table {
    pub(super) metadata: ParquetMetaData,
    pub(super) names: Vec<String>,
    pub(super) layout: Layout,
    /// The schema of the output.
    pub(super) schema: SchemaDescPtr,
    pub(super) properties: WriterPropertiesPtr,
    read: BTreeSet<usize>,
}

/// The key under which Arrow stores its schema.
const ARROW: &str = "ARROW:schema";
/// The key under which Spark stores its schema.
const SPARK: &str = "org.apache.spark.sql.parquet.row.metadata";

impl Table {
    pub(super) fn read<R: ChunkReader>(
        file: &R,
        rules: &Rules,
        with_status: bool,
    ) -> Result<Self, Error> {
        let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
        let metadata = sound(reader.parse_and_finish(file)?)?;
        let about = metadata.file_metadata();
        let columns = about.schema_descr().columns();
        let names: Vec<_> = columns
            .iter()
            .map(|column| column.path().parts().join("."))
            .collect();
        if !with_status {
            no_groups(rules, columns).map_err(Error::Table)?;
        }
        let mut layout = Layout::table(rules, &names, with_status).map_err(Error::Table)?;
        let read = fit(&mut layout, columns, &names).map_err(Error::Table)?;
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(extended(
            about.schema(),
            &layout,
        )?)));
        let properties = Arc::new(properties(&metadata, &layout, &schema));
        Ok(Self {
            metadata,
            names,
            layout,
            schema,
            properties,
            read,
        })
    }

    pub(super) fn rows(&self, group: usize) -> Result<usize> {
        self.metadata.row_group_num_rows(group)
    }

    pub(super) fn chunk(&self, group: usize, column: usize) -> &ColumnChunkMetaData {
        self.metadata.row_group(group).column(column)
    }

    /// Reports whether this column of the file is sealed.
    pub(super) fn is_sealed(&self, column: usize) -> bool {
        let mut targets = self.layout.targets.iter();
        self.layout.seals && targets.any(|target| target.column() == column)
    }

    /// Reports whether this column of the file is read.
    pub(super) fn is_read(&self, column: usize) -> bool {
        self.read.contains(&column)
    }
}

/// Refuses fields that are groups of columns, whose plaintext would otherwise pass.
///
/// # Errors
/// An error if there is one.
fn no_groups(rules: &Rules, columns: &[Arc<ColumnDescriptor>]) -> Result<(), TableError> {
    let is_sought = |name: &str| {
        rules.rules.iter().any(|rule| match &rule.find {
            Selector::Field(FieldPath(path)) => is_called(name, path),
            _ => false,
        })
    };
    for column in columns {
        let parts = column.path().parts();
        let mut groups = (1..parts.len()).map(|depth| parts[..depth].join("."));
        if let Some(column) = groups.find(|name| is_sought(name)) {
            let kind = ColumnKind::Group;
            return Err(TableError::NotText { column, kind });
        }
    }
    Ok(())
}

/// Removes invalid offsets of dictionaries. Some writers use 0 for columns without a dictionary.
fn sound(metadata: ParquetMetaData) -> Result<ParquetMetaData> {
    let mut metadata = metadata.into_builder();
    let mut groups = metadata.take_row_groups();
    for column in groups.iter_mut().flat_map(|group| group.columns_mut()) {
        let pages = column.data_page_offset();
        if column
            .dictionary_page_offset()
            .is_some_and(|dictionary| !(1..pages).contains(&dictionary))
        {
            *column = column
                .clone()
                .into_builder()
                .set_dictionary_page_offset(None)
                .build()?;
        }
    }
    Ok(metadata.set_row_groups(groups).build())
}

/// Removes the targets in columns that cannot have them, and returns the columns to read.
///
/// # Errors
/// An error if a column that is requested by name does not contain texts.
fn fit(
    layout: &mut Layout,
    columns: &[Arc<ColumnDescriptor>],
    names: &[String],
) -> Result<BTreeSet<usize>, TableError> {
    let is_text = |column: usize| column >= columns.len() || is_text(&columns[column]);
    let about = |column: usize| (names[column].clone(), kind(&columns[column]));
    let optional =
        |target: &Target| matches!(target, Target::Document(document) if !document.must_parse);
    layout
        .targets
        .retain(|target| is_text(target.column()) || !optional(target));
    let mut read = BTreeSet::new();
    for column in layout.targets.iter().flat_map(Target::columns) {
        if !is_text(column) {
            let (column, kind) = about(column);
            return Err(TableError::NotText { column, kind });
        }
        read.insert(column);
    }
    let has_text = |column: usize| is_text(column) || is_whole(&columns[column]);
    if let Some(Some(spot)) = &layout.aad
        && !has_text(spot.column)
    {
        let (column, kind) = about(spot.column);
        return Err(TableError::NotBindable { column, kind });
    }
    layout.origin.retain(|spot| has_text(spot.column));
    read.extend(
        layout
            .aad
            .iter()
            .flatten()
            .chain(&layout.origin)
            .map(|spot| spot.column),
    );
    Ok(read
        .into_iter()
        .filter(|column| *column < columns.len())
        .collect())
}

/// Reports whether the cells are texts, or bytes that may be texts, outside lists.
fn is_text(column: &ColumnDescriptor) -> bool {
    let logical = column.logical_type_ref();
    let is_text = matches!(
        logical,
        None | Some(LogicalType::String | LogicalType::Json | LogicalType::Enum)
    );
    let is_number = column.converted_type() == ConvertedType::DECIMAL;
    column.max_rep_level() == 0
        && column.physical_type() == Physical::BYTE_ARRAY
        && is_text
        && !is_number
}

/// Reports whether the cells are numbers with a unique text, or booleans.
fn is_whole(column: &ColumnDescriptor) -> bool {
    let plain = match column.logical_type_ref() {
        None => matches!(
            column.converted_type(),
            ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64
        ),
        Some(LogicalType::Integer(integer)) => integer.is_signed,
        Some(_) => false,
    };
    let physical = matches!(
        column.physical_type(),
        Physical::INT32 | Physical::INT64 | Physical::BOOLEAN
    );
    column.max_rep_level() == 0 && physical && plain
}

fn kind(column: &ColumnDescriptor) -> ColumnKind {
    match column.max_rep_level() {
        0 => ColumnKind::Type(column.physical_type().to_string()),
        _ => ColumnKind::List,
    }
}

/// Returns the schema with the new columns.
fn extended(schema: &Type, layout: &Layout) -> Result<Type> {
    let added = layout.added.iter().enumerate().map(|(at, name)| {
        let text = (!is_bytes(layout, layout.columns + at)).then_some(LogicalType::String);
        let column = Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::OPTIONAL);
        column.with_logical_type(text).build().map(Arc::new)
    });
    let fields = schema
        .get_fields()
        .iter()
        .cloned()
        .map(Ok)
        .chain(added)
        .collect::<Result<_>>()?;
    Type::group_type_builder(schema.name())
        .with_fields(fields)
        .build()
}

/// Reports whether a new column contains results as bytes.
fn is_bytes(layout: &Layout, column: usize) -> bool {
    layout.form == ResultFormat::Bytes
        && layout
            .targets
            .iter()
            .any(|target| matches!(target, Target::Cell(cell) if cell.result == column))
}

fn properties(
    metadata: &ParquetMetaData,
    layout: &Layout,
    schema: &SchemaDescriptor,
) -> WriterProperties {
    let about = metadata.file_metadata();
    let groups = metadata.row_groups();
    let sorting = groups
        .first()
        .and_then(|group| group.sorting_columns())
        .cloned();
    let sorting = sorting.filter(|sorting| {
        groups
            .iter()
            .all(|group| group.sorting_columns() == Some(sorting))
    });
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("pqseal {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(key_values(about, layout))
        .set_sorting_columns(sorting);
    for (number, column) in schema.columns().iter().enumerate() {
        // A new column has the compression of its source.
        let from = layout
            .targets
            .iter()
            .find(|target| target.columns().any(|column| column == number));
        let from = if number < layout.columns {
            number
        } else {
            from.map_or(0, Target::column)
        };
        if let Some(group) = groups.first() {
            builder = builder
                .set_column_compression(column.path().clone(), group.column(from).compression());
        }
    }
    builder.build()
}

/// Returns the applications' metadata of the file, with the new columns added to the schemas in
/// it.
fn key_values(about: &FileMetaData, layout: &Layout) -> Option<Vec<KeyValue>> {
    let all = about.key_value_metadata()?.iter();
    let changed = |pair: &KeyValue| match pair.key.as_str() {
        ARROW => Some(KeyValue::new(
            pair.key.clone(),
            arrow_schema(pair.value.as_deref()?, layout)?,
        )),
        SPARK => Some(KeyValue::new(
            pair.key.clone(),
            spark_schema(pair.value.as_deref()?, layout)?,
        )),
        _ => Some(pair.clone()),
    };
    Some(all.filter_map(changed).collect())
}

/// Extends the Arrow schema in its stream format. A schema that cannot be parsed is left out,
/// since readers then use the types of Parquet.
fn arrow_schema(text: &str, layout: &Layout) -> Option<String> {
    let old = try_schema_from_ipc_buffer(&base64::decode(text.as_bytes()).ok()?).ok()?;
    let added = layout.added.iter().enumerate().map(|(at, name)| {
        let text = if is_bytes(layout, layout.columns + at) {
            DataType::Binary
        } else {
            DataType::Utf8
        };
        Arc::new(Field::new(name, text, true))
    });
    let fields: Vec<_> = old.fields.iter().cloned().chain(added).collect();
    let mut new = Vec::new();
    StreamWriter::try_new(&mut new, &Schema::new_with_metadata(fields, old.metadata)).ok()?;
    Some(base64::encode(&new))
}

fn spark_schema(text: &str, layout: &Layout) -> Option<String> {
    let mut schema: Value = serde_json::from_str(text).ok()?;
    let fields = schema.get_mut("fields")?.as_array_mut()?;
    fields.extend(layout.added.iter().enumerate().map(|(at, name)| {
        let text = if is_bytes(layout, layout.columns + at) {
            "binary"
        } else {
            "string"
        };
        json!({ "name": name, "type": text, "nullable": true, "metadata": {} })
    }));
    Some(schema.to_string())
}
