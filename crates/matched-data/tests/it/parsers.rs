//! No input panics a parser, neither arbitrary nor one that is nearly right.

use std::sync::LazyLock;

use pqseal_keys::{
    kems, public_key, read_private, read_private_der, read_public, read_public_der, write_private,
    write_private_der, write_public, write_public_der,
};
use pqseal_matched_data::{Blob, Frame, KeyRing, Trailing};
use proptest::{prelude::*, sample::Index};

use crate::common::{self, FORMS, bytes, pairs};

/// One key of every KEM.
static RING: LazyLock<KeyRing> = LazyLock::new(|| {
    let mut ring = KeyRing::new();
    pairs().for_each(|key| ring.add(&key.private).unwrap());
    ring
});

/// A change to valid input.
#[derive(Clone, Debug)]
enum Change {
    Set(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Remove(Index, u8),
    Double(Index),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        any::<Index>().prop_map(Change::Cut),
        (any::<Index>(), any::<Vec<u8>>()).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (any::<Index>(), 1..9u8).prop_map(|(at, count)| Change::Remove(at, count)),
        any::<Index>().prop_map(Change::Double),
    ]
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec(change(), 1..4)
}

fn apply(input: &[u8], changes: &[Change]) -> Vec<u8> {
    changes.iter().fold(input.to_vec(), |mut bytes, change| {
        let place = |at: &Index| at.index(bytes.len() + 1);
        match change {
            Change::Set(at, byte) => {
                let place = place(at);
                bytes
                    .get_mut(place)
                    .into_iter()
                    .for_each(|old| *old = *byte);
            }
            Change::Cut(at) => bytes.truncate(place(at)),
            Change::Insert(at, new) => {
                drop(bytes.splice(place(at)..place(at), new.iter().copied()))
            }
            Change::Remove(at, count) => {
                let (start, end) = (place(at), bytes.len().min(place(at) + usize::from(*count)));
                drop(bytes.drain(start..end));
            }
            Change::Double(at) => bytes.extend_from_within(place(at)..),
        }
        bytes
    })
}

/// Every text form of one key of every KEM.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    pairs()
        .flat_map(|key| {
            let private = FORMS.map(|form| {
                write_private(&key.private, form)
                    .ok()
                    .map(|text| text.to_string())
            });
            private
                .into_iter()
                .chain(FORMS.map(|form| write_public(&key.public, form).ok()))
                .flatten()
        })
        .collect()
});

/// The DER of one key of every KEM that has one.
static DERS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    pairs()
        .filter_map(|key| {
            Some([
                write_private_der(&key.private).ok()?.to_vec(),
                write_public_der(&key.public).ok()?,
            ])
        })
        .flatten()
        .collect()
});

/// Reads a text in every way; a private key that is read has the public key that is read.
fn read_text(text: &str) {
    for kem in [None].into_iter().chain(kems().map(Some)) {
        let (private, public) = (read_private(text, kem), read_public(text, kem));
        if let Ok(private) = &private
            && !is_raw(text)
        {
            assert_eq!(public_key(private), public);
        }
    }
}

/// A raw text is a private and a public key at once.
fn is_raw(text: &str) -> bool {
    !text.contains(['{', ':']) && !text.contains("-----BEGIN ")
}

fn read_der(der: &[u8]) {
    let (private, public) = (read_private_der(der), read_public_der(der));
    if let Ok(private) = private {
        assert_eq!(public_key(&private), public);
        let again = read_private_der(&write_private_der(&private).unwrap()).unwrap();
        assert_eq!(bytes(&again), bytes(&private));
    }
}

proptest! {
    #[test]
    fn arbitrary_frames(blob: Vec<u8>) {
        for trailing in [Trailing::Refuse, Trailing::Ignore] {
            let _ = Frame::parse(&blob, trailing);
            let _ = Blob::parse(&blob, trailing);
        }
    }

    /// Tests inputs that begin like a version 4 blob, mostly with known ids.
    #[test]
    fn frames_of_version_4(kem in any::<Index>(), ids in any::<[u8; 4]>(), key in any::<Index>(), rest: Vec<u8>, size in 0..2000usize) {
        let kem = kems().nth(kem.index(kems().count())).unwrap().info().id.to_be_bytes();
        let id = RING.key_ids().nth(key.index(RING.key_ids().count())).unwrap();
        let ids = [0, ids[0] % 0x15, 0, ids[2] % 5];
        let rest: Vec<u8> = rest.iter().copied().cycle().take(if rest.is_empty() { 0 } else { size }).collect();
        let blob = [&[4][..], &kem, &ids, id.as_ref(), &rest].concat();
        for place in [0, 3, 14, 15, blob.len()] {
            if let Ok(blob) = Blob::parse(&blob[..blob.len().min(place)], Trailing::Refuse) {
                prop_assert!(RING.open(&blob, &common::application()).is_err());
            }
        }
    }

    /// A parsed frame equals the blob, except for trailing bytes.
    #[test]
    fn frames_write_what_was_parsed(version in 1..4u8, enc: [u8; 32], length in 0..40u64, rest: Vec<u8>) {
        let blob = [&[version][..], &enc, &length.to_le_bytes(), &rest].concat();
        if let Ok(frame) = Frame::parse(&blob, Trailing::Ignore) {
            prop_assert!(blob.starts_with(&frame.write()));
            prop_assert_eq!(frame.plaintext_len() as u64, length);
        }
        if let Ok(frame) = Frame::parse(&blob, Trailing::Refuse) {
            prop_assert_eq!(frame.write(), blob);
        }
    }

    #[test]
    fn arbitrary_texts(text: String) {
        read_text(&text);
    }

    #[test]
    fn texts_that_begin_well(start in 0..8usize, text: String) {
        let starts = [
            "{\"kty\":", "{\"private_key\":\"", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\n",
            "pqseal-private-key:", "pqseal-public-key:x25519:", "-----BEGIN -----END ", "-----BEGIN -----BEGIN -----",
        ];
        read_text(&[starts[start], &text].concat());
    }

    #[test]
    fn changed_texts(which: Index, changes in changes()) {
        let changed = apply(which.get::<String>(&TEXTS).as_bytes(), &changes);
        read_text(&String::from_utf8_lossy(&changed));
    }

    #[test]
    fn arbitrary_der(der: Vec<u8>) {
        read_der(&der);
    }

    #[test]
    fn changed_der(which: Index, changes in changes()) {
        read_der(&apply(which.get::<Vec<u8>>(&DERS), &changes));
    }
}

/// Sets every byte of every DER to each of a few values, and cuts it everywhere.
#[test]
fn der_changed_at_every_byte() {
    for der in DERS.iter() {
        for place in 0..der.len() {
            read_der(&der[..place]);
            for byte in [0x00, 0x01, 0x30, 0x7f, 0x80, 0x84, 0xff, der[place] ^ 1] {
                let mut changed = der.clone();
                changed[place] = byte;
                read_der(&changed);
            }
        }
    }
}
