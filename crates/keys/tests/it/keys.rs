//! Every format of every key: written keys are read, and errors are reported.

use pqseal_hpke::DynKem;
use pqseal_keys::{
    KeyError, KeyFormat, default_format, kems, public_key, read_private, read_private_der,
    read_public, read_public_der, write_private, write_private_der, write_public, write_public_der,
};

use crate::common::{self, FORMS, assert_hides, bytes, forms, holds, kem, pairs};

/// A raw key does not say whose it is.
fn hint(kem: &'static DynKem, form: KeyFormat) -> Option<&'static DynKem> {
    (form == KeyFormat::Raw).then_some(kem)
}

#[test]
fn what_is_written_is_read() {
    for key in pairs() {
        for form in forms(key.kem) {
            let text = write_private(&key.private, form).unwrap();
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{form:?}");
            for kem in [hint(key.kem, form), Some(key.kem)] {
                let read = read_private(&text, kem).unwrap();
                assert_eq!(bytes(&read), bytes(&key.private), "{form:?}");
                assert_eq!(public_key(&read).as_ref(), Ok(&key.public), "{form:?}");
                if form != KeyFormat::Raw {
                    assert_eq!(
                        read_public(&text, kem).as_ref(),
                        Ok(&key.public),
                        "the public half, {form:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_written_of_a_public_key_is_read() {
    for key in pairs() {
        for form in forms(key.kem).filter(|form| *form != KeyFormat::Json) {
            let text = write_public(&key.public, form).unwrap();
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{form:?}");
            assert_eq!(
                read_public(&text, hint(key.kem, form)).as_ref(),
                Ok(&key.public),
                "{form:?}"
            );
        }
    }
}

#[test]
fn the_natural_form_needs_no_hint() {
    for key in pairs() {
        let form = default_format(&key.public);
        assert_eq!(
            read_public(write_public(&key.public, form).unwrap(), None).as_ref(),
            Ok(&key.public)
        );
        assert_eq!(
            form == KeyFormat::Raw,
            key.kem.info().short_name == "x25519"
        );
    }
}

#[test]
fn der_is_read_as_written() {
    for key in pairs().filter(|key| holds(KeyFormat::Pem, key.kem)) {
        let (private, public) = (
            write_private_der(&key.private).unwrap(),
            write_public_der(&key.public).unwrap(),
        );
        assert_eq!(
            bytes(&read_private_der(&private).unwrap()),
            bytes(&key.private)
        );
        assert_eq!(read_public_der(&private).as_ref(), Ok(&key.public));
        assert_eq!(read_public_der(&public).as_ref(), Ok(&key.public));
        assert_eq!(read_private_der(&public).err(), Some(KeyError::PublicOnly));
        for longer in [[&private[..], &[0]].concat(), [&public[..], &[0]].concat()] {
            assert_eq!(read_private_der(&longer).err(), Some(KeyError::Der));
            assert_eq!(read_public_der(&longer).err(), Some(KeyError::Der));
        }
    }
}

#[test]
fn a_public_key_is_no_private_one() {
    for key in pairs() {
        for form in forms(key.kem).filter(|form| ![KeyFormat::Raw, KeyFormat::Json].contains(form))
        {
            let text = write_public(&key.public, form).unwrap();
            assert_eq!(
                read_private(&text, None).err(),
                Some(KeyError::PublicOnly),
                "{form:?}"
            );
        }
    }
}

#[test]
fn a_form_may_lack_a_kem() {
    for key in pairs() {
        for form in FORMS.into_iter().filter(|form| !holds(*form, key.kem)) {
            assert_eq!(
                write_private(&key.private, form).err(),
                Some(KeyError::FormatLacksKem),
                "{form:?}"
            );
            if form != KeyFormat::Json {
                assert_eq!(
                    write_public(&key.public, form),
                    Err(KeyError::FormatLacksKem),
                    "{form:?}"
                );
            }
        }
        assert_eq!(
            write_public(&key.public, KeyFormat::Json),
            Err(KeyError::FormatLacksPublic)
        );
        if !holds(KeyFormat::Pem, key.kem) {
            assert_eq!(
                write_private_der(&key.private).err(),
                Some(KeyError::FormatLacksKem)
            );
            assert_eq!(
                write_public_der(&key.public).err(),
                Some(KeyError::FormatLacksKem)
            );
        }
    }
    assert!(KeyError::FormatLacksKem.to_string().contains("line"));
}

/// Tests every pair of KEMs: the text of one when the other is requested.
#[test]
fn another_kem_is_reported() {
    for key in pairs() {
        for form in forms(key.kem).filter(|form| *form != KeyFormat::Raw) {
            let text = write_private(&key.private, form).unwrap();
            for other in kems().filter(|other| other.info().id != key.kem.info().id) {
                let error = KeyError::OtherKem(key.kem.info().short_name);
                assert_eq!(
                    read_private(&text, Some(other)).err(),
                    Some(error),
                    "{form:?}"
                );
                assert_eq!(
                    read_public(&text, Some(other)).err(),
                    Some(error),
                    "{form:?}"
                );
            }
        }
    }
}

#[test]
fn raw_keys_of_a_wrong_length() {
    for kem in kems() {
        let (name, n_sk, n_pk) = (kem.info().short_name, kem.info().n_sk, kem.info().n_pk);
        for change in [-1, 1, 16] {
            let text = |size: usize| {
                pqseal_keys::base64::encode(&vec![1; size.checked_add_signed(change).unwrap()])
            };
            let error = |expected: usize| KeyError::Length {
                kem: name,
                expected,
                found: expected.wrapping_add_signed(change),
                raw: true,
            };
            assert_eq!(read_private(text(n_sk), Some(kem)).err(), Some(error(n_sk)));
            assert_eq!(read_public(text(n_pk), Some(kem)).err(), Some(error(n_pk)));
        }
    }
}

#[test]
fn nothing_is_empty() {
    for text in ["", " ", "\r\n"] {
        assert_eq!(read_private(text, None).err(), Some(KeyError::Empty));
        assert_eq!(read_public(text, None).err(), Some(KeyError::Empty));
    }
    assert_eq!(read_private_der(&[]).err(), Some(KeyError::Der));
}

/// Zero and the group order are no private keys of a P-curve; a point off the curve is no public
/// one. No coefficient of an ML-KEM key is over q = 3329, which twelve set bits are.
#[test]
fn values_out_of_range() {
    let error = Some(KeyError::Hpke(pqseal_hpke::Error::Deserialize));
    for name in ["p256", "p384", "p521"] {
        let info = *kem(name).info();
        for byte in [0x00, 0xff] {
            let text = pqseal_keys::base64::encode(&vec![byte; info.n_sk]);
            assert_eq!(read_private(&text, Some(kem(name))).err(), error);
        }
        let off = [vec![4], vec![1; info.n_pk - 1]].concat();
        assert_eq!(
            read_public(pqseal_keys::base64::encode(&off), Some(kem(name))).err(),
            error
        );
    }
    for kem in kems().filter(|kem| !common::is_curve(*kem)) {
        let text = pqseal_keys::base64::encode(&vec![0xff; kem.info().n_pk]);
        assert_eq!(
            read_public(&text, Some(kem)).err(),
            error,
            "{}",
            kem.info().short_name
        );
    }
}

/// Nothing that is shown of a key or an error has a byte of the private key.
#[test]
fn nothing_secret_is_shown() {
    for key in pairs() {
        let secret = bytes(&key.private);
        assert_hides(&format!("{:?}", key.private), &secret);
        for form in forms(key.kem) {
            let text = write_private(&key.private, form).unwrap();
            for place in (0..text.len()).step_by(text.len().div_ceil(60)) {
                let altered = [&text[..place], "*", &text[place + 1..]].concat();
                for text in [&altered, &text[..place]] {
                    if let Err(error) = read_private(text, hint(key.kem, form)) {
                        assert_hides(&format!("{error} {error:?}"), &secret);
                    }
                }
            }
        }
    }
}
