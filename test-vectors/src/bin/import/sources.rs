//! The official files, each checked against the manifest before it is read.

use crate::Result;
use data_encoding::HEXLOWER;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};
use test_vectors::{Header, Set};

/// The folder and its manifest.
pub(crate) struct Sources {
    folder: PathBuf,
    manifest: Vec<Record>,
}

/// An entry of the manifest, which describes a file.
#[derive(Clone, Deserialize)]
struct Record {
    file: String,
    source: String,
    path: Option<String>,
    commit: Option<String>,
    licence: String,
    count: Option<usize>,
    sha256: String,
}

/// One file: its record and its content, decompressed.
pub(crate) struct Source {
    record: Record,
    text: String,
}

/// A file that is not text.
pub(crate) struct Binary {
    /// Its name without the folder.
    pub(crate) name: String,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
    record: Record,
}

impl Sources {
    /// Reads `manifest.json` of a folder.
    pub(crate) fn open(folder: PathBuf) -> Result<Self> {
        let manifest = serde_json::from_slice(&read(&folder.join("manifest.json"))?)
            .map_err(|error| format!("manifest.json: {error}"))?;
        Ok(Self { folder, manifest })
    }

    /// Reads a file of the manifest, after a check of its SHA-256.
    pub(crate) fn file(&self, file: &str) -> Result<Source> {
        let record = self.manifest.iter().find(|record| record.file == file);
        let record = record
            .ok_or_else(|| format!("{file}: manifest.json does not name it; add it there"))?
            .clone();
        let stored = self.stored(&record)?;
        let text = decompress(file, stored).map_err(|error| format!("{file}: {error}"))?;
        Ok(Source { record, text })
    }

    /// Reads every file of the manifest in a folder, in the order of the manifest.
    pub(crate) fn binaries(&self, folder: &str) -> Result<Vec<Binary>> {
        let named = self.manifest.iter().filter_map(|record| {
            let name = record.file.strip_prefix(folder)?.strip_prefix('/')?;
            Some((name.to_owned(), record.clone()))
        });
        named
            .map(|(name, record)| {
                let bytes = self.stored(&record)?;
                Ok(Binary {
                    name,
                    bytes,
                    record,
                })
            })
            .collect()
    }

    fn stored(&self, record: &Record) -> Result<Vec<u8>> {
        let stored = read(&self.folder.join(&record.file))?;
        if sha256(&stored) != record.sha256 {
            return Err(format!(
                "{}: its SHA-256 is not the manifest's; fetch it again from {}",
                record.file, record.source
            )
            .into());
        }
        Ok(stored)
    }
}

impl Source {
    /// Returns the content.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Parses the content as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.text).map_err(|error| self.error(error))
    }

    /// Parses an object that has the fields of an entry of our schema.
    pub(crate) fn entry<T: DeserializeOwned>(&self, object: Map<String, Value>) -> Result<T> {
        let shown: String = Value::Object(object.clone())
            .to_string()
            .chars()
            .take(200)
            .collect();
        serde_json::from_value(Value::Object(object))
            .map_err(|error| self.error(format!("{error} in {shown}...")))
    }

    /// Makes an error that names the file.
    pub(crate) fn error(&self, what: impl std::fmt::Display) -> Box<dyn std::error::Error> {
        format!("{}: {what}", self.record.file).into()
    }

    /// Fails unless the file has the number of entries in the manifest, so that none is missed.
    pub(crate) fn expect_count(&self, found: usize) -> Result<()> {
        match self.record.count {
            Some(count) if count != found => {
                Err(self.error(format!("{found} entries, the manifest says {count}")))
            }
            _ => Ok(()),
        }
    }

    /// Makes a set from this file.
    pub(crate) fn set<T>(&self, name: &str, note: &str, entries: Vec<T>) -> Set<T> {
        set(&[self], name, note, entries)
    }
}

/// Makes a set from these files. A file without path and commit must name the origin of each entry.
pub(crate) fn set<T>(sources: &[&Source], name: &str, note: &str, entries: Vec<T>) -> Set<T> {
    let per_entry = || "given with each entry, as origin".to_owned();
    let header = Header {
        name: name.to_owned(),
        source: joined(sources, |source| source.record.source.clone()),
        path: joined(sources, |source| {
            source.record.path.clone().unwrap_or_else(per_entry)
        }),
        commit: joined(sources, |source| {
            source.record.commit.clone().unwrap_or_else(per_entry)
        }),
        licence: joined(sources, |source| source.record.licence.clone()),
        source_sha256: joined(sources, |source| source.record.sha256.clone()),
        content_sha256: joined(sources, |source| sha256(source.text.as_bytes())),
        note: note.to_owned(),
        count: entries.len(),
    };
    Set { header, entries }
}

/// Makes a set from a folder with one entry per file. Its hashes are those of the hex SHA-256 of
/// all files, joined.
pub(crate) fn folder_set<T>(files: &[Binary], name: &str, note: &str, entries: Vec<T>) -> Set<T> {
    let first = &files[0].record;
    let path = first.path.as_deref().unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let hashes: String = files
        .iter()
        .map(|file| file.record.sha256.as_str())
        .collect();
    let header = Header {
        name: name.to_owned(),
        source: first.source.clone(),
        path: folder.to_owned(),
        commit: first.commit.clone().unwrap_or_default(),
        licence: first.licence.clone(),
        source_sha256: sha256(hashes.as_bytes()),
        content_sha256: sha256(hashes.as_bytes()),
        note: note.to_owned(),
        count: entries.len(),
    };
    Set { header, entries }
}

/// Joins the values of a field in the sources, each value once.
fn joined(sources: &[&Source], field: impl Fn(&Source) -> String) -> String {
    let mut values: Vec<String> = sources.iter().map(|source| field(source)).collect();
    values.dedup();
    values.join(", ")
}

/// Renames fields of the source to the names of our schema; `(from, to)`.
pub(crate) fn rename(object: &mut Map<String, Value>, names: &[(&str, &str)]) {
    for (from, to) in names {
        if let Some(value) = object.remove(*from) {
            object.insert((*to).to_owned(), value);
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn decompress(file: &str, stored: Vec<u8>) -> Result<String> {
    if !file.ends_with(".gz") {
        return Ok(String::from_utf8(stored)?);
    }
    let mut text = String::new();
    GzDecoder::new(&stored[..]).read_to_string(&mut text)?;
    Ok(text)
}

fn sha256(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}
