//! ML-KEM keys in the forms of RFC 9935, against the example keys of its appendix C. Their origin:
//! data/README.md.

use pkcs8::{
    PrivateKeyInfoRef,
    der::{Decode, Encode, asn1::OctetStringRef},
};
use pqseal_hpke::{AEADS, Error, HkdfSha256, Mode, Suite};
use pqseal_keys::{
    KeyError, KeyFormat, SysRng, base64, public_key, read_private, read_private_der, read_public,
    read_public_der, write_private, write_public,
};

use crate::common::{bytes, kem};

/// The four files of one parameter set, and its KEM.
struct Example {
    kem: &'static str,
    seed: &'static str,
    both: &'static str,
    expanded: &'static str,
    public: &'static str,
}

macro_rules! example {
    ($kem:literal, $name:literal) => {
        Example {
            kem: $kem,
            seed: include_str!(concat!("../data/rfc9935/", $name, "-seed.pem")),
            both: include_str!(concat!("../data/rfc9935/", $name, "-both.pem")),
            expanded: include_str!(concat!("../data/rfc9935/", $name, "-expanded.pem")),
            public: include_str!(concat!("../data/rfc9935/", $name, "-public.pem")),
        }
    };
}

const EXAMPLES: [Example; 3] = [
    example!("mlkem512", "ml-kem-512"),
    example!("mlkem768", "ml-kem-768"),
    example!("mlkem1024", "ml-kem-1024"),
];

/// The appendix's bad keys, all of ML-KEM-512: both forms at odds; a key that is not its public
/// key's; a wrong hash; both forms that differ only in `z`.
const BAD: [(&str, KeyError); 4] = [
    (
        include_str!("../data/rfc9935/bad-ml-kem-512-1.pem"),
        KeyError::Mismatch,
    ),
    (
        include_str!("../data/rfc9935/bad-ml-kem-512-2.pem"),
        KeyError::Mismatch,
    ),
    (
        include_str!("../data/rfc9935/bad-ml-kem-512-3.pem"),
        KeyError::Mismatch,
    ),
    (
        include_str!("../data/rfc9935/bad-ml-kem-512-4.pem"),
        KeyError::Mismatch,
    ),
];

/// The offset of a key's contents in its PKCS#8: after two headers of 4 bytes, the version and the
/// algorithm.
const CONTENTS: usize = 24;
/// The offsets of the seed and of the expanded key in `both`.
const SEED: usize = CONTENTS + 4 + 2;
const EXPANDED: usize = SEED + 64 + 4;

fn der(pem: &str) -> Vec<u8> {
    let body: String = pem
        .lines()
        .filter(|line| !line.starts_with("-----"))
        .collect();
    base64::decode(body.as_bytes()).unwrap().to_vec()
}

#[test]
fn the_seed_form_is_read_and_written() {
    for example in EXAMPLES {
        let key = read_private(example.seed, Some(kem(example.kem))).unwrap();
        assert_eq!(bytes(&key), (0..64).collect::<Vec<u8>>());
        assert_eq!(
            write_private(&key, KeyFormat::Pem).unwrap().as_str(),
            example.seed
        );
        let public = read_public(example.public, Some(kem(example.kem))).unwrap();
        assert_eq!(public_key(&key).as_ref(), Ok(&public));
        assert_eq!(
            write_public(&public, KeyFormat::Pem).unwrap(),
            example.public
        );
    }
}

#[test]
fn of_both_the_seed_is_read() {
    for example in EXAMPLES {
        let key = read_private(example.both, Some(kem(example.kem))).unwrap();
        assert_eq!(
            write_private(&key, KeyFormat::Pem).unwrap().as_str(),
            example.seed
        );
        assert_eq!(
            read_public(example.both, None),
            read_public(example.public, None)
        );
    }
}

#[test]
fn the_expanded_key_without_its_seed_opens_and_is_not_written() {
    for example in EXAMPLES {
        let key = read_private(example.expanded, Some(kem(example.kem))).unwrap();
        let public = read_public(example.public, None).unwrap();
        assert_eq!(read_public(example.expanded, None), Ok(public.clone()));
        let suite = Suite::new(kem(example.kem), &HkdfSha256, &AEADS[0]);
        let (enc, ct) = suite
            .seal(&public, b"", Mode::Base, b"", b"x", &mut SysRng)
            .unwrap();
        let opened = suite.open(&*enc, &key, b"", Mode::Base, b"", &ct);
        assert_eq!(opened.unwrap(), b"x");
        for format in [
            KeyFormat::Raw,
            KeyFormat::Pem,
            KeyFormat::Jwk,
            KeyFormat::Line,
        ] {
            let error = write_private(&key, format).unwrap_err();
            assert_eq!(error, KeyError::Hpke(Error::NoSeed));
            assert!(error.to_string().contains("without its seed"));
        }
    }
}

/// Encodings of earlier drafts, by the names of OpenSSL 3.5's `ml-kem.output_formats`.
#[test]
fn encodings_that_the_rfc_does_not_have_are_named() {
    let octets = |bytes: &[u8]| OctetStringRef::new(bytes).unwrap().to_der().unwrap();
    for example in EXAMPLES {
        let (both, public) = (der(example.both), der(example.public));
        let (seed, expanded) = (&both[SEED..SEED + 64], &both[EXPANDED..]);
        let pair = [expanded, &public[22..]].concat();
        for contents in [seed, expanded, &octets(seed), &octets(&pair)] {
            let seed = der(example.seed);
            let info = PrivateKeyInfoRef::from_der(&seed).unwrap();
            let octets = OctetStringRef::new(contents).unwrap();
            let der = PrivateKeyInfoRef::new(info.algorithm, octets).to_der();
            let error = read_private_der(&der.unwrap()).err();
            let is_named = |why: &str| why.contains("RFC 9935") && why.contains("openssl pkey");
            assert!(matches!(error, Some(KeyError::Text(why)) if is_named(why)));
        }
    }
}

#[test]
fn bad_keys_are_refused() {
    for (pem, error) in BAD {
        assert_eq!(read_private(pem, None).err(), Some(error));
    }
}

/// A bit of the seed, or of any of the expanded key's four parts.
#[test]
fn both_have_to_agree_in_every_part() {
    for example in EXAMPLES {
        let both = der(example.both);
        let places = (SEED..SEED + 64)
            .chain((EXPANDED..both.len()).step_by(29))
            .chain(both.len() - 64..both.len());
        for place in places {
            let mut altered = both.clone();
            altered[place] ^= 1;
            assert_eq!(
                read_private_der(&altered).err(),
                Some(KeyError::Mismatch),
                "byte {place}"
            );
        }
    }
}

#[test]
fn wrong_lengths_within() {
    let seed = der(EXAMPLES[1].seed);
    let with_contents = |contents: &[u8]| {
        let head = [&seed[2..18], &[4, u8::try_from(contents.len()).unwrap()]].concat();
        let length = u8::try_from(head.len() + contents.len()).unwrap();
        read_private_der(&[&[0x30, length], &head[..], contents].concat()).map(|key| bytes(&key))
    };
    assert_eq!(with_contents(&seed[20..]), Ok((0..64).collect()));
    let length = |found| {
        Err(KeyError::Length {
            kem: "mlkem768",
            expected: 64,
            found,
            raw: false,
        })
    };
    assert_eq!(
        with_contents(&[&[0x80, 63][..], &[7; 63]].concat()),
        length(63)
    );
    assert_eq!(
        with_contents(&[&[0x80, 65][..], &[7; 65]].concat()),
        length(65)
    );
    assert_eq!(with_contents(&[0x80, 0]), length(0));
    let error = with_contents(&[4, 3, 1, 2, 3]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a key of mlkem768 has 2400 bytes, this one has 3"
    );
    assert_eq!(with_contents(&[0x30, 4, 4, 0, 4, 0]), length(0));
    let both = [&[0x30, 68, 4, 64][..], &[7; 64], &[4, 0]].concat();
    assert_eq!(with_contents(&both), Err(KeyError::Mismatch));
    let constructed = [&[0xa0, 66, 4, 64][..], &[7; 64]].concat();
    for contents in [
        &[][..],
        &[0x80],
        &[0x05, 0],
        &[0x30, 0],
        &[0x30, 2, 4, 0],
        &constructed,
    ] {
        assert_eq!(
            with_contents(contents),
            Err(KeyError::Der),
            "{contents:02x?}"
        );
    }
}

/// RFC 9935, section 3: the parameters are absent, not even NULL.
#[test]
fn algorithms_have_no_parameters() {
    let mut public = der(EXAMPLES[0].public);
    assert_eq!(public[4..6], [0x30, 11]);
    public.splice(17..17, [5, 0]);
    (public[3], public[5]) = (public[3] + 2, 13);
    let error = read_public_der(&public).err();
    assert!(matches!(error, Some(KeyError::Text(why)) if why.contains("has parameters")));
}

/// The identifier decides: a key of one set is not a key of another.
#[test]
fn another_parameter_set() {
    let mut public = der(EXAMPLES[0].public);
    public[16] = 2;
    let length = KeyError::Length {
        kem: "mlkem768",
        expected: 1184,
        found: 800,
        raw: false,
    };
    assert_eq!(read_public_der(&public).err(), Some(length));
    for arc in [0, 4] {
        public[16] = arc;
        assert_eq!(read_public_der(&public).err(), Some(KeyError::UnknownKem));
    }
}
