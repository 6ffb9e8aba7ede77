//! The kind of an input that is neither a blob nor a log: a message in another format, an encrypted
//! file, a key. It is detected by its first bytes and its syntax, without opening anything.
//! `pqseal_records::detect` says what an input of records is.

use pqseal_keys::{KeyError, base64};
use pqseal_matched_data::diagnosis::looks_sealed;
use pqseal_records::detect::{self, Detected};
use pqseal_sealed::Kind;
use serde_json::Value;

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A file in the age format, or a pqseal object.
    EncryptedFile,
    /// A JWE, in any serialization.
    Jwe,
    /// A COSE_Encrypt0 or COSE_Encrypt message.
    Cose,
    /// A Parquet file.
    Parquet,
    /// A private key of age.
    AgeIdentity,
    /// A public key of age.
    AgeRecipient,
    /// A key of OpenSSH, of either kind.
    SshKey,
    /// A calendar of keys, of either half.
    Calendar,
    /// A private key that -k takes.
    PrivateKey,
    /// A public key.
    PublicKey,
    /// A key of either half: base64 does not say which.
    RawKey,
    /// Another PEM file, such as a certificate.
    Pem,
}

/// Detects the kind of an input; `None` if it may be blobs or records.
pub fn detect(input: &[u8]) -> Option<InputKind> {
    let found = foreign(input).or_else(|| key(input));
    let is_pem = input.trim_ascii_start().starts_with(b"-----BEGIN ");
    found.or(is_pem.then_some(InputKind::Pem))
}

/// Detects inputs that are neither matched data nor keys of pqseal. Nothing is copied, since the
/// input may be a damaged private key.
pub fn foreign(input: &[u8]) -> Option<InputKind> {
    if detect::detect(input, None, true) == Detected::Parquet {
        return Some(InputKind::Parquet);
    }
    sealed(input).or_else(|| {
        let mut lines = input.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        // `age-keygen` writes comments first.
        let start = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
        let known = STARTS.iter().find(|(mark, _)| start.starts_with(mark));
        known.map(|(_, kind)| *kind)
    })
}

/// Detects data that was encrypted in a format other than matched data.
pub fn sealed(input: &[u8]) -> Option<InputKind> {
    if is_encrypted_file(input) {
        return Some(InputKind::EncryptedFile);
    }
    match std::str::from_utf8(input) {
        Ok(text) => {
            let text = text.trim();
            let is_compact = Kind::detect(text.as_bytes()) == Some(Kind::Jwe);
            (is_compact || text.starts_with('{') && is_json_jwe(text)).then_some(InputKind::Jwe)
        }
        Err(_) => is_cose(input).then_some(InputKind::Cose),
    }
}

const STARTS: [(&[u8], InputKind); 7] = [
    (b"pqseal-calendar ", InputKind::Calendar),
    (b"AGE-SECRET-KEY-", InputKind::AgeIdentity),
    (b"AGE-PLUGIN-", InputKind::AgeIdentity),
    (b"age1", InputKind::AgeRecipient),
    (b"-----BEGIN OPENSSH PRIVATE KEY-----", InputKind::SshKey),
    (b"ssh-", InputKind::SshKey),
    (b"ecdsa-sha2-", InputKind::SshKey),
];

#[cfg(feature = "file")]
fn is_encrypted_file(input: &[u8]) -> bool {
    crate::file::inspect::detect(input)
}

#[cfg(not(feature = "file"))]
fn is_encrypted_file(input: &[u8]) -> bool {
    crate::passphrase::is_encrypted(input)
}

/// Reports whether one object, complete or truncated, has the members of a JWE. A log that
/// contains such words does not count.
fn is_json_jwe(text: &str) -> bool {
    let others = ["protected", "recipients", "encrypted_key"];
    let mut quoted = others.iter().map(|name| format!("\"{name}\""));
    if !text.contains("\"ciphertext\"") || !quoted.any(|name| text.contains(&name)) {
        return false;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(found) => {
            found.get("ciphertext").is_some() && others.iter().any(|name| found.get(name).is_some())
        }
        Err(error) => error.is_eof(),
    }
}

#[cfg(feature = "cose")]
fn is_cose(message: &[u8]) -> bool {
    pqseal_formats::cose::detect(message)
}

#[cfg(not(feature = "cose"))]
fn is_cose(_message: &[u8]) -> bool {
    false
}

fn key(input: &[u8]) -> Option<InputKind> {
    if input.len() > pqseal_keys::MAX_LEN || looks_sealed(input) {
        return None;
    }
    // The marks of PEM have letters of base64 only.
    let is_raw = !input.trim_ascii_start().starts_with(b"-----") && base64::decode(input).is_ok();
    match pqseal_keys::read_private_keys(input, None) {
        Ok(_) if is_raw => Some(InputKind::RawKey),
        Ok(_) => Some(InputKind::PrivateKey),
        Err(found) if found.error == KeyError::Encrypted => Some(InputKind::PrivateKey),
        Err(_) => pqseal_keys::read_public(input, None)
            .ok()
            .map(|_| InputKind::PublicKey),
    }
}

impl InputKind {
    /// Returns the code by which programs distinguish kinds.
    pub const fn code(self) -> &'static str {
        match self {
            Self::EncryptedFile => "encrypted_file",
            Self::Jwe => "jwe",
            Self::Cose => "cose",
            Self::Parquet => "parquet",
            Self::AgeIdentity => "age_identity",
            Self::AgeRecipient => "age_recipient",
            Self::SshKey => "ssh_key",
            Self::Calendar => "calendar",
            Self::PrivateKey => "private_key",
            Self::PublicKey => "public_key",
            Self::RawKey => "raw_key",
            Self::Pem => "pem",
        }
    }

    /// Describes the kind, and what to do with it. `file` is its name.
    pub fn advice(self, file: &str) -> String {
        match self {
            Self::EncryptedFile => format!(
                "an encrypted file (age, or a pqseal object); run: pqseal file decrypt -i IDENTITY {file}"
            ),
            Self::Jwe => format!("a JWE; run: pqseal jwe open -k KEYFILE {file}"),
            Self::Cose => format!("a COSE message; run: pqseal cose open -k KEYFILE {file}"),
            Self::Parquet => format!("a Parquet file; run: pqseal logs open -k KEYFILE {file}"),
            Self::AgeIdentity => format!(
                "an age identity; for files run: pqseal file decrypt -i {file} ENCRYPTED; values in records open with -k {file}, unless it is of a plugin"
            ),
            Self::AgeRecipient => {
                format!("an age recipient; files are encrypted to it: pqseal file encrypt -R {file}")
            }
            Self::SshKey => "an OpenSSH key, which HPKE does not use; run: pqseal keygen".to_owned(),
            Self::Calendar => format!("a calendar of keys; run: pqseal calendar show {file}"),
            Self::PrivateKey => format!("a private key; give it with -k {file}, and what does not open as FILE"),
            Self::PublicKey => format!(
                "a public key, which opens nothing; give its private key with -k, or seal with: pqseal seal --to {file}"
            ),
            Self::RawKey => format!(
                "a key without its kind; if it is a private one, give it with -k {file}, and what does not open as FILE"
            ),
            Self::Pem => "PEM of another kind, such as a certificate; keys of HPKE are PRIVATE KEY or PUBLIC KEY".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_of_a_jwe_may_begin_in_any_way_that_json_allows() {
        for header in [
            r#"{"alg":0}"#,
            r#"{ "alg":0}"#,
            "{\n\"alg\":0}",
            "\n  {\t\"alg\":0}",
        ] {
            let first = base64::encode_url(header.as_bytes());
            let found = sealed(format!("{first}.AA.AA.AA.AA\n").as_bytes());
            assert_eq!(found, Some(InputKind::Jwe), "{header}");
            assert_eq!(sealed(format!("{first}.AA.AA").as_bytes()), None, "a JWS");
        }
        for other in ["a.b.c.d.e", "....", "WyJhIl0.AA.AA.AA.AA"] {
            assert_eq!(sealed(other.as_bytes()), None, "{other}");
        }
    }

    #[cfg(feature = "cose")]
    #[test]
    fn text_is_not_cose() {
        assert_eq!(sealed(b"\xd0\x83\x41\xa1"), Some(InputKind::Cose));
        assert_eq!(sealed("\u{403} begins with 0xd0".as_bytes()), None);
    }
}
