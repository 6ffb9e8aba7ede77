//! The common arguments, keys and errors of `pqseal jwe` and `pqseal cose`.

use std::{borrow::Cow, ffi::OsString, path::Path};

use clap::Args;
use pqseal_atomic_file::Overwrite;
use pqseal_formats::{ALGORITHMS, Algorithm, KeyManagement, PrivateKey, PublicKey, algorithm};
use pqseal_keys::{base64, read_private_keys};
use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use crate::{
    error::Error,
    escape,
    input::{Source, one_stdin, warn_if_others_read},
    keyfile,
    output::{FileMode, Target},
    passphrase::Passphrase,
    places::NamedOutputs,
    recipient::recipient,
};

/// Returns the algorithm of this name.
///
/// # Errors
/// The list of names.
pub fn by_name(name: &str) -> Result<Algorithm, String> {
    algorithm(name).ok_or_else(|| one_of(ALGORITHMS.iter().map(Algorithm::name)))
}

/// Lists the choices.
pub fn one_of(names: impl Iterator<Item = &'static str>) -> String {
    format!("choose one of {}", names.collect::<Vec<_>>().join(", "))
}

/// Writes bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes the error for a message that was not sealed or not opened.
pub fn failed(error: &pqseal_formats::Error) -> Error {
    if let pqseal_formats::Error::Usage(what) = error {
        return Error::usage(*what);
    }
    Error::incomplete(error.code(), format!("{error}{}", advice(error)))
}

/// Returns what to do next, where the error itself does not say it.
fn advice(error: &pqseal_formats::Error) -> &'static str {
    match error {
        pqseal_formats::Error::AlgorithmNotAllowed(_) => ", with --alg",
        pqseal_formats::Error::KeyAlgorithm(_) => {
            "; give the --alg that its file names, or a key for that algorithm"
        }
        pqseal_formats::Error::NoKey => "; add the right one with -k",
        pqseal_formats::Error::UnknownPsk => "; give it with --psk-file and --psk-id",
        pqseal_formats::Error::PskRequired => "; leave --psk-file and --psk-id out to open it",
        pqseal_formats::Error::Open => "; give --info, --aad and --psk-file as the sender had them",
        _ => "",
    }
}

/// The options of both sides.
#[derive(Args)]
pub struct Shared {
    /// Application context (HPKE info); it is not sent, and the same value is required to open the
    /// message
    #[arg(long, value_name = "TEXT", conflicts_with = "info_file")]
    info: Option<String>,
    /// The same, from a file, byte for byte
    #[arg(long, value_name = "FILE")]
    info_file: Option<Source>,
    /// A file with a pre-shared key of at least 32 bytes, byte for byte, which authenticates the
    /// sender (mode_psk)
    #[arg(long, value_name = "FILE", requires = "psk_id")]
    psk_file: Option<Source>,
    /// The id of the pre-shared key, which the message names
    #[arg(long, value_name = "TEXT", requires = "psk_file")]
    psk_id: Option<String>,
}

/// The values of the options.
pub struct Known {
    /// `--info`; empty if it is not given.
    pub info: Vec<u8>,
    /// The id and the pre-shared key.
    pub psk: Option<(String, Zeroizing<Vec<u8>>)>,
}

/// The longest pre-shared key, in bytes.
const PSK_LIMIT: usize = 1024;
/// The shortest pre-shared key, in bytes (RFC 9180, section 9.5).
const PSK_LEN: usize = 32;

impl Shared {
    /// Lists the files to read.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.info_file.iter().chain(&self.psk_file)
    }

    /// Reads the files.
    ///
    /// # Errors
    /// If a file cannot be read, or holds no pre-shared key.
    pub fn read(&self) -> Result<Known, Error> {
        let psk = match (&self.psk_file, &self.psk_id) {
            (Some(file), Some(id)) => Some((id.clone(), read_psk(file)?)),
            _ => None,
        };
        Ok(Known {
            info: text_or_file(self.info.as_ref(), self.info_file.as_ref())?,
            psk,
        })
    }
}

impl Known {
    /// Returns the id and the pre-shared key.
    pub fn psk(&self) -> Option<(&[u8], &[u8])> {
        let psk = self.psk.as_ref();
        psk.map(|(id, psk)| (id.as_bytes(), psk.as_slice()))
    }
}

/// Returns the bytes of an option that is text or in a file; empty if neither is given.
///
/// # Errors
/// If the file cannot be read.
pub fn text_or_file(text: Option<&String>, file: Option<&Source>) -> Result<Vec<u8>, Error> {
    match (text, file) {
        (Some(text), _) => Ok(text.clone().into_bytes()),
        (None, Some(file)) => file.read(),
        (None, None) => Ok(Vec::new()),
    }
}

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
        if let Some(keys) = keyfile::named_privates(&bytes) {
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
        let algorithms = keys.iter().map(|(source, key)| {
            key.alg().ok_or_else(|| {
                Error::usage(format!(
                    "the key in {source} does not name its algorithm; add --alg for each algorithm that the message may have"
                ))
            })
        });
        algorithms.collect()
    }

    /// Reads the message, which is text.
    ///
    /// # Errors
    /// If it cannot be read, or is not text.
    pub fn text(&self) -> Result<String, Error> {
        String::from_utf8(self.input.read()?)
            .map_err(|_| failed(&pqseal_formats::Error::Malformed("it is not text")))
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

/// The arguments of `seal` in both formats.
#[derive(Args)]
pub struct SealArgs {
    /// A recipient's public key: base64 (x25519), a pqseal-public-key line, or a file with a key in
    /// any format; repeat it for several recipients. The message names the `kid` of a JWK or
    /// COSE_Key
    #[arg(long, value_name = "PUBLIC-KEY-OR-FILE", required = true)]
    to: Vec<String>,
    /// The algorithm, such as HPKE-9, or HPKE-9-KE for several recipients; not needed if the key's
    /// file names it, or if there is only one for its KEM
    #[arg(long, value_name = "NAME", value_parser = by_name)]
    alg: Option<Algorithm>,
    #[command(flatten)]
    pub shared: Shared,
    /// Write to this file; it appears only when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// What to encrypt
    #[arg(value_name = "FILE", default_value = "-")]
    pub input: Source,
}

impl SealArgs {
    /// Checks standard input and the output, before anything is read.
    ///
    /// # Errors
    /// If standard input would be read twice, or a key overwritten.
    pub fn check(&self, others: &[&Source]) -> Result<(), Error> {
        let to: Vec<_> = self.to.iter().map(|to| OsString::from(to).into()).collect();
        let sources = to.iter().chain([&self.input]).chain(self.shared.sources());
        one_stdin(sources.chain(others.iter().copied()))?;
        keyfile::protect(self.output.as_ref(), &to)
    }

    /// Checks another output, that of `option`.
    ///
    /// # Errors
    /// If a key would be overwritten, or the message goes to the same place.
    pub fn check_output(&self, option: &'static str, target: &Target) -> Result<(), Error> {
        let to: Vec<_> = self.to.iter().map(|to| OsString::from(to).into()).collect();
        let mut places = NamedOutputs::default();
        places.add("-o", self.target())?;
        places.add(option, target)?;
        keyfile::protect_from(option, false, target, &to)
    }

    /// Returns the output of the message.
    pub fn target(&self) -> &Target {
        self.output.as_ref().unwrap_or(&Target::Stdout)
    }

    /// Reports whether there are several recipients.
    pub const fn several(&self) -> bool {
        self.to.len() > 1
    }

    /// Reads the recipients' keys, each with its algorithm.
    ///
    /// # Errors
    /// If one is not a key, or its algorithm is not known.
    pub fn recipients(&self) -> Result<Vec<(Algorithm, PublicKey)>, Error> {
        let recipients = self.to.iter().map(|to| {
            let source = Source::from(OsString::from(to));
            let key = match source == Source::Stdin || Path::new(to).exists() {
                true => keyfile::public_with_use(&source, None),
                false => recipient(to).map(PublicKey::new),
            };
            let key = key.map_err(Error::stops)?;
            Ok((self.algorithm(&key)?, key))
        });
        recipients.collect()
    }

    fn algorithm(&self, key: &PublicKey) -> Result<Algorithm, Error> {
        if let Some(alg) = self.alg.or(key.alg()) {
            return Ok(alg);
        }
        let mode = match self.several() {
            true => KeyManagement::KeyEncryption,
            false => KeyManagement::Integrated,
        };
        let of_kem: Vec<_> = ALGORITHMS
            .iter()
            .filter(|alg| alg.suite_id().kem == key.key().kem().id && alg.mode() == mode)
            .collect();
        match of_kem[..] {
            [alg] => Ok(*alg),
            [] => Err(Error::usage(format!(
                "there is no algorithm for a key of {}; `pqseal jwe --help` lists the algorithms",
                key.key().kem().short_name
            ))),
            _ => Err(Error::usage(format!(
                "the key does not name its algorithm; add --alg and {}",
                one_of(of_kem.iter().map(|alg| alg.name()))
            ))),
        }
    }

    /// Writes the message.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, message: &[u8]) -> Result<(), Error> {
        self.target()
            .write(message, FileMode::Umask, Overwrite::Allow)
    }
}

fn read_psk(file: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    let psk = file.read_secret(PSK_LIMIT);
    let psk = psk.map_err(|error| file.unreadable(&error))?;
    warn_if_others_read(file, "pre-shared key");
    match psk.len() {
        PSK_LEN..=PSK_LIMIT => Ok(psk),
        len => Err(Error::stopped(
            "bad_psk",
            format!(
                "{file}: a pre-shared key has {PSK_LEN} to {PSK_LIMIT} bytes, not {len}; `head -c 32 /dev/urandom > FILE` makes one"
            ),
        )),
    }
}
