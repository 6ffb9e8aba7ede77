//! Keys of OpenSSH: the bytes of a private key's file, and those of a public key in SSH's wire
//! format.

use data_encoding::BASE64;
use pqseal_age::{FileKey, Identity, Recipient, SshIdentity, SshRecipient};
use serde::Deserialize;

/// The passphrase of all encrypted keys in the seeds.
const PASSPHRASE: &[u8] = b"correct horse";
const BEGIN: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";

/// Checks that a private key which is read opens a stanza for its public key.
pub(crate) fn run(bytes: &[u8]) {
    check_public(bytes);
    let text = armored(bytes);
    let is_encrypted = SshIdentity::is_encrypted(&text);
    if let Ok(identity) = SshIdentity::read(&text, None) {
        assert!(!is_encrypted);
        check(&identity);
    }
    if is_encrypted
        && rounds(bytes).is_none_or(|rounds| rounds < 2)
        && let Ok(identity) = SshIdentity::read(&text, Some(PASSPHRASE))
    {
        check(&identity);
    }
}

/// Returns the number of bcrypt's rounds, the last of its options. Each round takes
/// milliseconds.
fn rounds(file: &[u8]) -> Option<u32> {
    // The fields before the options have the same length for every supported cipher.
    let (length, options) = file
        .get("openssh-key-v1\0....aes256-ctr....bcrypt".len()..)?
        .split_first_chunk()?;
    let options = options.get(..usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    options.last_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

fn check(identity: &SshIdentity) {
    let text = identity.recipient().to_string();
    assert_eq!(identity.recipient_text().as_ref(), Some(&text));
    let recipient: SshRecipient = text.parse().expect("what is written is read");
    let stanzas = recipient.wrap(&FileKey::new([1; 16])).expect("a key");
    let opened = identity.unwrap(&stanzas).expect("stanzas that we made");
    assert_eq!(opened.expect("a stanza for this key").as_bytes(), &[1; 16]);
}

/// Checks that a public key which is read is written with the same bytes.
fn check_public(wire: &[u8]) {
    let text = public_text(wire);
    if let Ok(recipient) = text.parse::<SshRecipient>() {
        assert_eq!(recipient.to_string(), text);
        recipient.wrap(&FileKey::new([1; 16])).expect("a key");
    }
}

/// Formats a line of `authorized_keys`, with the kind that the key names.
fn public_text(wire: &[u8]) -> String {
    let kind = match wire {
        [0, 0, 0, length, rest @ ..] => rest.get(..usize::from(*length)),
        _ => None,
    };
    let kind = kind.and_then(|kind| str::from_utf8(kind).ok());
    format!("{} {}", kind.unwrap_or_default(), BASE64.encode(wire))
}

fn armored(file: &[u8]) -> String {
    format!("{BEGIN}\n{}\n{END}\n", BASE64.encode(file))
}

/// A key that `ssh-keygen` made.
#[derive(Deserialize)]
pub(crate) struct Key {
    pub(crate) public: String,
    pub(crate) private: String,
}

/// Returns the test vectors of `pqseal-age`: valid keys, and keys that are refused.
pub(crate) fn keys() -> Vec<Key> {
    #[derive(Deserialize)]
    struct Vectors {
        cases: Vec<Key>,
        refused: Vec<Key>,
    }

    let vectors: Vectors =
        serde_json::from_str(include_str!("../../../crates/age/tests/ssh.json")).expect("JSON");
    vectors.cases.into_iter().chain(vectors.refused).collect()
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let decode = |base64: &str| BASE64.decode(base64.as_bytes()).ok();
    let both = |key: Key| {
        let body = key.private.lines().filter(|line| !line.starts_with('-'));
        let wire = key.public.split_ascii_whitespace().nth(1);
        [decode(&body.collect::<String>()), wire.and_then(decode)]
    };
    keys().into_iter().flat_map(both).flatten().collect()
}
