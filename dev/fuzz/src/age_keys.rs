//! Files of recipients and of identities: keys of age, of SSH, of plugins and of pqseal.

use std::sync::Arc;

use pqseal_age::{
    FileKey, Identity,
    keys::{Reader, identity_text, recipient_text},
    plugin::NoUi,
};
use pqseal_hpke::Status;

use crate::{
    samples::{PAIRS, everything},
    ssh,
};

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
    let of_pair = |pair: &crate::samples::Pair| {
        let recipient = recipient_text(&pair.public).expect("a key of the registry");
        let identity = identity_text(&pair.private).expect("a key of the registry");
        [
            recipient.clone().into_bytes(),
            format!("# public key: {recipient}\n{}\n", *identity).into_bytes(),
        ]
    };
    let of_ssh = |key: ssh::Key| [key.public.into_bytes(), key.private.into_bytes()];
    let plugins = [
        "age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t",
        "AGE-PLUGIN-YUBIKEY-1GKZHGQYZ9N5Q8P",
    ];
    let mut seeds: Vec<Vec<u8>> = pairs.flat_map(of_pair).collect();
    seeds.extend(ssh::keys().into_iter().flat_map(of_ssh));
    seeds.extend(plugins.map(|text| text.as_bytes().to_vec()));
    // Several lines, one of which is skipped.
    let lines: Vec<_> = ssh::keys().into_iter().map(|key| key.public).collect();
    seeds.push(lines.concat().into_bytes());
    seeds
}
