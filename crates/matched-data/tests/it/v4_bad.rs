//! Version 4: no altered blob opens, none panics, and each has its own error.

use getrandom::SysRng;
use pqseal_hpke::{
    AEADS, Aead, AnyPublicKey, Component, KDFS, Policy, Status, SuiteId, Unsupported,
    UnsupportedReason,
};
use pqseal_keys::{
    Fingerprint, KeyFormat, KeyId, REFUSED_KEMS, kem_by_id, kems, refused_kem_by_id,
};
use pqseal_matched_data::{Blob, Error, FrameV4, HeaderV4, OpenOptions, OpenerV4, Trailing};

use crate::common::{self, everything, holds, kem, open, pair, pairs, seal_v4};

const INFO: &[u8] = b"zone 7";
const AAD: &[u8] = b"event 42";
const PLAINTEXT: &[u8] = b"GET /?q=<script>";
const APPLICATION: fn() -> OpenOptions<'static> = || OpenOptions {
    info: INFO,
    aad: AAD,
    policy: everything(),
};

/// HKDF-SHA256 and SHAKE256, which is one-stage; both with ChaCha20Poly1305.
const KDFS_HERE: [u16; 2] = [0x0001, 0x0011];
const CHACHA: u16 = 3;

/// The offsets of the header's fields and of the encapsulated key.
const KEM: usize = 1;
const KDF: usize = 3;
const AEAD: usize = 5;
const KEY_ID: usize = 7;
const ENC: usize = 15;

/// A key of every KEM, and a blob for it.
fn blobs() -> impl Iterator<Item = (common::Pair, Vec<u8>)> {
    pairs().flat_map(|key| {
        KDFS_HERE.map(|kdf| {
            (
                pair(key.kem, 7),
                seal_v4(&key, kdf, CHACHA, [INFO, AAD], PLAINTEXT),
            )
        })
    })
}

fn unknown(component: Component, id: u16) -> Error {
    unsupported(component, id, UnsupportedReason::Unknown)
}

fn unsupported(component: Component, id: u16, reason: UnsupportedReason) -> Error {
    Error::Hpke(Unsupported::new(component, id, reason).into())
}

/// The id at a place of the header.
fn id_at(blob: &[u8], place: usize) -> u16 {
    u16::from_be_bytes([blob[place], blob[place + 1]])
}

fn with_id(blob: &[u8], place: usize, id: u16) -> Vec<u8> {
    let mut blob = blob.to_vec();
    blob[place..place + 2].copy_from_slice(&id.to_be_bytes());
    blob
}

#[test]
fn another_info_or_aad() {
    for (key, blob) in blobs() {
        assert_eq!(
            open(&key.private, &blob, &APPLICATION()).as_deref(),
            Ok(PLAINTEXT)
        );
        let others: [(&[u8], &[u8]); 6] = [
            (b"", AAD),
            (INFO, b""),
            (AAD, INFO),
            (b"zone 8", AAD),
            (INFO, b"event 42 "),
            (b"zone 7\0", AAD),
        ];
        for (info, aad) in others {
            let application = OpenOptions {
                info,
                aad,
                ..APPLICATION()
            };
            assert_eq!(
                open(&key.private, &blob, &application),
                Err(Error::Altered),
                "{info:?} {aad:?}"
            );
        }
    }
}

#[test]
fn every_bit_of_the_header() {
    for (key, blob) in blobs() {
        for bit in 0..ENC * 8 {
            let mut altered = blob.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            let error = open(&key.private, &altered, &APPLICATION()).unwrap_err();
            assert!(
                is_right(&error, bit / 8, &altered, &key.public),
                "{bit} of {:?}: {error:?}",
                key.public.kem()
            );
        }
    }
}

/// Reports whether the error names the field of the altered byte.
fn is_right(error: &Error, place: usize, altered: &[u8], key: &AnyPublicKey) -> bool {
    match place {
        0 => *error == Error::UnsupportedVersion(altered[0]),
        KEM..KDF => is_right_for_kem(error, id_at(altered, KEM), altered.len()),
        KDF..AEAD => is_right_for(
            error,
            Component::Kdf,
            id_at(altered, KDF),
            &KDFS.iter().map(|kdf| kdf.info().id),
        ),
        AEAD..KEY_ID => is_right_for(
            error,
            Component::Aead,
            id_at(altered, AEAD),
            &AEADS.iter().map(|aead| aead.info().id),
        ),
        _ => {
            let wanted = KeyId::new(altered[KEY_ID..ENC].try_into().unwrap());
            *error
                == Error::NoKeyWithId {
                    wanted,
                    have: vec![Fingerprint::of(key).key_id()],
                    count: 1,
                }
        }
    }
}

/// A known id is another algorithm, with which the blob does not open.
fn is_right_for(
    error: &Error,
    component: Component,
    id: u16,
    known: &(impl Iterator<Item = u16> + Clone),
) -> bool {
    *error
        == if known.clone().any(|known| known == id) {
            Error::Altered
        } else {
            unknown(component, id)
        }
}

fn is_right_for_kem(error: &Error, id: u16, found: usize) -> bool {
    *error
        == match (kem_by_id(id), refused_kem_by_id(id)) {
            (Some(kem), _) => match ENC + kem.info().n_enc + 16 {
                needed if needed > found => Error::TooShort {
                    needed: needed as u64,
                    found,
                },
                _ => Error::KeyOfAnotherKem,
            },
            (None, Some(refused)) => Error::RefusedKem(refused),
            (None, None) => unknown(Component::Kem, id),
        }
}

#[test]
fn cut_at_every_byte() {
    for (key, blob) in blobs() {
        let whole = ENC + key.kem.info().n_enc + 16;
        for found in 0..blob.len() {
            let error = match found {
                0 => Error::Empty,
                1..ENC => Error::TooShort { needed: 31, found },
                _ if found < whole => Error::TooShort {
                    needed: whole as u64,
                    found,
                },
                _ => Error::Altered,
            };
            assert_eq!(
                open(&key.private, &blob[..found], &APPLICATION()),
                Err(error),
                "cut to {found}"
            );
        }
    }
}

/// Appended bytes become part of the ciphertext, whatever the setting for trailing bytes of other
/// versions.
#[test]
fn extended() {
    for (key, blob) in blobs() {
        for extra in [1, 2, 16, 1000] {
            let longer = [blob.clone(), vec![0; extra]].concat();
            assert_eq!(
                open(&key.private, &longer, &APPLICATION()),
                Err(Error::Altered)
            );
            let [refuse, ignore] =
                [Trailing::Refuse, Trailing::Ignore].map(|trailing| Blob::parse(&longer, trailing));
            assert_eq!(refuse, ignore);
        }
    }
}

/// Tests every byte at the edges of the parts, and every 17th, with one KDF only: detection of such
/// a change does not depend on the KDF.
#[test]
fn flipped_bits_after_the_header() {
    for (key, blob) in blobs().step_by(KDFS_HERE.len()) {
        let ct = ENC + key.kem.info().n_enc;
        let near = |place: usize, edge: usize| place.abs_diff(edge) < 3;
        for place in (ENC..blob.len())
            .filter(|&place| place % 17 == 0 || near(place, ct) || near(place, ENC))
        {
            let mut altered = blob.clone();
            altered[place] ^= 1 << (place % 8);
            let opened = open(&key.private, &altered, &APPLICATION());
            assert_eq!(
                opened,
                Err(Error::Altered),
                "byte {place} of {}",
                key.kem.info().name
            );
        }
    }
}

/// The rest of a blob under another KEM's header and the reverse, with the key id of the header's
/// key.
#[test]
fn the_ciphertext_of_another_kem() {
    let blobs: Vec<_> = blobs().collect();
    for (key, head) in &blobs {
        for (_, tail) in blobs
            .iter()
            .filter(|(other, _)| other.kem.info().id != key.kem.info().id)
        {
            let mixed = [&head[..ENC], &tail[ENC..]].concat();
            let needed = ENC + key.kem.info().n_enc + 16;
            let error = match mixed.len() {
                found if found < needed => Error::TooShort {
                    needed: needed as u64,
                    found,
                },
                _ => Error::Altered,
            };
            assert_eq!(open(&key.private, &mixed, &APPLICATION()), Err(error));
        }
    }
}

/// The same key id and ciphertext, where the KEMs' sizes are the same.
#[test]
fn kems_of_one_size_are_not_mixed_up() {
    let key = pair(kem("mlkem768-x25519"), 1);
    let blob = seal_v4(&key, 1, CHACHA, [INFO, AAD], PLAINTEXT);
    let altered = with_id(&blob, KEM, 0x0030);
    assert_eq!(
        open(&key.private, &altered, &APPLICATION()),
        Err(Error::KeyOfAnotherKem)
    );
    for other in pairs().filter(|other| other.kem.info().id != 0x647a) {
        let id = SuiteId::new(0x647a, 1, CHACHA);
        let opener = OpenerV4::new(&other.private, id, INFO, &everything());
        assert_eq!(
            opener.err(),
            Some(Error::Hpke(pqseal_hpke::Error::KeyMismatch))
        );
    }
}

#[test]
fn unknown_algorithms() {
    for (key, blob) in blobs() {
        for id in [0x0000, 0x0043, 0x0099, 0xff26, 0xffff] {
            assert_eq!(
                FrameV4::parse(&with_id(&blob, KEM, id)),
                Err(unknown(Component::Kem, id))
            );
        }
        for (place, component, ids) in [
            (KDF, Component::Kdf, [0, 4, 0x14, 0xffff]),
            (AEAD, Component::Aead, [0, 4, 0x100, 0xfffe]),
        ] {
            for id in ids {
                let opened = open(&key.private, &with_id(&blob, place, id), &APPLICATION());
                assert_eq!(opened, Err(unknown(component, id)));
            }
        }
    }
}

#[test]
fn export_only_seals_nothing() {
    let error = Error::Hpke(pqseal_hpke::Error::ExportOnly);
    for (key, blob) in blobs() {
        assert_eq!(
            open(&key.private, &with_id(&blob, AEAD, 0xffff), &APPLICATION()),
            Err(error.clone())
        );
        let sealer = common::v4_sealer(&key.public, 1, 0xffff, INFO, &everything());
        assert_eq!(sealer.map(drop), Err(error.clone()));
    }
}

#[test]
fn refused_kems_say_why() {
    for (_, blob) in blobs() {
        for id in [0x0013, 0x0014, 0x0015, 0x0016] {
            let error = FrameV4::parse(&with_id(&blob, KEM, id)).unwrap_err();
            assert_eq!(error, Error::RefusedKem(refused_kem_by_id(id).unwrap()));
            assert!(error.to_string().contains("not supported"));
        }
    }
    assert!(
        REFUSED_KEMS
            .iter()
            .filter_map(|kem| kem.id)
            .all(|id| kem_by_id(id).is_none())
    );
}

/// If a blob cannot be parsed, only its header is read, and the description contains the problem.
#[test]
fn the_header_of_any_suite() {
    for (key, blob) in blobs() {
        let check = |blob: &[u8]| HeaderV4::parse(blob).unwrap().check(&everything());
        let frame = FrameV4::parse(&blob).unwrap();
        let header = HeaderV4 {
            suite: frame.suite(),
            key_id: frame.key_id(),
        };
        assert_eq!(HeaderV4::parse(&blob[..ENC]), Ok(header));
        assert_eq!(header.check(&everything()), Ok(()));
        let refused = check(&with_id(&blob, KEM, 0x0016));
        assert_eq!(
            refused,
            Err(Error::RefusedKem(refused_kem_by_id(0x0016).unwrap()))
        );
        assert_eq!(
            check(&with_id(&blob, KEM, 0x0099)),
            Err(unknown(Component::Kem, 0x0099))
        );
        assert_eq!(
            check(&with_id(&blob, KDF, 0x0099)),
            Err(unknown(Component::Kdf, 0x0099))
        );
        assert_eq!(
            check(&with_id(&blob, AEAD, 0xffff)),
            Err(Error::Hpke(pqseal_hpke::Error::ExportOnly))
        );
        assert_eq!(header.key_id, Fingerprint::of(&key.public).key_id());
        for found in 1..ENC {
            assert_eq!(
                HeaderV4::parse(&blob[..found]),
                Err(Error::TooShort { needed: 31, found })
            );
        }
    }
    assert_eq!(HeaderV4::parse(&[]), Err(Error::Empty));
    assert_eq!(HeaderV4::parse(&[3; 64]), Err(Error::UnsupportedVersion(3)));
}

/// A policy that allows only standards allows no draft, to seal or to open, and one that allows
/// drafts nothing experimental.
#[test]
fn the_policy_decides() {
    for (key, blob) in blobs() {
        let policy = Policy::draft();
        let (id, status) = (key.kem.info().id, key.kem.info().status);
        let why = UnsupportedReason::Status(status);
        let error = (status == Status::Experimental).then(|| unsupported(Component::Kem, id, why));
        assert_eq!(
            open(
                &key.private,
                &blob,
                &OpenOptions {
                    policy: policy.clone(),
                    ..APPLICATION()
                }
            )
            .err(),
            error
        );
        assert_eq!(
            common::v4_sealer(&key.public, 1, CHACHA, INFO, &policy).err(),
            error
        );
    }
    let policy = Policy::standard();
    for (key, blob) in blobs() {
        let (id, status) = (key.kem.info().id, key.kem.info().status);
        let kdf = id_at(&blob, KDF);
        let error = match status {
            Status::Standard if kdf == 1 => None,
            Status::Standard => {
                let status = KDFS
                    .iter()
                    .find(|found| found.info().id == kdf)
                    .unwrap()
                    .info()
                    .status;
                Some(unsupported(
                    Component::Kdf,
                    kdf,
                    UnsupportedReason::Status(status),
                ))
            }
            _ => Some(unsupported(
                Component::Kem,
                id,
                UnsupportedReason::Status(status),
            )),
        };
        let opened = open(
            &key.private,
            &blob,
            &OpenOptions {
                policy: policy.clone(),
                ..APPLICATION()
            },
        );
        assert_eq!(opened.err(), error);
        assert_eq!(
            common::v4_sealer(&key.public, kdf, CHACHA, INFO, &policy).err(),
            error
        );
    }
    let denied = OpenOptions {
        policy: Policy::draft().deny(Component::Aead, CHACHA),
        ..APPLICATION()
    };
    let (key, blob) = blobs().next().unwrap();
    let error = unsupported(Component::Aead, CHACHA, UnsupportedReason::Denied);
    assert_eq!(open(&key.private, &blob, &denied), Err(error));
}

/// A public key whose X25519 half is zero gives the all-zero secret that RFC 9180, section 7.1.4,
/// forbids.
#[test]
fn low_order_points() {
    for (name, half) in [
        ("x25519", 0..32),
        ("mlkem768-x25519", 1184..1216),
        ("x25519-kyber768-draft00", 0..32),
    ] {
        let key = pair(kem(name), 1);
        let mut public = key.public.as_ref().to_vec();
        public[half.clone()].fill(0);
        let public = kem(name).deserialize_public_key(&public).unwrap();
        let sealed = common::v4_sealer(&public, 1, CHACHA, INFO, &Policy::draft())
            .unwrap()
            .seal(AAD, b"", &mut SysRng);
        assert_eq!(
            sealed,
            Err(Error::Hpke(pqseal_hpke::Error::Validation)),
            "{name}"
        );
        let mut blob = seal_v4(&key, 1, CHACHA, [INFO, AAD], PLAINTEXT);
        let end = ENC + kem(name).info().n_enc;
        let half = if half.start == 0 {
            ENC..ENC + 32
        } else {
            end - 32..end
        };
        blob[half].fill(0);
        assert_eq!(
            open(&key.private, &blob, &APPLICATION()),
            Err(Error::Altered),
            "{name}"
        );
    }
}

/// A frame's parts may be changed after it was parsed.
#[test]
fn frames_of_impossible_parts() {
    for (key, blob) in blobs() {
        let frame = FrameV4::parse(&blob).unwrap();
        let opener = OpenerV4::new(&key.private, frame.suite(), INFO, &everything()).unwrap();
        let n_enc = key.kem.info().n_enc;
        for (enc, ct) in [
            (0, 16),
            (n_enc - 1, 32),
            (n_enc + 1, 32),
            (n_enc, 0),
            (n_enc, 15),
            (n_enc, 16),
        ] {
            let (enc, ct) = (vec![4; enc], vec![9; ct]);
            let mut frame = frame;
            (frame.enc, frame.ct) = (&enc, &ct);
            assert_eq!(opener.open(&frame, AAD), Err(Error::NoKeyOpens));
            assert_eq!(frame.plaintext_len(), ct.len().saturating_sub(16));
        }
    }
}

/// The opener of one suite or key takes no blob of another.
#[test]
fn an_opener_is_for_one_suite_and_key() {
    for name in ["x25519", "mlkem768"] {
        let [key, other] = [1, 2].map(|number| pair(kem(name), number));
        let blob = seal_v4(&key, 1, CHACHA, [INFO, AAD], PLAINTEXT);
        let frame = FrameV4::parse(&blob).unwrap();
        let opener = |key: &common::Pair, kdf, aead| {
            let id = SuiteId::new(key.kem.info().id, kdf, aead);
            OpenerV4::new(&key.private, id, INFO, &everything()).unwrap()
        };
        assert_eq!(
            opener(&key, 1, CHACHA).open(&frame, AAD).as_deref(),
            Ok(PLAINTEXT)
        );
        for wrong in [
            opener(&key, 2, CHACHA),
            opener(&key, 1, 1),
            opener(&other, 1, CHACHA),
        ] {
            assert_eq!(wrong.open(&frame, AAD), Err(Error::NoKeyOpens));
        }
    }
}

/// The version is more than a number: the rest of another version's blob does not open under it.
#[test]
fn no_other_version_opens_as_version_4() {
    let entry = common::entry("public_v3_docs");
    let (key, blob) = common::key_and_blob(&entry);
    let altered = [&[4], &blob[1..]].concat();
    assert!(open(&key, &altered, &OpenOptions::default()).is_err());
    for (key, blob) in blobs().filter(|(key, _)| holds(KeyFormat::Json, key.kem)) {
        for version in 1..=3 {
            let altered = [&[version], &blob[1..]].concat();
            assert!(open(&key.private, &altered, &APPLICATION()).is_err());
        }
    }
    assert_eq!(kems().count(), 18);
}
