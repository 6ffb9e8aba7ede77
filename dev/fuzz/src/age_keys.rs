//! Files of recipients and of identities: keys of age, of SSH, of plugins and of pqseal. Keys of
//! OpenSSH are also read as bytes: of a private key's file, and of a public key in SSH's wire
//! format.

use std::sync::Arc;

use data_encoding::BASE64;
use pqseal_age::{
    FileKey, Identity, Recipient, SshIdentity, SshRecipient,
    keys::{Reader, identity_text, recipient_text},
    plugin::NoUi,
};
use pqseal_hpke::Status;
use serde::Deserialize;

use crate::samples::{PAIRS, everything};

/// Checks that a recipient that is read can wrap a key, and that an identity unwraps it. With
/// plugins the reader accepts more, and refuses nothing that it accepts without them.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let reader = Reader::default().with_policy(everything());
    let plugins = reader_with_plugins();
    if let Ok((recipients, skipped)) = reader.recipients_and_skipped(text) {
        let all = reader.recipients(text);
        assert_eq!(all.is_ok(), skipped.is_empty());
        assert!(all.is_err() || plugins.recipients(text).is_ok());
        assert!(!recipients.is_empty());
        let lines = text.lines().count();
        assert!(skipped.iter().all(|skipped| skipped.line <= lines));
        for recipient in recipients {
            // A public key of low order is detected only here.
            let _ = recipient.wrap(&FileKey::new([1; 16]));
        }
    }
    if let Ok(identities) = reader.identities(text, |_| ()) {
        assert!(!identities.is_empty());
        assert!(plugins.identities(text, |_| ()).is_ok());
        identities
            .iter()
            .for_each(|identity| check(&reader, &**identity));
    }
}

fn reader_with_plugins() -> Reader {
    let reader = Reader::default().with_policy(everything());
    reader.with_plugins(Arc::new(NoUi))
}

fn check(reader: &Reader, identity: &dyn Identity) {
    let text = identity.recipient_text().expect("an identity with a key");
    let recipient = reader.recipient(&text).expect("what is written is read");
    let stanzas = recipient.wrap(&FileKey::new([1; 16])).expect("a key");
    let opened = identity.unwrap(&stanzas).expect("stanzas that we made");
    assert_eq!(opened.expect("a stanza for this key").as_bytes(), &[1; 16]);
}

/// Returns both keys of every KEM except BIKE, whose keys take a second each, those of SSH, and two
/// of plugins.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let pairs = PAIRS.iter().filter(|pair| {
        let info = pair.kem.info();
        info.status != Status::Experimental
    });
    let plugins = [
        "age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t",
        "AGE-PLUGIN-YUBIKEY-1GKZHGQYZ9N5Q8P",
    ];
    let mut seeds: Vec<Vec<u8>> = pairs
        .flat_map(|pair| {
            let recipient = recipient_text(&pair.public).expect("a key of the registry");
            let identity = identity_text(&pair.private).expect("a key of the registry");
            [
                recipient.clone().into_bytes(),
                format!("# public key: {recipient}\n{}\n", *identity).into_bytes(),
            ]
        })
        .collect();
    seeds.extend(
        ssh_keys()
            .into_iter()
            .flat_map(|key| [key.public.into_bytes(), key.private.into_bytes()]),
    );
    seeds.extend(plugins.map(|text| text.as_bytes().to_vec()));
    // Several lines, one of which is skipped.
    let lines: Vec<_> = ssh_keys().into_iter().map(|key| key.public).collect();
    seeds.push(lines.concat().into_bytes());
    seeds
}

/// The passphrase of all encrypted keys in the seeds.
const PASSPHRASE: &[u8] = b"correct horse";
const BEGIN: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";

/// Checks that a private key which is read opens a stanza for its public key.
pub(crate) fn run_ssh(bytes: &[u8]) {
    check_public(bytes);
    let text = armored(bytes);
    let is_encrypted = SshIdentity::is_encrypted(&text);
    if let Ok(identity) = SshIdentity::read(&text, None) {
        assert!(!is_encrypted);
        check_ssh(&identity);
    }
    if is_encrypted
        && rounds(bytes).is_none_or(|rounds| rounds < 2)
        && let Ok(identity) = SshIdentity::read(&text, Some(PASSPHRASE))
    {
        check_ssh(&identity);
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

fn check_ssh(identity: &SshIdentity) {
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
struct SshKey {
    public: String,
    private: String,
}

/// Returns the test vectors of `pqseal-age`: valid keys, and keys that are refused.
fn ssh_keys() -> Vec<SshKey> {
    #[derive(Deserialize)]
    struct Vectors {
        cases: Vec<SshKey>,
        refused: Vec<SshKey>,
    }

    let vectors: Vectors =
        serde_json::from_str(include_str!("../../../crates/age/tests/ssh.json")).expect("JSON");
    vectors.cases.into_iter().chain(vectors.refused).collect()
}

pub(crate) fn ssh_seeds() -> Vec<Vec<u8>> {
    let decode = |base64: &str| BASE64.decode(base64.as_bytes()).ok();
    ssh_keys()
        .into_iter()
        .flat_map(|key| {
            let body = key.private.lines().filter(|line| !line.starts_with('-'));
            let wire = key.public.split_ascii_whitespace().nth(1);
            [decode(&body.collect::<String>()), wire.and_then(decode)]
        })
        .flatten()
        .collect()
}
