//! The metadata that applications store in a file, with the new columns in the schemas of Arrow and
//! Spark.
//!
//! Such metadata may quote values. So when sealing, all of it is left out except these two schemas,
//! and from these the metadata of sealed columns.

use std::sync::Arc;

use arrow_ipc::{convert::try_schema_from_ipc_buffer, writer::StreamWriter};
use arrow_schema::{DataType, Field, FieldRef, Metadata, Schema};
use parquet::file::metadata::{FileMetaData, KeyValue};
use pqseal_keys::base64;
use pqseal_records::{
    layout::{Layout, Target},
    rules::ResultFormat,
};
use serde_json::{Value, json};

/// The key under which Arrow stores its schema.
const ARROW: &str = "ARROW:schema";
/// The key under which Spark stores its schema.
const SPARK: &str = "org.apache.spark.sql.parquet.row.metadata";

/// Returns the metadata of the output, and the keys of what is left out because it may quote sealed
/// values.
pub(super) fn of_output(
    about: &FileMetaData,
    layout: &Layout,
) -> (Option<Vec<KeyValue>>, Vec<String>) {
    let Some(all) = about.key_value_metadata() else {
        return (None, Vec::new());
    };
    let columns = about.schema_descr().columns();
    let targets = layout.targets.iter().filter(|_| layout.seals);
    let sealed = targets.filter_map(|target| {
        let path = columns.get(target.column())?.path();
        path.parts().first().map(String::as_str)
    });
    let schemas = Schemas {
        layout,
        sealed: sealed.collect(),
    };
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for KeyValue { key, value } in all {
        let value = match (key.as_str(), value.as_deref()) {
            (ARROW, text) => text.and_then(|text| schemas.arrow(text)),
            (SPARK, text) => text.and_then(|text| schemas.spark(text)),
            _ if layout.seals => {
                left_out.push(key.clone());
                continue;
            }
            _ => {
                kept.push(KeyValue::new(key.clone(), value.clone()));
                continue;
            }
        };
        kept.extend(value.map(|value| KeyValue::new(key.clone(), value)));
    }
    (Some(kept), left_out)
}

/// The changes to the schemas of Arrow and Spark.
struct Schemas<'a> {
    layout: &'a Layout,
    /// The first parts of the paths of sealed columns.
    sealed: Vec<&'a str>,
}

impl Schemas<'_> {
    fn is_sealed(&self, name: &str) -> bool {
        self.sealed.contains(&name)
    }

    /// Extends the Arrow schema in its stream format. A schema that cannot be parsed is left out,
    /// since readers then use the types of Parquet.
    fn arrow(&self, text: &str) -> Option<String> {
        let old = try_schema_from_ipc_buffer(&base64::decode(text.as_bytes()).ok()?).ok()?;
        let kept = old
            .fields
            .iter()
            .map(|field| match self.is_sealed(field.name()) {
                true => without_metadata(field),
                false => field.clone(),
            });
        let added = self.added().map(|(name, is_bytes)| {
            let kind = match is_bytes {
                true => DataType::Binary,
                false => DataType::Utf8,
            };
            Arc::new(Field::new(name, kind, true))
        });
        let fields: Vec<_> = kept.chain(added).collect();
        let metadata = match self.layout.seals {
            true => Metadata::default(),
            false => old.metadata,
        };
        let mut new = Vec::new();
        StreamWriter::try_new(&mut new, &Schema::new_with_metadata(fields, metadata)).ok()?;
        Some(base64::encode(&new))
    }

    fn spark(&self, text: &str) -> Option<String> {
        let mut schema: Value = serde_json::from_str(text).ok()?;
        let fields = schema.get_mut("fields")?.as_array_mut()?;
        for field in fields.iter_mut() {
            if field["name"]
                .as_str()
                .is_some_and(|name| self.is_sealed(name))
            {
                empty_metadata(field);
            }
        }
        fields.extend(self.added().map(|(name, is_bytes)| {
            let kind = if is_bytes { "binary" } else { "string" };
            json!({ "name": name, "type": kind, "nullable": true, "metadata": {} })
        }));
        Some(schema.to_string())
    }

    /// Returns the names of the new columns, and whether they contain bytes.
    fn added(&self) -> impl Iterator<Item = (&String, bool)> {
        let layout = self.layout;
        let added = layout.added.iter().enumerate();
        added.map(|(at, name)| (name, is_bytes(layout, layout.columns + at)))
    }
}

/// Returns a field without metadata, like the fields of a struct. Only these are sealed, not
/// elements of lists.
fn without_metadata(field: &FieldRef) -> FieldRef {
    let kind = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(without_metadata).collect()),
        other => other.clone(),
    };
    let field = Field::clone(field).with_data_type(kind);
    Arc::new(field.with_metadata(Metadata::default()))
}

/// Empties the metadata of a field in Spark's schema, and of the fields within it.
fn empty_metadata(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    "metadata" => *member = json!({}),
                    _ => empty_metadata(member),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(empty_metadata),
        _ => {}
    }
}

/// Reports whether a new column contains results as bytes.
pub(super) fn is_bytes(layout: &Layout, column: usize) -> bool {
    layout.form == ResultFormat::Bytes
        && layout
            .targets
            .iter()
            .any(|target| matches!(target, Target::Cell(cell) if cell.result == column))
}
