//! The arguments of `open`, and its answer.

use std::borrow::Cow;

use clap::Args;
use pqseal_atomic_file::Overwrite;
use pqseal_formats::{Algorithm, Error as FormatError, PrivateKey};
use pqseal_keys::{base64, read_private_keys};
use serde_json::{Map, Value, json};

use super::{Shared, by_name, failed};
use crate::{
    error::Error,
    escape,
    input::{Source, one_stdin, warn_if_others_read},
    keyfile, named_key,
    output::{FileMode, Target},
    passphrase::Passphrase,
};

/// The arguments of `open` in both formats.
#[derive(Args)]
pub struct OpenArgs {
    /// A file with private keys: JWK, COSE_Key or any other format; `-` for standard input; repeat
    /// it to give several
    #[arg(short, long = "key", value_name = "KEYFILE", required = true)]
    keys: Vec<Source>,
    #[command(flatten)]
    passphrase: Passphrase,
    /// An algorithm that the message may have, such as HPKE-9; repeat it to allow several. Required
    /// unless the file of each key names its algorithm
    #[arg(long, value_name = "NAME", value_parser = by_name)]
    alg: Vec<Algorithm>,
    #[command(flatten)]
    pub shared: Shared,
    /// Write to this file, which only its owner can read; it appears only when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// The message
    #[arg(value_name = "FILE", default_value = "-")]
    pub input: Source,
}

/// Private keys, each with its file.
pub type Keys = Vec<(Source, PrivateKey)>;

/// An opened message, with the members of both formats.
pub struct Answer<'a> {
    /// The algorithm.
    pub alg: Algorithm,
    /// The file of the key.
    pub key: &'a Source,
    /// The index of the key's recipient, from 0.
    pub recipient: usize,
    /// Other members of the message.
    pub others: Vec<(&'static str, Value)>,
    /// The plaintext.
    pub plaintext: &'a [u8],
}

impl OpenArgs {
    /// Reads the keys, once standard input and the output are checked.
    ///
    /// # Errors
    /// If standard input would be read twice, a key overwritten, or a file holds no key.
    pub fn keys(&self, others: &[&Source]) -> Result<Keys, Error> {
        let sources = self.keys.iter().chain(self.shared.sources());
        let sources = sources.chain([&self.input]).chain(self.passphrase.source());
        one_stdin(sources.chain(others.iter().copied()))?;
        keyfile::protect(self.output.as_ref(), &self.keys)?;
        let mut keys = Vec::new();
        for source in &self.keys {
            let found = self.in_file(source).map_err(Error::stops)?;
            keys.extend(found.into_iter().map(|key| (source.clone(), key)));
        }
        Ok(keys)
    }

    fn in_file(&self, source: &Source) -> Result<Vec<PrivateKey>, Error> {
        let bytes = keyfile::read_secret_bytes(source, &self.passphrase)?;
        warn_if_others_read(source, "key");
        if let Some(keys) = named_key::privates(&bytes) {
            return keys.map_err(|error| Error::named_key(source, &error));
        }
        let keys = read_private_keys(&bytes, None);
        let keys = keys.map_err(|error| Error::key(source, &error.error))?;
        Ok(keys
            .into_iter()
            .map(|key| PrivateKey::new(key.key))
            .collect())
    }

    /// Returns the algorithms of --alg, or those that the keys name.
    ///
    /// # Errors
    /// If a key names none.
    pub fn allowed(&self, keys: &Keys) -> Result<Vec<Algorithm>, Error> {
        if !self.alg.is_empty() {
            return Ok(self.alg.clone());
        }
        let algorithm = |(source, key): &(Source, PrivateKey)| {
            key.alg().ok_or_else(|| {
                Error::usage(format!(
                    "the key in {source} does not name its algorithm; add --alg for each algorithm that the message may have"
                ))
            })
        };
        keys.iter().map(algorithm).collect()
    }

    /// Reads the message, which is text.
    ///
    /// # Errors
    /// If it cannot be read, or is not text.
    pub fn text(&self) -> Result<String, Error> {
        String::from_utf8(self.input.read()?)
            .map_err(|_| failed(&FormatError::Malformed("it is not text")))
    }

    /// Writes the answer: all members as JSON, otherwise the plaintext, escaped on a terminal.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, answer: &Answer<'_>, json: bool) -> Result<(), Error> {
        let target = self.output.as_ref().unwrap_or(&Target::Stdout);
        let bytes = match json {
            true => Cow::Owned((escape::json(&answer.json().to_string()) + "\n").into_bytes()),
            false if target.is_terminal() => {
                Cow::Owned((escape::bytes(answer.plaintext) + "\n").into_bytes())
            }
            false => Cow::Borrowed(answer.plaintext),
        };
        target.write(&bytes, FileMode::Owner, Overwrite::Allow)
    }
}

impl Answer<'_> {
    fn json(&self) -> Value {
        let mut members = Map::from_iter([
            ("alg".to_owned(), json!(self.alg.name())),
            ("key".to_owned(), json!(self.key.to_string())),
            ("recipient".to_owned(), json!(self.recipient)),
        ]);
        let others = self.others.iter().cloned();
        members.extend(others.map(|(name, value)| (name.to_owned(), value)));
        let (name, plaintext) = text_or_base64("plaintext", "plaintext_base64", self.plaintext);
        members.insert(name.to_owned(), plaintext);
        Value::Object(members)
    }
}

/// Returns bytes as a member of JSON: text if they are UTF-8, otherwise base64 under another name.
pub fn text_or_base64(
    text: &'static str,
    binary: &'static str,
    bytes: &[u8],
) -> (&'static str, Value) {
    match std::str::from_utf8(bytes) {
        Ok(valid) => (text, json!(valid)),
        Err(_) => (binary, json!(base64::encode(bytes))),
    }
}
