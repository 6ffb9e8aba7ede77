//! Several keys: the one that opens a blob, and the error if none does.

use getrandom::SysRng;
use pqseal_hpke::{AnyPrivateKey, Mode, Policy, Suite, SuiteId};
use pqseal_keys::{Fingerprint, base64};
use pqseal_matched_data::{
    Blob, Error, KeyRing, OpenOptions, Opened, OpenerV1to3, OpenerV4, SealedRecord, SealedText,
    Trailing, Version,
};

use crate::common::{self, assert_hides, bytes, entry, kem, key_and_blob, pair, pairs, seal_v4};

fn ring<'a>(keys: impl IntoIterator<Item = &'a AnyPrivateKey>) -> KeyRing {
    let mut ring = KeyRing::new();
    keys.into_iter().for_each(|key| ring.add(key).unwrap());
    ring
}

fn open(ring: &KeyRing, blob: &[u8]) -> Result<Opened, Error> {
    ring.open(
        &Blob::parse(blob, Trailing::Refuse)?,
        &common::application(),
    )
}

fn opened(key: usize, plaintext: &[u8]) -> Result<Opened, Error> {
    Ok(Opened {
        key,
        plaintext: plaintext.to_vec(),
    })
}

/// A version 4 blob of nothing but a plaintext, in HKDF-SHA256 and ChaCha20Poly1305.
fn seal(key: &common::Pair, plaintext: &[u8]) -> Vec<u8> {
    seal_v4(key, 1, 3, [b"", b""], plaintext)
}

#[test]
fn the_first_key_that_opens_is_reported_by_its_place() {
    let others = [2, 3, 4].map(|number| pair(kem("x25519"), number).private);
    for name in ["public_v1_readme", "public_v2_test", "public_v3_docs"] {
        let entry = entry(name);
        let (key, blob) = key_and_blob(&entry);
        for place in 0..=others.len() {
            let mut keys = others.to_vec();
            keys.insert(place, key.clone());
            keys.push(key.clone());
            assert_eq!(
                open(&ring(&keys), &blob),
                opened(place, &entry.plaintext),
                "{name}"
            );
        }
    }
}

#[test]
fn every_key_opens_its_own() {
    let keys = [1, 2, 3, 4].map(|number| pair(kem("x25519"), number));
    let ring = ring(keys.iter().map(|key| &key.private));
    for (place, key) in keys.iter().enumerate() {
        let v3 = common::v3_sealer(&key.public)
            .unwrap()
            .seal(b"", &[1, 2, 3], &mut SysRng)
            .unwrap();
        assert_eq!(open(&ring, &v3), opened(place, &[1, 2, 3]));
        assert_eq!(
            open(&ring, &seal(key, &[4, 5, 6])),
            opened(place, &[4, 5, 6])
        );
    }
}

#[test]
fn one_ring_holds_keys_of_every_kem_and_opens_every_version() {
    let keys: Vec<_> = pairs().collect();
    let mut ring = ring(keys.iter().map(|key| &key.private));
    let ids: Vec<_> = keys
        .iter()
        .map(|key| Fingerprint::of(&key.public).key_id())
        .collect();
    assert!(ring.key_ids().eq(ids));
    for (place, key) in keys.iter().enumerate() {
        assert_eq!(open(&ring, &seal(key, b"v4")), opened(place, b"v4"));
    }
    let old = entry("public_v1_readme");
    let (key, blob) = key_and_blob(&old);
    assert_eq!(open(&ring, &blob), Err(Error::NoKeyOpens));
    ring.add(&key).unwrap();
    assert_eq!(open(&ring, &blob), opened(keys.len(), &old.plaintext));
}

#[test]
fn keys_are_named_in_their_order_with_their_labels() {
    let keys = [("x25519", 1), ("mlkem768-x25519", 2), ("x25519", 3)]
        .map(|(name, number)| pair(kem(name), number));
    let mut ring = KeyRing::new();
    for (key, label) in keys.iter().zip([Some("edge"), None, Some("old")]) {
        ring.add_labelled(&key.private, label).unwrap();
    }
    let [a, b, c] = keys
        .each_ref()
        .map(|key| Fingerprint::of(&key.public).key_id());
    let names = [format!("{a} (edge)"), b.to_string(), format!("{c} (old)")];
    assert!(ring.names().map(ToString::to_string).eq(names.clone()));
    assert_eq!(
        ring.name(1).map(ToString::to_string),
        Some(names[1].clone())
    );
    // Only the X25519 keys are tried for versions 1 to 3.
    let [first, _, last] = names;
    assert!(
        ring.legacy_key_names()
            .map(ToString::to_string)
            .eq([first, last])
    );
}

/// The id decides: the right key under another id is not tried, and the key of the id is.
#[test]
fn version_4_opens_only_with_the_named_key() {
    let [a, b] = [1, 2].map(|number| pair(kem("x25519"), number));
    let ring = ring([&a.private, &b.private]);
    let mut blob = seal(&a, b"for a");
    assert_eq!(open(&ring, &blob), opened(0, b"for a"));
    blob[7..15].copy_from_slice(Fingerprint::of(&b.public).key_id().as_ref());
    assert_eq!(open(&ring, &blob), Err(Error::Altered));
    let Blob::V4(frame) = Blob::parse(&blob, Trailing::Refuse).unwrap() else {
        unreachable!()
    };
    let opener = OpenerV4::new(&a.private, frame.suite(), b"", &Policy::draft()).unwrap();
    assert_eq!(opener.open(&frame, b""), Err(Error::NoKeyOpens));
}

/// A sender can seal to one key under a header that names another, and bind that header.
#[test]
fn a_key_does_not_open_what_names_another() {
    let [a, b] = [1, 2].map(|number| pair(kem("x25519"), number));
    let id = SuiteId::new(0x0020, 1, 3);
    let suite = Suite::from_id(pqseal_keys::KEMS, id, &Policy::draft()).unwrap();
    let info = b"pqseal matched-data v4\0";
    for named in [&a, &b] {
        let own = seal(named, b"");
        let header = &own[..15];
        let (enc, ct) = suite
            .seal(&a.public, info, Mode::Base, header, b"for a", &mut SysRng)
            .unwrap();
        let blob = [header, enc.as_ref(), &ct].concat();
        let Blob::V4(frame) = Blob::parse(&blob, Trailing::Refuse).unwrap() else {
            unreachable!()
        };
        let opener = OpenerV4::new(&a.private, id, b"", &Policy::draft()).unwrap();
        let expected = match std::ptr::eq(named, &a) {
            true => Ok(b"for a".to_vec()),
            false => Err(Error::NoKeyOpens),
        };
        assert_eq!(opener.open(&frame, b""), expected);
    }
}

#[test]
fn version_4_says_which_key_is_missing() {
    let [a, b, c] = [1, 2, 3].map(|number| pair(kem("mlkem768-x25519"), number));
    let [wanted, second, third] = [&a, &b, &c].map(|key| Fingerprint::of(&key.public).key_id());
    let blob = seal(&a, b"for a");
    let without = open(&ring([&b.private, &c.private]), &blob).unwrap_err();
    assert_eq!(
        without,
        Error::NoKeyWithId {
            wanted,
            have: vec![second, third],
            count: 2,
        }
    );
    assert_eq!(
        without.to_string(),
        format!("the blob was sealed to the key {wanted}; given: {second}, {third}")
    );
    let empty = open(&KeyRing::new(), &blob).unwrap_err();
    assert_eq!(
        empty,
        Error::NoKeyWithId {
            wanted,
            have: vec![],
            count: 0,
        }
    );
    assert_eq!(
        empty.to_string(),
        format!("the blob was sealed to the key {wanted}; given: none")
    );
}

#[test]
fn versions_1_to_3_need_an_x25519_key() {
    let without = ring(
        &pairs()
            .filter(|key| key.kem.info().id != 0x0020)
            .map(|key| key.private)
            .collect::<Vec<_>>(),
    );
    let others = ring(&[2, 3].map(|number| pair(kem("x25519"), number).private));
    let cases = [
        ("public_v1_readme", Version::V1),
        ("public_v2_test", Version::V2),
        ("public_v3_docs", Version::V3),
    ];
    for (name, version) in cases {
        let (_, blob) = key_and_blob(&entry(name));
        for ring in [&KeyRing::new(), &without] {
            assert_eq!(open(ring, &blob), Err(Error::NoX25519Key(version)));
        }
        assert_eq!(open(&others, &blob), Err(Error::NoKeyOpens));
    }
}

/// A batch of every version, key and way to fail, with and without hints: each answer is that of
/// `open`, in its place.
#[test]
fn a_batch_answers_as_one_by_one() {
    let keys: Vec<_> = pairs()
        .chain([2, 3].map(|number| pair(kem("x25519"), number)))
        .collect();
    let mut ring = ring(keys.iter().map(|key| &key.private));
    let mut blobs: Vec<_> = keys.iter().map(|key| seal(key, b"v4")).collect();
    for name in ["public_v1_readme", "public_v2_test", "public_v3_docs"] {
        blobs.push(key_and_blob(&entry(name)).1);
    }
    for key in [
        &keys[keys.len() - 1],
        &keys[keys.len() - 2],
        &pair(kem("x25519"), 9),
    ] {
        blobs.push(
            common::v3_sealer(&key.public)
                .unwrap()
                .seal(b"", b"v3", &mut SysRng)
                .unwrap(),
        );
    }
    blobs.push(seal(&pair(kem("x25519"), 9), b"stranger"));
    let mut altered = seal(&keys[0], b"altered");
    *altered.last_mut().unwrap() ^= 1;
    blobs.push(altered);
    ring.add(&key_and_blob(&entry("public_v1_readme")).0)
        .unwrap();
    let parsed: Vec<_> = blobs
        .iter()
        .map(|blob| Blob::parse(blob, Trailing::Refuse).unwrap())
        .collect();
    for hint in [
        None,
        Some(0),
        Some(keys.len() - 1),
        Some(keys.len()),
        Some(999),
    ] {
        let records: Vec<_> = parsed
            .iter()
            .map(|blob| SealedRecord {
                blob: *blob,
                aad: None,
                hint,
            })
            .collect();
        let answers = ring.open_batch(&records, &OpenOptions::default());
        let one_by_one: Vec<_> = parsed
            .iter()
            .map(|blob| ring.open(blob, &OpenOptions::default()))
            .collect();
        assert_eq!(answers, one_by_one, "{hint:?}");
    }
    let no_keys = KeyRing::new().open_batch(&[parsed[0].into()], &OpenOptions::default());
    assert!(matches!(no_keys[..], [Err(Error::NoKeyWithId { .. })]));
}

#[test]
fn texts_have_the_answers_of_the_three_steps_in_order() {
    let (key, blob) = key_and_blob(&entry("public_v3_docs"));
    let ring = ring([&key]);
    let text = base64::encode(&blob);
    let (whole, cut) = (text.as_bytes(), &text.as_bytes()[..40]);
    let texts: [&[u8]; 8] = [
        b"truncated",
        whole,
        b"???",
        b" ",
        cut,
        b"AAAA",
        &blob,
        whole,
    ];
    let options = OpenOptions::default();
    let steps = |text: &[u8]| {
        let bytes = Blob::decode_text_or_bytes(text)?;
        ring.open(&Blob::parse(&bytes, Trailing::Refuse)?, &options)
    };
    let answers = ring.open_texts(texts, &options);
    assert_eq!(answers, texts.map(steps));
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    assert_eq!(answers[0], Err(Error::Truncated));
    assert_eq!(ring.open_texts([""; 0], &options), []);
}

#[test]
fn versions_below_the_minimum_are_refused() {
    let names = ["public_v1_readme", "public_v2_test", "public_v3_docs"];
    let mut blobs = names.map(|name| key_and_blob(&entry(name))).to_vec();
    let key = pair(kem("x25519"), 9);
    blobs.push((key.private.clone(), seal(&key, b"four")));
    let mut ring = ring(blobs.iter().map(|(key, _)| key));
    for minimum in 0..=4 {
        ring.require_version(minimum);
        for (found, (_, blob)) in (1..).zip(&blobs) {
            let blob = Blob::parse(blob, Trailing::Refuse).unwrap();
            let one = ring.open(&blob, &OpenOptions::default());
            if found < minimum {
                assert_eq!(one, Err(Error::VersionRefused { found, minimum }));
            } else {
                assert!(one.is_ok(), "{found} {minimum}");
            }
            let record = SealedRecord::from(blob);
            let batch = ring.open_batch(&[record, record], &OpenOptions::default());
            assert!(batch.len() == 2 && batch.iter().all(|answer| *answer == one));
        }
    }
}

#[test]
fn each_record_of_a_batch_has_its_own_aad() {
    let key = pair(kem("x25519"), 1);
    let ring = ring([&key.private]);
    let blobs = [b"a", b"b", b"a"].map(|aad| seal_v4(&key, 1, 3, [b"", aad], b"bound"));
    let aads: [Option<&[u8]>; 3] = [Some(b"a"), Some(b"a"), None];
    let parse = |blob| Blob::parse(blob, Trailing::Refuse).unwrap();
    let records: Vec<_> = blobs
        .iter()
        .zip(aads)
        .map(|(blob, aad)| SealedRecord {
            blob: parse(blob),
            aad,
            hint: None,
        })
        .collect();
    let application = OpenOptions {
        aad: b"a",
        ..OpenOptions::default()
    };
    let answers = ring.open_batch(&records, &application);
    assert_eq!(
        answers,
        [
            opened(0, b"bound"),
            Err(Error::Altered),
            opened(0, b"bound")
        ]
    );
    let texts = blobs.each_ref().map(|blob| base64::encode(blob));
    let texts = texts.iter().zip(aads).map(|(text, aad)| {
        let text = text.as_bytes();
        SealedText { text, aad }
    });
    assert_eq!(ring.open_texts(texts, &application), answers);
}

#[test]
fn debug_shows_no_private_key() {
    for key in pairs() {
        let text = format!(
            "{:?} {:?}",
            ring([&key.private]),
            OpenerV1to3::new(&key.private)
        );
        assert_hides(&text, &bytes(&key.private));
    }
}
