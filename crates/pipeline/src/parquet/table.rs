//! The metadata of a Parquet file and of its output.

use std::{collections::BTreeSet, sync::Arc};

use parquet::{
    basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical},
    errors::Result,
    file::{
        metadata::{
            ColumnChunkMetaData, KeyValue, PageIndexPolicy, ParquetMetaData,
            ParquetMetaDataOptions, ParquetMetaDataReader,
        },
        properties::{WriterProperties, WriterPropertiesPtr},
        reader::ChunkReader,
    },
    schema::types::{ColumnDescriptor, SchemaDescPtr, SchemaDescriptor, Type},
};
use pqseal_records::{
    FieldPath,
    layout::{ColumnKind, Layout, TableError, Target, is_called},
    rules::{Rules, Selector},
};

use super::{
    encrypted::is_encrypted,
    key_values::{KeyValues, is_bytes},
};
use crate::{error::Error, input::InputError};

/// A table. Its columns are the leaves of the schema, named by their paths.
pub(super) struct Table {
    pub(super) metadata: ParquetMetaData,
    pub(super) names: Vec<String>,
    pub(super) layout: Layout,
    /// The schema of the output.
    pub(super) schema: SchemaDescPtr,
    pub(super) properties: WriterPropertiesPtr,
    /// The keys of metadata that is not in the output, since it may quote sealed values.
    pub(super) left_out: Vec<String>,
    read: BTreeSet<usize>,
}

impl Table {
    pub(super) fn read<R: ChunkReader>(
        file: &R,
        rules: &Rules,
        with_status: bool,
    ) -> Result<Self, Error> {
        if is_encrypted(file)? {
            return Err(Error::Input(InputError::EncryptedParquet));
        }
        let metadata = sound(with_index(with_known_types(file)?, file))?;
        let about = metadata.file_metadata();
        let columns = about.schema_descr().columns();
        let names: Vec<_> = columns
            .iter()
            .map(|column| column.path().parts().join("."))
            .collect();
        if !with_status {
            no_groups(rules, columns).map_err(Error::Table)?;
        }
        let searched = match with_status {
            true => without_lists(rules, columns, &names),
            false => names.clone(),
        };
        let mut layout = Layout::table(rules, &searched, with_status).map_err(Error::Table)?;
        let codec = |column: usize| unsupported_codec(&metadata, column);
        layout.origin.retain(|spot| codec(spot.column).is_none());
        // Texts that may be JSON are not searched if that would refuse other columns.
        let is_read = |target: &Target| !is_optional(target) || codec(target.column()).is_none();
        if with_status && layout.targets.iter().any(is_read) {
            layout.targets.retain(is_read);
        }
        let read = fit(&mut layout, columns, &names).map_err(Error::Table)?;
        if let Some((column, codec)) = read.iter().find_map(|at| Some((*at, codec(*at)?))) {
            let column = names[column].clone();
            return Err(Error::Input(InputError::ParquetCodec { column, codec }));
        }
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(extended(
            about.schema(),
            &layout,
        )?)));
        let key_values = KeyValues {
            layout: &layout,
            sealed: sealed(&layout, columns),
        };
        let (key_values, left_out) = key_values.of(about);
        let properties = properties(&metadata, &layout, &schema, key_values);
        Ok(Self {
            metadata,
            names,
            layout,
            schema,
            properties: Arc::new(properties),
            left_out,
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

/// Reports whether a rule names this column as its field.
fn is_named(rules: &Rules, name: &str) -> bool {
    rules.rules.iter().any(|rule| match &rule.find {
        Selector::Field(FieldPath(path)) => is_called(name, path),
        _ => false,
    })
}

/// Reports whether blobs are bound to this column.
fn is_bound(rules: &Rules, name: &str) -> bool {
    let path = rules.aad_from.as_ref();
    path.is_some_and(|FieldPath(path)| is_called(name, path))
}

/// Returns the names of columns without those in lists, unless the rules name one, which is an
/// error. Others are not opened, although they may have the name of a sealed field.
fn without_lists(
    rules: &Rules,
    columns: &[Arc<ColumnDescriptor>],
    names: &[String],
) -> Vec<String> {
    let searched = columns.iter().zip(names).map(|(column, name)| {
        match column.max_rep_level() == 0 || is_named(rules, name) || is_bound(rules, name) {
            true => name.clone(),
            false => String::new(),
        }
    });
    searched.collect()
}

/// Refuses fields that are groups of columns, whose plaintext would otherwise pass.
///
/// # Errors
/// An error if there is one.
fn no_groups(rules: &Rules, columns: &[Arc<ColumnDescriptor>]) -> Result<(), TableError> {
    for column in columns {
        let parts = column.path().parts();
        let mut groups = (1..parts.len()).map(|depth| parts[..depth].join("."));
        if let Some(column) = groups.find(|name| is_named(rules, name)) {
            let kind = ColumnKind::Group;
            return Err(TableError::NotText { column, kind });
        }
    }
    Ok(())
}

/// Reads the metadata without logical types that the parquet crate cannot write.
fn with_known_types<R: ChunkReader>(file: &R) -> Result<ParquetMetaData> {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file)?;
    let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
    let known = known(&schema)?;
    if known == schema {
        return Ok(metadata);
    }
    // The columns of each row group refer to the schema, so all is read again with the other one.
    let mut options = ParquetMetaDataOptions::new();
    options.set_schema(Arc::new(SchemaDescriptor::new(known)));
    let reader = ParquetMetaDataReader::new().with_metadata_options(Some(options));
    reader.parse_and_finish(file)
}

/// Adds the indexes of pages. They are optional, so one that cannot be parsed is left out.
fn with_index<R: ChunkReader>(metadata: ParquetMetaData, file: &R) -> ParquetMetaData {
    let mut reader = ParquetMetaDataReader::new_with_metadata(metadata.clone())
        .with_page_index_policy(PageIndexPolicy::Optional);
    let read = reader.read_page_indexes(file);
    read.and_then(|()| reader.finish()).unwrap_or(metadata)
}

/// Returns the codec of a column that cannot be decoded.
fn unsupported_codec(metadata: &ParquetMetaData, column: usize) -> Option<&'static str> {
    let mut groups = metadata.row_groups().iter();
    groups.find_map(|group| match group.columns().get(column)?.compression() {
        Compression::BROTLI(_) => Some("Brotli"),
        Compression::LZO => Some("LZO"),
        _ => None,
    })
}

/// Returns the first parts of the paths of sealed columns.
fn sealed<'a>(layout: &Layout, columns: &'a [Arc<ColumnDescriptor>]) -> Vec<&'a str> {
    let targets = layout.targets.iter().filter(|_| layout.seals);
    let columns = targets.filter_map(|target| columns.get(target.column()));
    columns
        .filter_map(|column| column.path().parts().first().map(String::as_str))
        .collect()
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
    layout
        .targets
        .retain(|target| is_text(target.column()) || !is_optional(target));
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

/// Reports whether a column may hold documents, but need not.
fn is_optional(target: &Target) -> bool {
    matches!(target, Target::Document(document) if !document.must_parse)
}

/// Reports whether the cells are texts, or bytes that may be texts, outside lists.
fn is_text(column: &ColumnDescriptor) -> bool {
    let logical = column.logical_type_ref();
    let is_text = matches!(
        logical,
        None | Some(
            LogicalType::String
                | LogicalType::Json
                | LogicalType::Enum
                | LogicalType::_Unknown { .. }
        )
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
    let kept = schema.get_fields().iter().cloned().map(Ok);
    let fields = kept.chain(added).collect::<Result<_>>()?;
    Type::group_type_builder(schema.name())
        .with_fields(fields)
        .build()
}

/// Returns a type without logical types that the parquet crate cannot write, since it does not know
/// them. Readers then use the physical type.
fn known(kind: &Arc<Type>) -> Result<Arc<Type>> {
    let info = kind.get_basic_info();
    let logical = match info.logical_type_ref() {
        Some(LogicalType::_Unknown { .. }) => None,
        logical => logical.cloned(),
    };
    let is_known = logical.as_ref() == info.logical_type_ref();
    let id = info.has_id().then(|| info.id());
    Ok(match &**kind {
        Type::PrimitiveType { .. } if is_known => kind.clone(),
        Type::PrimitiveType {
            physical_type,
            type_length,
            ..
        } => {
            let builder = Type::primitive_type_builder(info.name(), *physical_type);
            let builder = builder.with_repetition(info.repetition()).with_id(id);
            Arc::new(builder.with_length(*type_length).build()?)
        }
        Type::GroupType { fields, .. } => {
            let fields: Vec<_> = fields.iter().map(known).collect::<Result<_>>()?;
            let mut group = Type::group_type_builder(info.name())
                .with_fields(fields)
                .with_logical_type(logical)
                .with_converted_type(info.converted_type())
                .with_id(id);
            if info.has_repetition() {
                group = group.with_repetition(info.repetition());
            }
            Arc::new(group.build()?)
        }
    })
}

fn properties(
    metadata: &ParquetMetaData,
    layout: &Layout,
    schema: &SchemaDescriptor,
    key_values: Option<Vec<KeyValue>>,
) -> WriterProperties {
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
        .set_key_value_metadata(key_values)
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
        let Some(group) = groups.first() else {
            continue;
        };
        let codec = match unsupported_codec(metadata, from) {
            None => group.column(from).compression(),
            Some(_) => Compression::SNAPPY,
        };
        builder = builder.set_column_compression(column.path().clone(), codec);
    }
    builder.build()
}
