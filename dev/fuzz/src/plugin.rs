//! The messages of a client to the plugin `age-plugin-pqseal`: commands, then answers.

use std::sync::LazyLock;

use data_encoding::BASE64_NOPAD;
use pqseal_age::{
    FileKey, Header, PqsealIdentity, Recipient, Stanza,
    plugin::{ServeError, serve},
};

use crate::samples::{Input, PAIRS};

const MACHINES: [&str; 2] = ["recipient-v1", "identity-v1"];
/// The file keys that the seeds wrap.
const FILE_KEYS: [[u8; 16]; 2] = [[7; 16], [8; 16]];

/// Reads the state machine and the client's messages. Checks that the plugin's messages are
/// stanzas, of which the last is `done` on success, and that a returned file key is one that was
/// wrapped.
pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let machine = MACHINES[input.below(MACHINES.len())];
    let mut said = Vec::new();
    let end = serve(machine, input.rest(), &mut said);
    let stanzas = stanzas(&said);
    match end {
        Ok(()) => assert!(stanzas.last().is_some_and(|last| last.kind == "done")),
        Err(error) => assert!(!matches!(error, ServeError::StateMachine)),
    }
    for stanza in stanzas.iter().filter(|stanza| stanza.kind == "file-key") {
        assert!(FILE_KEYS.iter().any(|key| key[..] == stanza.body[..]));
    }
}

/// Parses stanzas like those of a header.
fn stanzas(bytes: &[u8]) -> Vec<Stanza> {
    if bytes.is_empty() {
        return Vec::new();
    }
    let mac = BASE64_NOPAD.encode(&[0; 32]);
    let (first, last) = (b"age-encryption.org/v1\n", format!("--- {mac}\n"));
    let file = [&first[..], bytes, last.as_bytes()].concat();
    let header = Header::read(&mut &file[..]).expect("stanzas");
    header.stanzas().to_vec()
}

/// The identities of a classical KEM, a hybrid, and an experimental one, which asks the user.
static IDENTITIES: LazyLock<Vec<PqsealIdentity>> = LazyLock::new(|| {
    let kems = ["p384", "mlkem1024-p384", "x25519-kyber768-draft00"];
    let pairs = kems.iter().filter_map(|name| {
        PAIRS
            .iter()
            .find(|pair| pair.kem.info().short_name == *name)
    });
    let identities = pairs.map(|pair| PqsealIdentity::from_key(pair.private.clone()));
    identities.map(|made| made.expect("a key")).collect()
});

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let answers = "-> ok yes\n\n".repeat(8);
    let seed = |machine: u8, commands: &str| {
        let said = [commands, "-> done\n\n", &answers].concat();
        [&[machine], said.as_bytes()].concat()
    };
    let mut seeds: Vec<_> = IDENTITIES
        .iter()
        .flat_map(|identity| {
            let (identity_text, recipient) =
                (identity.to_text().expect("a key"), identity.recipient());
            let key = BASE64_NOPAD.encode(&FILE_KEYS[0]);
            let wrap = format!("-> wrap-file-key\n{key}\n-> extension-labels\n\n");
            let mut unwrap = format!("-> add-identity {}\n\n", *identity_text);
            for (number, key) in FILE_KEYS.into_iter().enumerate() {
                let made = recipient.wrap(&FileKey::new(key)).expect("a key");
                unwrap.extend(made.iter().map(|stanza| command(number, stanza)));
            }
            [
                seed(0, &format!("-> add-recipient {recipient}\n\n{wrap}")),
                seed(0, &format!("-> add-identity {}\n\n{wrap}", *identity_text)),
                seed(1, &unwrap),
            ]
        })
        .collect();
    seeds.push(seed(0, "-> add-recipient age1none\n\n-> grease x\nAAAA\n"));
    seeds.push(seed(1, "-> recipient-stanza 0 pqseal\n\n"));
    seeds
}

/// Formats `recipient-stanza NUMBER KIND ARG...`, with its body in lines of 64 columns.
fn command(number: usize, stanza: &Stanza) -> String {
    let (kind, args) = (&stanza.kind, stanza.args.join(" "));
    let body = BASE64_NOPAD.encode(&stanza.body);
    format!("-> recipient-stanza {number} {kind} {args}\n{body}\n")
}
