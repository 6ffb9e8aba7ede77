//! Keys of either half, comments above one key, secrets that are empty, and sizes that are off by
//! one.

use getrandom::SysRng;
use pqseal_hpke::{AEADS, Error, HkdfSha256, Mode, Suite};
use pqseal_keys::{
    Key, KeyError, KeyFormat, RawHalf, public_key, read_key, read_private, read_public,
    write_private, write_private_der, write_public,
};

use crate::common::{Pair, bytes, forms, is_curve, kem, pair, pairs};

const HALVES: [Option<RawHalf>; 3] = [None, Some(RawHalf::Private), Some(RawHalf::Public)];

#[test]
fn a_raw_key_has_to_say_which_half_it_is() {
    for key in pairs() {
        let private = write_private(&key.private, KeyFormat::Raw).unwrap();
        let public = write_public(&key.public, KeyFormat::Raw).unwrap();
        for text in [&**private, &public] {
            let error = Some(KeyError::HalfNeeded);
            assert_eq!(read_key(text, Some(key.kem), None).err(), error);
            assert_eq!(read_key(text.as_bytes(), Some(key.kem), None).err(), error);
        }
        for (text, half) in [(&**private, RawHalf::Private), (&public, RawHalf::Public)] {
            let read = read_key(text, Some(key.kem), Some(half)).unwrap();
            assert_eq!(
                matches!(read, Key::Private(_)),
                half == RawHalf::Private,
                "{half:?}"
            );
            assert_eq!(read.into_public().as_ref(), Ok(&key.public));
        }
    }
    assert_eq!(KeyError::HalfNeeded.code(), "bad_argument");
    assert_eq!(read_key("", None, None).err(), Some(KeyError::Empty));
    assert!(matches!(
        read_key("AAAA", None, None),
        Err(KeyError::Length { raw: true, .. })
    ));
}

#[test]
fn other_formats_say_it_themselves() {
    for key in pairs() {
        for half in HALVES {
            for form in forms(key.kem).filter(|form| *form != KeyFormat::Raw) {
                let text = write_private(&key.private, form).unwrap();
                for found in [
                    read_key(&text, Some(key.kem), half),
                    read_key(text.as_bytes(), None, half),
                ] {
                    let Ok(Key::Private(found)) = found else {
                        panic!("{form:?}: {found:?}")
                    };
                    assert_eq!(bytes(&found), bytes(&key.private));
                }
                let Ok(text) = write_public(&key.public, form) else {
                    continue;
                };
                let found = read_key(&text, None, half);
                assert!(matches!(&found, Ok(Key::Public(found)) if *found == key.public));
            }
        }
        let Ok(der) = write_private_der(&key.private) else {
            continue;
        };
        let other = kem(if key.kem.info().short_name == "p256" {
            "p384"
        } else {
            "p256"
        });
        let found = read_key(&der, Some(key.kem), None);
        assert_eq!(found.and_then(Key::into_public).as_ref(), Ok(&key.public));
        assert_eq!(
            read_key(&der, Some(other), None).err(),
            Some(KeyError::OtherKem(key.kem.info().short_name))
        );
    }
}

/// Tests comments as `pqseal keygen` writes them, and as people do.
#[test]
fn comments_above_one_key_are_skipped() {
    for key in pairs() {
        for form in forms(key.kem) {
            let private = write_private(&key.private, form).unwrap();
            let public = write_public(&key.public, form);
            for comments in [
                "# of zone a\n",
                "\n #a\r\n\n## Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=\n",
            ] {
                let text = format!("{comments}{}", *private);
                let found = [
                    read_private(&text, Some(key.kem)),
                    read_private(text.as_bytes(), Some(key.kem)),
                ];
                for found in found {
                    assert_eq!(bytes(&found.unwrap()), bytes(&key.private), "{text}");
                }
                let Ok(public) = &public else { continue };
                let text = format!("{comments}{public}");
                for found in [
                    read_public(&text, Some(key.kem)),
                    read_key(&text, Some(key.kem), Some(RawHalf::Public))
                        .and_then(Key::into_public),
                ] {
                    assert_eq!(found.as_ref(), Ok(&key.public), "{text}");
                }
            }
        }
    }
    assert_eq!(
        read_public("# only this", None).err(),
        Some(KeyError::Empty)
    );
}

/// A secret member that is there and empty does not make the key a public one.
#[test]
fn an_empty_secret_is_not_a_missing_one() {
    for key in pairs() {
        for form in forms(key.kem).filter(|form| [KeyFormat::Json, KeyFormat::Jwk].contains(form)) {
            let text = write_private(&key.private, form).unwrap();
            let member = match form {
                KeyFormat::Json => "private_key",
                _ if is_curve(key.kem) => "d",
                _ => "priv",
            };
            let (head, tail) = text.split_once(&format!("\"{member}\":")).unwrap();
            let value = tail.split('"').nth(1).unwrap();
            let empty = format!("{head}\"{member}\":{}", tail.replacen(value, "", 1));
            let is_told = |error: Option<KeyError>| matches!(error, Some(KeyError::Json(text) | KeyError::Jwk(text)) if text.contains("empty"));
            assert!(is_told(read_private(&empty, None).err()), "{empty}");
            assert!(is_told(read_public(&empty, None).err()), "{empty}");
            assert!(is_told(read_key(&empty, None, None).err()), "{empty}");
        }
    }
}

/// Reads the keys that `@hpke` writes.
#[test]
fn x_wing_by_its_other_name_and_a_seed_without_its_public_key() {
    for (name, alg, written) in [
        ("mlkem768-x25519", "X-Wing", "MLKEM768-X25519"),
        ("mlkem768-x25519", "HPKE-9", "MLKEM768-X25519"),
        ("mlkem768-p256", "HPKE-8-KE", "MLKEM768-P256"),
        ("mlkem1024-p384", "HPKE-10", "MLKEM1024-P384"),
        ("mlkem768", "ML-KEM-768", "ML-KEM-768"),
    ] {
        let (key, other) = (pair(kem(name), 1), pair(kem(name), 2));
        let text = write_private(&key.private, KeyFormat::Jwk)
            .unwrap()
            .replace(&format!("\"{written}\""), &format!("\"{alg}\""));
        assert_eq!(
            bytes(&read_private(&text, None).unwrap()),
            bytes(&key.private)
        );
        let (start, end) = (
            text.find("\"pub\"").unwrap(),
            text.find("\"priv\"").unwrap(),
        );
        let seed = [&text[..start], &text[end..]].concat();
        assert_eq!(
            bytes(&read_private(&seed, None).unwrap()),
            bytes(&key.private)
        );
        assert_eq!(read_public(&seed, None).as_ref(), Ok(&key.public));
        let public = |key: &Pair| data_encoding::BASE64URL_NOPAD.encode(key.public.as_ref());
        let swapped = text.replace(&public(&key), &public(&other));
        assert_eq!(read_private(&swapped, None).err(), Some(KeyError::Mismatch));
        assert_eq!(public_key(&key.private).as_ref(), Ok(&key.public));
    }
}

#[test]
fn keys_and_encapsulated_keys_one_byte_short_and_long_are_refused() {
    for key in pairs() {
        let suite = Suite::new(key.kem, &HkdfSha256, &AEADS[0]);
        let (enc, ct) = suite
            .seal(&key.public, b"", Mode::Base, b"", b"x", &mut SysRng)
            .unwrap();
        let off = |bytes: &[u8]| [bytes[1..].to_vec(), [bytes, &[0]].concat()];
        let refused = Some(Error::Deserialize);
        for enc in off(&enc) {
            let name = key.kem.info().short_name;
            let opened = suite.open(&*enc, &key.private, b"", Mode::Base, b"", &ct);
            assert_eq!(opened.err(), refused, "{name}");
            let context = suite.setup_r(&*enc, &key.private, b"", Mode::Base);
            assert_eq!(context.err(), refused, "{name}");
        }
        for bytes in off(key.public.as_ref()) {
            assert_eq!(suite.public_key(&bytes).err(), refused);
        }
        for bytes in off(&bytes(&key.private)) {
            assert_eq!(suite.private_key(&bytes).err(), refused);
        }
    }
}
