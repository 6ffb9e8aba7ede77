//! What an input is if it is no blob and no log: a message of another format, an encrypted file, a
//! key. By its first bytes and its form, without opening anything.

use envelope::{
    base64,
    diagnosis::looks_sealed,
    keys::{self, KeyError},
};
use serde_json::Value;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    /// A private key that -k takes.
    PrivateKey,
    /// A public key.
    PublicKey,
    /// A key of either kind: base64 does not say which.
    RawKey,
    /// Another PEM file, such as a certificate.
    Pem,
}

/// What an input is; `None` if it may be blobs or records.
pub fn detect(input: &[u8]) -> Option<Kind> {
    let is_pem = || input.trim_ascii_start().starts_with(b"-----BEGIN ");
    let found = foreign(input).or_else(|| key(input));
    found.or_else(|| is_pem().then_some(Kind::Pem))
}

/// What is neither matched data nor a key of ours. Nothing is copied, since it may be a damaged
/// private key.
pub fn foreign(input: &[u8]) -> Option<Kind> {
    sealed(input).or_else(|| {
        let mut lines = input.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        // `age-keygen` writes comments first.
        let start = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
        let known = STARTS.iter().find(|(mark, _)| start.starts_with(mark));
        known.map(|(_, kind)| *kind)
    })
}

/// What was encrypted in another format than matched data.
pub fn sealed(input: &[u8]) -> Option<Kind> {
    if is_encrypted_file(input) {
        return Some(Kind::EncryptedFile);
    }
    match std::str::from_utf8(input) {
        Ok(text) => is_jwe(text).then_some(Kind::Jwe),
        Err(_) => is_cose(input).then_some(Kind::Cose),
    }
}

const STARTS: [(&[u8], Kind); 7] = [
    (b"PAR1", Kind::Parquet),
    (b"AGE-SECRET-KEY-", Kind::AgeIdentity),
    (b"AGE-PLUGIN-", Kind::AgeIdentity),
    (b"age1", Kind::AgeRecipient),
    (b"-----BEGIN OPENSSH PRIVATE KEY-----", Kind::SshKey),
    (b"ssh-", Kind::SshKey),
    (b"ecdsa-sha2-", Kind::SshKey),
];

#[cfg(feature = "file")]
fn is_encrypted_file(input: &[u8]) -> bool {
    crate::file::inspect::detect(input)
}

#[cfg(not(feature = "file"))]
fn is_encrypted_file(input: &[u8]) -> bool {
    crate::passphrase::is_encrypted(input)
}

/// Five parts of which the first is JSON in base64url, or an object with the members of a JWE.
fn is_jwe(text: &str) -> bool {
    let text = text.trim();
    let is_compact = text.starts_with("eyJ") && text.matches('.').count() == 4;
    is_compact && !text.contains(char::is_whitespace) || text.starts_with('{') && is_json_jwe(text)
}

/// The members of one object, not of a log with such words in it; or of one that has no end.
fn is_json_jwe(text: &str) -> bool {
    let has = |name: &&str| text.contains(&format!("\"{name}\""));
    let others = ["protected", "recipients", "encrypted_key"];
    if !has(&"ciphertext") || !others.iter().any(has) {
        return false;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(found) => {
            found.get("ciphertext").is_some() && others.iter().any(|name| found.get(name).is_some())
        }
        Err(error) => error.is_eof(),
    }
}

/// Tag 16 or 96, or an array of 3 or 4.
fn is_cose(message: &[u8]) -> bool {
    matches!(message, [0xd0 | 0x83 | 0x84, ..] | [0xd8, 0x60, ..])
}

fn key(input: &[u8]) -> Option<Kind> {
    let text = std::str::from_utf8(input).ok();
    let text = text.filter(|text| text.len() <= keys::MAX_LEN && !looks_sealed(text.as_bytes()))?;
    match keys::read_private_keys(text, None) {
        Ok(_) if base64::decode(text.as_bytes()).is_ok() => Some(Kind::RawKey),
        Ok(_) => Some(Kind::PrivateKey),
        Err(found) if found.error == KeyError::Encrypted => Some(Kind::PrivateKey),
        Err(_) => keys::read_public(text, None).ok().map(|_| Kind::PublicKey),
    }
}

impl Kind {
    /// The code by which programs distinguish kinds.
    pub const fn code(self) -> &'static str {
        match self {
            Self::EncryptedFile => "encrypted_file",
            Self::Jwe => "jwe",
            Self::Cose => "cose",
            Self::Parquet => "parquet",
            Self::AgeIdentity => "age_identity",
            Self::AgeRecipient => "age_recipient",
            Self::SshKey => "ssh_key",
            Self::PrivateKey => "private_key",
            Self::PublicKey => "public_key",
            Self::RawKey => "raw_key",
            Self::Pem => "pem",
        }
    }

    /// What it is, and what to do with it. `file` is its name.
    pub fn advice(self, file: &str) -> String {
        match self {
            Self::EncryptedFile => format!(
                "an encrypted file (age, or a pqseal object); run: pqseal file decrypt -i IDENTITY {file}"
            ),
            Self::Jwe => format!("a JWE; run: pqseal jwe open -k KEYFILE {file}"),
            Self::Cose => format!("a COSE message; run: pqseal cose open -k KEYFILE {file}"),
            Self::Parquet => format!("a Parquet file; run: pqseal logs open -k KEYFILE {file}"),
            Self::AgeIdentity => format!(
                "an age identity, which opens files; run: pqseal file decrypt -i {file} ENCRYPTED"
            ),
            Self::AgeRecipient => {
                format!("an age recipient; files are encrypted to it: pqseal file encrypt -R {file}")
            }
            Self::SshKey => "an OpenSSH key, which HPKE does not use; run: pqseal keygen".to_owned(),
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
