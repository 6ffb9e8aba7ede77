//! Real blobs open, and ours open again.

use getrandom::SysRng;
use pqseal_hpke::{Component, Message, Policy};
use pqseal_keys::{base64, public_key, read_public};
use pqseal_matched_data::{
    Error, Frame, OpenOptions, OpenerV1to3, SealOptions, Sealer, Trailing, Version,
};

use crate::common::{self, entry, kem, key_and_blob, pair};

/// The size of a version 3 blob without its plaintext: version, enc, length, tag.
const OVERHEAD: usize = 1 + 32 + 8 + 16;

/// A blob of version 2 under the label `HPKE-07`, made with the crate hpke 0.4.3 for the key of the
/// published blobs; the plaintext is `test matched data`. The other vectors of version 2 have
/// `HPKE-06`.
const HPKE_07: &str = "AmAi7WdAFtNmADSx+Sd7fGL8hczHZiy27Dx4ZLl+VtASEQAAAAAAAABjXpl5fBAh2TNT3IBuk51pg2WsG1wh2hnI++geUbqFmeU=";

#[test]
fn every_vector_opens() {
    let entries = test_vectors::matched_data().entries;
    for entry in &entries {
        let (key, blob) = key_and_blob(entry);
        let frame = Frame::parse(&blob, Trailing::Refuse).unwrap();
        assert_eq!(frame.version as u8, entry.version, "{}", entry.name);
        assert_eq!(
            frame.plaintext_len(),
            entry.plaintext.len(),
            "{}",
            entry.name
        );
        assert_eq!(frame.write(), blob, "{}", entry.name);
        assert_eq!(
            read_public(&entry.public_key, None),
            public_key(&key),
            "{}",
            entry.name
        );
        assert_eq!(
            OpenerV1to3::new(&key).unwrap().open(&frame).as_ref(),
            Ok(&entry.plaintext),
            "{}",
            entry.name
        );
    }
    for version in 1..=3 {
        assert!(
            entries.iter().any(|entry| entry.version == version),
            "no vector of version {version}"
        );
    }
}

#[test]
fn version_2_opens_under_its_second_label() {
    let (key, _) = key_and_blob(&entry("public_v2_test"));
    let blob = base64::decode(HPKE_07.as_bytes()).unwrap();
    let frame = Frame::parse(&blob, Trailing::Refuse).unwrap();
    assert_eq!(frame.version, Version::V2);
    assert_eq!(
        OpenerV1to3::new(&key).unwrap().open(&frame).unwrap(),
        b"test matched data"
    );
}

#[test]
fn what_we_seal_opens_again() {
    let key = pair(kem("x25519"), 1);
    let (sealer, opener) = (
        common::v3_sealer(&key.public).unwrap(),
        OpenerV1to3::new(&key.private).unwrap(),
    );
    let plaintexts: [&[u8]; 4] = [
        b"",
        b"a",
        b"\xff\xfe\x00\xc3\x28 is not UTF-8",
        &[0x5a; 65536],
    ];
    for plaintext in plaintexts {
        let blob = sealer.seal(b"", plaintext, &mut SysRng).unwrap();
        assert_eq!(blob.len(), plaintext.len() + OVERHEAD);
        let frame = Frame::parse(&blob, Trailing::Refuse).unwrap();
        assert_eq!(
            (frame.version, frame.plaintext_len()),
            (Version::V3, plaintext.len())
        );
        assert_eq!(opener.open(&frame).unwrap(), plaintext);
    }
}

#[test]
fn each_seal_has_its_own_encapsulated_key() {
    let sealer = common::v3_sealer(&pair(kem("x25519"), 1).public).unwrap();
    let [a, b] = [(); 2].map(|()| sealer.seal(b"", b"", &mut SysRng).unwrap());
    assert_ne!(a[1..33], b[1..33]);
    assert_ne!(a[41..], b[41..]);
}

#[test]
fn a_batch_seals_each_message_with_its_aad() {
    for (name, version) in [
        ("x25519", 3),
        ("x25519", 4),
        ("p256", 4),
        ("mlkem768-x25519", 4),
    ] {
        let key = pair(kem(name), 1);
        let options = SealOptions {
            version: Some(version),
            ..SealOptions::default()
        };
        let sealer = Sealer::new(&key.public, &options).unwrap();
        let texts: Vec<[u8; 1]> = (0..20).map(|number| [number]).collect();
        let aad_len = usize::from(version == 4);
        let messages: Vec<_> = texts
            .iter()
            .map(|pt| Message {
                aad: &pt[..aad_len],
                pt,
            })
            .collect();
        let blobs = sealer.seal_batch(&messages, &mut SysRng).unwrap();
        assert_eq!(blobs.len(), messages.len());
        for (blob, message) in blobs.iter().zip(messages) {
            let options = OpenOptions {
                aad: message.aad,
                ..common::application()
            };
            let opened = common::open(&key.private, blob, &options).unwrap();
            assert_eq!(opened, message.pt, "{name}, version {version}");
        }
    }
}

#[test]
fn a_batch_of_version_3_has_no_aad() {
    let sealer = common::v3_sealer(&pair(kem("x25519"), 1).public).unwrap();
    let messages = [b"".as_slice(), b"aad"].map(|aad| Message { aad, pt: b"text" });
    let sealed = sealer.seal_batch(&messages, &mut SysRng);
    assert_eq!(sealed, Err(Error::NotInVersion3));
}

#[test]
fn a_key_of_another_kem_is_refused() {
    for key in common::pairs().filter(|key| key.kem.info().short_name != "x25519") {
        assert_eq!(
            OpenerV1to3::new(&key.private).err(),
            Some(Error::WrongKem(Version::V3))
        );
        assert_eq!(
            common::v3_sealer(&key.public).err(),
            Some(Error::WrongKem(Version::V3))
        );
    }
}

#[test]
fn sealing_to_a_low_order_key_is_refused() {
    let key = kem("x25519").deserialize_public_key(&[0; 32]).unwrap();
    let sealed =
        common::v3_sealer(&key).and_then(|sealer| sealer.seal(b"", b"secret", &mut SysRng));
    assert_eq!(sealed, Err(Error::Hpke(pqseal_hpke::Error::Validation)));
}

#[test]
fn the_version_follows_from_key_and_options() {
    let [x25519, p256] = ["x25519", "p256"].map(|name| pair(kem(name), 1).public);
    let plain = SealOptions::default();
    assert_eq!(plain.version_for(&x25519), Ok(3));
    assert_eq!(plain.version_for(&p256), Ok(4));
    let more: [SealOptions<'_>; 4] = [
        SealOptions {
            kdf: Some(1),
            ..plain.clone()
        },
        SealOptions {
            aead: Some(1),
            ..plain.clone()
        },
        SealOptions {
            info: b"info",
            ..plain.clone()
        },
        SealOptions {
            with_aad: true,
            ..plain.clone()
        },
    ];
    for options in more {
        assert_eq!(options.version_for(&x25519), Ok(4));
        let third = SealOptions {
            version: Some(3),
            ..options
        };
        assert_eq!(
            Sealer::new(&x25519, &third).err(),
            Some(Error::NotInVersion3)
        );
    }
    for version in [0, 1, 2, 5] {
        let options = SealOptions {
            version: Some(version),
            ..plain.clone()
        };
        assert_eq!(options.version_for(&x25519), Err(Error::NotSealed(version)));
    }
    let sealer = Sealer::new(&x25519, &plain).unwrap();
    assert_eq!(sealer.version(), 3);
    assert_eq!(
        sealer.seal(b"aad", b"", &mut SysRng),
        Err(Error::NotInVersion3)
    );
    let denied = SealOptions {
        policy: Policy::draft().deny(Component::Kem, 0x0020),
        ..plain
    };
    assert!(Sealer::new(&x25519, &denied).is_err());
}
