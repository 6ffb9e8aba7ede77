//! No altered blob opens, none panics, and each has its own error.

use pqseal_matched_data::{Error, Frame, OpenerV1to3, Trailing, Version};

use crate::common::{entry, kem, key_and_blob, pair};

/// The offsets of the encapsulated key, the length and the ciphertext.
const ENC: usize = 1;
const LENGTH: usize = 33;
const CT: usize = 41;
/// The size of a blob without its plaintext.
const OVERHEAD: u64 = 57;

/// A blob of each version, with what opens it and its plaintext.
fn blobs() -> impl Iterator<Item = (OpenerV1to3, Vec<u8>, Vec<u8>)> {
    [
        "public_v1_readme",
        "public_v2_test",
        "public_v3_docs",
        "v2_empty",
        "v3_empty",
    ]
    .into_iter()
    .map(|name| {
        let entry = entry(name);
        let (key, blob) = key_and_blob(&entry);
        (OpenerV1to3::new(&key).unwrap(), blob, entry.plaintext)
    })
}

fn open(opener: &OpenerV1to3, blob: &[u8], trailing: Trailing) -> Result<Vec<u8>, Error> {
    opener.open(&Frame::parse(blob, trailing)?)
}

fn with_length(blob: &[u8], length: u64) -> Vec<u8> {
    let mut blob = blob.to_vec();
    blob[LENGTH..CT].copy_from_slice(&length.to_le_bytes());
    blob
}

#[test]
fn empty() {
    for trailing in [Trailing::Refuse, Trailing::Ignore] {
        assert_eq!(Frame::parse(&[], trailing), Err(Error::Empty));
    }
}

#[test]
fn cut_at_every_byte() {
    for (opener, blob, _) in blobs() {
        for found in 1..blob.len() {
            let needed = if found < CT {
                OVERHEAD
            } else {
                blob.len() as u64
            };
            for trailing in [Trailing::Refuse, Trailing::Ignore] {
                let opened = open(&opener, &blob[..found], trailing);
                assert_eq!(
                    opened,
                    Err(Error::TooShort { needed, found }),
                    "cut to {found}"
                );
            }
        }
    }
}

#[test]
fn bytes_after_the_end() {
    for (opener, blob, plaintext) in blobs() {
        for extra in [1, 2, 16, 57, 1000] {
            let longer = [blob.clone(), vec![0; extra]].concat();
            assert_eq!(
                open(&opener, &longer, Trailing::Refuse),
                Err(Error::TrailingBytes(extra))
            );
            assert_eq!(
                open(&opener, &longer, Trailing::Ignore),
                Ok(plaintext.clone())
            );
        }
    }
}

#[test]
fn every_flipped_bit() {
    for (opener, blob, _) in blobs() {
        for bit in 0..blob.len() * 8 {
            let mut altered = blob.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            let error = open(&opener, &altered, Trailing::Refuse).unwrap_err();
            assert!(
                is_right(&error, bit / 8, &altered, &blob),
                "bit {bit}: {error:?}"
            );
            assert!(
                open(&opener, &altered, Trailing::Ignore).is_err(),
                "bit {bit}"
            );
        }
    }
}

/// Reports whether the error names the field of the altered byte.
fn is_right(error: &Error, place: usize, altered: &[u8], blob: &[u8]) -> bool {
    match place {
        0 if !(1..=3).contains(&altered[0]) => *error == Error::UnsupportedVersion(altered[0]),
        LENGTH..CT if altered[place] > blob[place] => matches!(error, Error::TooShort { .. }),
        LENGTH..CT => matches!(error, Error::TrailingBytes(_)),
        _ => *error == Error::NoKeyOpens,
    }
}

#[test]
fn a_length_field_is_not_believed() {
    for (opener, blob, plaintext) in blobs() {
        let (length, found) = (plaintext.len() as u64, blob.len());
        for wrong in [
            u64::MAX,
            u64::MAX - 16,
            u64::MAX - 57,
            1 << 63,
            1 << 32,
            length + 1,
            length + 16,
        ] {
            let expected = Error::TooShort {
                needed: wrong.saturating_add(OVERHEAD),
                found,
            };
            for trailing in [Trailing::Refuse, Trailing::Ignore] {
                assert_eq!(
                    open(&opener, &with_length(&blob, wrong), trailing),
                    Err(expected.clone())
                );
            }
        }
        if let Some(wrong) = length.checked_sub(1) {
            let shorter = with_length(&blob, wrong);
            assert_eq!(
                open(&opener, &shorter, Trailing::Refuse),
                Err(Error::TrailingBytes(1))
            );
            assert_eq!(
                open(&opener, &shorter, Trailing::Ignore),
                Err(Error::NoKeyOpens)
            );
        }
    }
}

#[test]
fn unknown_versions() {
    for (_, blob, _) in blobs() {
        for version in (0..=u8::MAX).filter(|version| !(1..=3).contains(version)) {
            for rest in [&blob[1..], &[]] {
                let altered = [&[version], rest].concat();
                assert_eq!(
                    Frame::parse(&altered, Trailing::Refuse),
                    Err(Error::UnsupportedVersion(version))
                );
            }
        }
    }
}

/// A version is more than its number: the labels differ.
#[test]
fn no_blob_opens_as_another_version() {
    for (opener, blob, _) in blobs() {
        for version in (1..=3).filter(|version| *version != blob[0]) {
            let altered = [&[version], &blob[1..]].concat();
            assert_eq!(
                open(&opener, &altered, Trailing::Refuse),
                Err(Error::NoKeyOpens)
            );
        }
    }
}

#[test]
fn another_key() {
    let other = OpenerV1to3::new(&pair(kem("x25519"), 9).private).unwrap();
    for (_, blob, _) in blobs() {
        assert_eq!(
            open(&other, &blob, Trailing::Refuse),
            Err(Error::NoKeyOpens)
        );
    }
}

/// The points of low order on Curve25519 and its twist, reduced and not, with and without the top
/// bit, which X25519 masks. They give an all-zero shared secret, which RFC 9180, section 7.1.4,
/// forbids.
#[test]
fn low_order_encapsulated_keys() {
    const ORDER_8: [&str; 2] = [
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ];
    let mut points: Vec<[u8; 32]> = [0, 1]
        .map(|first| {
            let mut point = [0; 32];
            point[0] = first;
            point
        })
        .to_vec();
    for last in [0xec, 0xed, 0xee] {
        let mut point = [0xff; 32];
        (point[0], point[31]) = (last, 0x7f);
        points.push(point);
    }
    points.extend(ORDER_8.map(|hex| {
        <[u8; 32]>::try_from(data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap()).unwrap()
    }));
    for (opener, mut blob, _) in blobs() {
        for (point, top) in points.iter().flat_map(|point| [(point, 0), (point, 0x80)]) {
            blob[ENC..LENGTH].copy_from_slice(point);
            blob[LENGTH - 1] |= top;
            assert_eq!(
                open(&opener, &blob, Trailing::Refuse),
                Err(Error::NoKeyOpens),
                "{point:02x?}"
            );
        }
    }
}

/// A frame need not come from a parser.
#[test]
fn frames_of_impossible_parts() {
    let opener = OpenerV1to3::new(&pair(kem("x25519"), 1).private).unwrap();
    for version in [Version::V1, Version::V2, Version::V3] {
        for (enc, ct) in [
            (0, 0),
            (0, 16),
            (32, 0),
            (32, 15),
            (31, 16),
            (33, 16),
            (32, 16),
        ] {
            let (enc, ct) = (vec![9; enc], vec![9; ct]);
            let frame = Frame {
                version,
                enc: &enc,
                ct: &ct,
            };
            assert_eq!(opener.open(&frame), Err(Error::NoKeyOpens));
            assert_eq!(frame.plaintext_len(), 0);
            let _ = frame.write();
        }
    }
}
