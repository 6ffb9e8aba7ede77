//! The metadata of a Parquet file and of its output.

use std::{collections::BTreeSet, sync::Arc};

use parquet::{
    basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical},
    errors::Result,
    file::{
        metadata::{
            KeyValue, PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions,
            ParquetMetaDataReader,
        },
        properties::WriterProperties,
        reader::ChunkReader,
    },
    schema::types::{ColumnDescriptor, SchemaDescriptor, Type},
};
use pqseal_records::{
    FieldPath,
    layout::{ColumnKind, Layout, TableError, Target, is_called},
    rules::{Rules, Selector},
};

use super::{
    Table,
    encrypted::is_encrypted,
    key_values::{self, is_bytes},
};
use crate::{error::Error, input::InputError};

impl Table {
    pub(super) fn read<R: ChunkReader>(
        file: &R,
        rules: &Rules,
        with_status: bool,
    ) -> Result<Self, Error> {
        if is_encrypted(file)? {
            return Err(Error::Input(InputError::EncryptedParquet));
        }
        let metadata = read_metadata(file)?;
        let about = metadata.file_metadata();
        let columns = about.schema_descr().columns();
        let names: Vec<_> = columns
            .iter()
            .map(|column| column.path().parts().join("."))
            .collect();
        let searched = match with_status {
            true => without_lists(rules, columns, &names),
            false => {
                no_groups(rules, columns).map_err(Error::Table)?;
                names.clone()
            }
        };
        let mut layout = Layout::table(rules, &searched, with_status).map_err(Error::Table)?;
        layout
            .origin
            .retain(|spot| unsupported_codec(&metadata, spot.column).is_none());
        // Texts that may be JSON are not searched if that would refuse other columns.
        let mut targets = layout.targets.iter();
        if with_status && targets.any(|target| is_searched(&metadata, target)) {
            layout
                .targets
                .retain(|target| is_searched(&metadata, target));
        }
        let read = fit(&mut layout, columns, &names).map_err(Error::Table)?;
        for column in &read {
            if let Some(codec) = unsupported_codec(&metadata, *column) {
                let column = names[*column].clone();
                return Err(Error::Input(InputError::ParquetCodec { column, codec }));
            }
        }
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(extended(
            about.schema(),
            &layout,
        )?)));
        let (key_values, left_out) = key_values::of_output(about, &layout);
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
}

/// Reports whether a rule names this column as its field.
fn is_named(rules: &Rules, name: &str) -> bool {
    rules.rules.iter().any(|rule| match &rule.find {
        Selector::Field(FieldPath(path)) => is_called(name, path),
        _ => false,
    })
}

/// Returns the names of columns without those in lists, unless the rules name one, which is an
/// error. Others are not opened, although they may have the name of a sealed field.
fn without_lists(
    rules: &Rules,
    columns: &[Arc<ColumnDescriptor>],
    names: &[String],
) -> Vec<String> {
    let bound = rules.aad_from.as_ref();
    let searched = columns.iter().zip(names).map(|(column, name)| {
        let is_bound = bound.is_some_and(|FieldPath(path)| is_called(name, path));
        match column.max_rep_level() == 0 || is_named(rules, name) || is_bound {
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

/// Reads the metadata: without logical types that the parquet crate cannot write, and without
/// invalid offsets of dictionaries.
fn read_metadata<R: ChunkReader>(file: &R) -> Result<ParquetMetaData> {
    let mut metadata = ParquetMetaDataReader::new().parse_and_finish(file)?;
    let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
    let known = known(&schema)?;
    if known != schema {
        // The columns of each row group refer to the schema, so all is read again with the other
        // one.
        let mut options = ParquetMetaDataOptions::new();
        options.set_schema(Arc::new(SchemaDescriptor::new(known)));
        let reader = ParquetMetaDataReader::new().with_metadata_options(Some(options));
        metadata = reader.parse_and_finish(file)?;
    }
    // The indexes of pages are optional, so one that cannot be parsed is left out.
    let mut reader = ParquetMetaDataReader::new_with_metadata(metadata.clone())
        .with_page_index_policy(PageIndexPolicy::Optional);
    let read = reader.read_page_indexes(file);
    let metadata = read.and_then(|()| reader.finish()).unwrap_or(metadata);
    let mut metadata = metadata.into_builder();
    let mut groups = metadata.take_row_groups();
    for column in groups.iter_mut().flat_map(|group| group.columns_mut()) {
        // Some writers use the offset 0 for columns without a dictionary.
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

/// Reports whether a target must be searched, or can be.
fn is_searched(metadata: &ParquetMetaData, target: &Target) -> bool {
    !is_optional(target) || unsupported_codec(metadata, target.column()).is_none()
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

/// Removes the targets in columns that cannot have them, and returns the columns to read.
///
/// # Errors
/// An error if a column that is requested by name does not contain texts.
fn fit(
    layout: &mut Layout,
    columns: &[Arc<ColumnDescriptor>],
    names: &[String],
) -> Result<BTreeSet<usize>, TableError> {
    layout
        .targets
        .retain(|target| is_text(columns, target.column()) || !is_optional(target));
    let mut read = BTreeSet::new();
    for column in layout.targets.iter().flat_map(Target::columns) {
        if !is_text(columns, column) {
            let (column, kind) = (names[column].clone(), kind(&columns[column]));
            return Err(TableError::NotText { column, kind });
        }
        read.insert(column);
    }
    if let Some(Some(spot)) = &layout.aad
        && !is_bindable(columns, spot.column)
    {
        let (column, kind) = (names[spot.column].clone(), kind(&columns[spot.column]));
        return Err(TableError::NotBindable { column, kind });
    }
    layout
        .origin
        .retain(|spot| is_bindable(columns, spot.column));
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

/// Reports whether the cells are texts, or bytes that may be texts, outside lists. Those of new
/// columns are.
fn is_text(columns: &[Arc<ColumnDescriptor>], column: usize) -> bool {
    let Some(column) = columns.get(column) else {
        return true;
    };
    let is_text = matches!(
        column.logical_type_ref(),
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

/// Reports whether the cells are texts, numbers with a unique text, or booleans.
fn is_bindable(columns: &[Arc<ColumnDescriptor>], at: usize) -> bool {
    let Some(column) = columns.get(at) else {
        return true;
    };
    let is_plain = match column.logical_type_ref() {
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
    let is_whole = matches!(
        column.physical_type(),
        Physical::INT32 | Physical::INT64 | Physical::BOOLEAN
    );
    is_text(columns, at) || (column.max_rep_level() == 0 && is_whole && is_plain)
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
