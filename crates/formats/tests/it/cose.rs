//! COSE made and opened here: every algorithm and option, and what is refused.

use ciborium::{Value, cbor};
use getrandom::SysRng;
use pqseal_formats::{
    ALGORITHMS, Algorithm, Error, KeyManagement, PrivateKey, PublicKey, algorithm,
    cose::{self, ContentAlgorithm, MAX_ITEMS, MAX_LABELS, Opener, Recipient, Sealer, Structure},
    cose_key,
};
use pqseal_keys::KeyError;

const MESSAGE: &[u8] = b"a message";
const PSK: &[u8] = &[7; 32];

fn alg(name: &str) -> Algorithm {
    algorithm(name).expect(name)
}

fn pair(alg: Algorithm, kid: &str) -> (PrivateKey, PublicKey) {
    let (private, _) = alg.suite().unwrap().generate_key_pair(&mut SysRng).unwrap();
    let private = PrivateKey::new(private)
        .with_kid(kid)
        .with_alg(alg)
        .unwrap();
    let public = private.public_key().unwrap();
    (private, public)
}

fn seal(alg: Algorithm, key: &PublicKey) -> Vec<u8> {
    let recipient = Recipient::new(alg, key).unwrap();
    Sealer::new(recipient).seal(MESSAGE, &mut SysRng).unwrap()
}

fn decode(bytes: &[u8]) -> Value {
    ciborium::from_reader(bytes).unwrap()
}

fn encode(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

/// The array of a tagged message.
fn parts(message: &[u8]) -> Vec<Value> {
    match decode(message) {
        Value::Tag(_, value) => value.into_array().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_algorithm() {
    for &alg in ALGORITHMS {
        let (private, public) = pair(alg, "k");
        let message = seal(alg, &public);
        let opener = || Opener::new(ALGORITHMS).key(&private);
        let opened = opener().open(&message).unwrap();
        assert_eq!(*opened.plaintext, MESSAGE, "{alg}");
        assert_eq!(
            (opened.algorithm, opened.kid.as_deref()),
            (alg, Some(&b"k"[..]))
        );
        let (structure, content, recipients) = cose::inspect(&message).unwrap();
        let integrated = alg.mode() == KeyManagement::Integrated;
        assert_eq!(structure == Structure::Encrypt0, integrated);
        assert_eq!(content.is_none(), integrated);
        assert_eq!(recipients[0].alg, Some(alg.cose()));

        // Untagged, and with the ciphertext apart.
        assert!(
            opener()
                .open(&encode(&Value::Array(parts(&message))))
                .is_ok()
        );
        let sealer = Sealer::new(Recipient::new(alg, &public).unwrap());
        let (message, ciphertext) = sealer.seal_detached(MESSAGE, &mut SysRng).unwrap();
        let opened = opener().open_detached(&message, &ciphertext).unwrap();
        assert_eq!(*opened.plaintext, MESSAGE);
        assert!(matches!(opener().open(&message), Err(Error::Malformed(_))));
        let key = cose_key::write_private(&private).unwrap();
        assert_eq!(
            cose_key::private_key(&key, &[alg]).unwrap().kid(),
            Some(&b"k"[..])
        );
    }
}

#[test]
fn every_content_algorithm() {
    let alg = alg("HPKE-3-KE");
    let (private, public) = pair(alg, "k");
    for content in ContentAlgorithm::ALL {
        let sealer = Sealer::new(Recipient::new(alg, &public).unwrap()).content(content);
        for length in [0, 1, 1000] {
            let plaintext = vec![7; length];
            let message = sealer.seal(&plaintext, &mut SysRng).unwrap();
            let allowed = [alg];
            let opener = Opener::new(&allowed).key(&private);
            assert_eq!(*opener.open(&message).unwrap().plaintext, plaintext);
            assert_eq!(cose::inspect(&message).unwrap().1, Some(content.id()));
            let error = opener.content(&[]).open(&message).unwrap_err();
            assert_eq!(error, Error::ContentNotAllowed(content.id().to_string()));
        }
    }
}

#[test]
fn external_data_and_psk_are_bound() {
    for name in ["HPKE-3", "HPKE-3-KE"] {
        let alg = alg(name);
        let (private, public) = pair(alg, "k");
        let recipient = Recipient::new(alg, &public).unwrap().info(b"context");
        let recipient = recipient.psk(b"psk 1", PSK).unwrap();
        let message = Sealer::new(recipient).external_aad(b"more");
        let message = message.seal(MESSAGE, &mut SysRng).unwrap();
        let allowed = [alg];
        let opener = || {
            Opener::new(&allowed)
                .key(&private)
                .external_aad(b"more")
                .info(b"context")
        };
        let opened = opener()
            .psk(b"psk 1", PSK)
            .require_psk()
            .open(&message)
            .unwrap();
        assert_eq!(opened.psk_id.as_deref(), Some(&b"psk 1"[..]));
        let error = |opener: Opener<'_>| opener.open(&message).unwrap_err();
        assert_eq!(error(opener()), Error::UnknownPsk);
        assert_eq!(error(opener().psk(b"psk 1", &[8; 32])), Error::Open);
        assert_eq!(error(opener().psk(b"psk 1", PSK).info(b"")), Error::Open);
        assert_eq!(
            error(opener().psk(b"psk 1", PSK).external_aad(b"")),
            Error::Open
        );
        let base = seal(alg, &public);
        let opener = Opener::new(&allowed).key(&private).require_psk();
        assert_eq!(opener.open(&base).unwrap_err(), Error::PskRequired);
    }
}

#[test]
fn several_recipients() {
    let algorithms = ["HPKE-0-KE", "HPKE-3-KE", "HPKE-4-KE"].map(alg);
    let keys = algorithms.map(|alg| pair(alg, alg.name()));
    let recipient = |n: usize| Recipient::new(algorithms[n], &keys[n].1).unwrap();
    let sealer = Sealer::new(recipient(0))
        .and(recipient(1))
        .and(recipient(2));
    let message = sealer.seal(MESSAGE, &mut SysRng).unwrap();
    for (n, (private, _)) in keys.iter().enumerate() {
        let opened = Opener::new(&algorithms)
            .key(private)
            .open(&message)
            .unwrap();
        assert_eq!((opened.recipient, opened.algorithm), (n, algorithms[n]));
    }
    let stranger = pair(algorithms[0], "stranger").0;
    let error = Opener::new(&algorithms).key(&stranger).open(&message);
    assert_eq!(error.unwrap_err(), Error::NoKey);

    let usage = |sealer: Sealer<'_>| {
        let error = sealer.seal(MESSAGE, &mut SysRng).unwrap_err();
        assert!(matches!(error, Error::Usage(_)), "{error:?}");
    };
    let (integrated, pq) = (pair(alg("HPKE-3"), "i").1, pair(alg("HPKE-9-KE"), "p").1);
    let integrated = || Recipient::new(alg("HPKE-3"), &integrated).unwrap();
    usage(Sealer::new(recipient(0)).and(integrated()));
    usage(Sealer::new(integrated().hpke_aad(b"x")));
    usage(Sealer::new(integrated()).content(ContentAlgorithm::A256Gcm));
    usage(Sealer::new(recipient(0)).and(Recipient::new(alg("HPKE-9-KE"), &pq).unwrap()));
}

/// Written messages are in deterministic CBOR: decoding and encoding changes nothing, and maps are
/// in order.
#[test]
fn what_is_written_is_deterministic() {
    for name in ["HPKE-9", "HPKE-9-KE"] {
        let (_, public) = pair(alg(name), "k");
        let recipient = Recipient::new(alg(name), &public).unwrap();
        let sealer = Sealer::new(recipient.psk(b"id", PSK).unwrap());
        let message = sealer.seal(MESSAGE, &mut SysRng).unwrap();
        assert_eq!(encode(&decode(&message)), message);
        let mut layers = vec![parts(&message)];
        if name.ends_with("-KE") {
            let recipients = layers[0][3].as_array().unwrap();
            let recipient = recipients[0].as_array().unwrap().clone();
            layers = vec![recipient];
        }
        let protected = decode(layers[0][0].as_bytes().unwrap());
        let labels: Vec<i64> = protected
            .as_map()
            .unwrap()
            .iter()
            .map(|(label, _)| label.as_integer().unwrap().try_into().unwrap())
            .collect();
        assert_eq!(labels, [1, 4, -5]);
    }
}

/// Ciphertexts whose length has a head of 1, 2, 3 and 5 bytes, on both sides of each limit.
#[test]
fn the_head_of_a_ciphertext_is_the_shortest() {
    for name in ["HPKE-4", "HPKE-4-KE"] {
        let (private, public) = pair(alg(name), "k");
        let sealer = Sealer::new(Recipient::new(alg(name), &public).unwrap());
        for ciphertext_len in [16, 23, 24, 255, 256, 65_535, 65_536] {
            let plaintext = vec![7; ciphertext_len - 16];
            let message = sealer.seal(&plaintext, &mut SysRng).unwrap();
            assert_eq!(encode(&decode(&message)), message);
            let ciphertext = parts(&message)[2].as_bytes().unwrap().len();
            assert_eq!(ciphertext, ciphertext_len);
            let opened = Opener::new(ALGORITHMS).key(&private).open(&message);
            assert_eq!(*opened.unwrap().plaintext, plaintext);
        }
    }
}

/// An algorithm of the other structure, alg in the wrong header, another type or number, crit.
#[test]
fn algorithm_confusion_and_headers() {
    let (integrated, key_encryption) = (alg("HPKE-3"), alg("HPKE-3-KE"));
    let (private, public) = pair(integrated, "k");
    let private = PrivateKey::new(
        integrated
            .kem()
            .unwrap()
            .deserialize_private_key(
                integrated
                    .kem()
                    .unwrap()
                    .serialize_private_key(private.key())
                    .unwrap()
                    .as_ref(),
            )
            .unwrap(),
    );
    let message = seal(integrated, &public);
    let ek = parts(&message)[1].as_map().unwrap()[0].1.clone();
    let ciphertext = parts(&message)[2].clone();
    let open = |protected: Value, unprotected: Value| {
        let protected = Value::Bytes(encode(&protected));
        let array = Value::Array(vec![protected, unprotected, ciphertext.clone()]);
        let message = encode(&Value::Tag(16, array.into()));
        Opener::new(ALGORITHMS)
            .key(&private)
            .open(&message)
            .unwrap_err()
    };
    let ek_bytes = ek.clone();
    let ek = || cbor!({-4 => ek.clone()}).unwrap();
    let both = |label: i64, value: Value| {
        let Value::Map(mut entries) = ek() else {
            unreachable!()
        };
        entries.push((label.into(), value));
        Value::Map(entries)
    };
    for (protected, unprotected) in [
        (cbor!({}).unwrap(), both(1, 41.into())),
        (cbor!({}).unwrap(), ek()),
        (cbor!({1 => "HPKE-3"}).unwrap(), ek()),
        (cbor!({1 => key_encryption.cose()}).unwrap(), ek()),
        (cbor!({1 => 41}).unwrap(), cbor!({}).unwrap()),
        (cbor!({1 => 41}).unwrap(), cbor!({-4 => "text"}).unwrap()),
        (
            cbor!({1 => 41}).unwrap(),
            both(-5, vec![1u8].as_slice().into()),
        ),
        (
            cbor!({1 => 41}).unwrap(),
            both(-4, vec![1u8].as_slice().into()),
        ),
        (cbor!({1 => 41, -4 => 1}).unwrap(), ek()),
        (cbor!({1 => 41, 4 => "text"}).unwrap(), ek()),
        (cbor!({1.5 => 41}).unwrap(), ek()),
        (cbor!([1, 41]).unwrap(), ek()),
    ] {
        let error = open(protected.clone(), unprotected);
        assert!(
            matches!(error, Error::Malformed(_)),
            "{protected:?}: {error:?}"
        );
    }
    assert_eq!(
        open(
            cbor!({1 => 41, -4 => ek_bytes}).unwrap(),
            cbor!({}).unwrap()
        ),
        Error::Malformed("ek is in the protected header")
    );
    assert_eq!(open(cbor!({1 => 42}).unwrap(), ek()), Error::Open);
    assert_eq!(
        open(cbor!({1 => -6}).unwrap(), ek()),
        Error::AlgorithmNotAllowed("-6".into())
    );
    assert_eq!(
        open(cbor!({1 => 36}).unwrap(), ek()),
        Error::AlgorithmNotAllowed("36".into())
    );
    let critical = open(cbor!({1 => 41, 2 => [9]}).unwrap(), ek());
    assert!(matches!(critical, Error::Refused(_)));
    let (only, _) = pair(integrated, "k");
    let error = Opener::new(ALGORITHMS).key(&only).open(&seal(
        alg("HPKE-4"),
        &PublicKey::new(only.public_key().unwrap().key().clone()),
    ));
    assert_eq!(error.unwrap_err(), Error::KeyAlgorithm("HPKE-4"));
}

/// A message for a key, with recipients of another kind before and after the one for the key.
fn with_others(message: &[u8], before: Option<Value>, after: Option<Value>) -> Vec<u8> {
    let mut parts = parts(message);
    let ours = parts[3].as_array().unwrap().clone();
    let all = before.into_iter().chain(ours).chain(after).collect();
    parts[3] = Value::Array(all);
    encode(&Value::Tag(96, Value::Array(parts).into()))
}

/// Recipients of other kinds are not for us, whatever their headers have (RFC 9053, section 6).
#[test]
fn recipients_of_other_kinds() {
    let alg = alg("HPKE-3-KE");
    let (private, public) = pair(alg, "k");
    let message = seal(alg, &public);
    let bytes = |value: Value| Value::Bytes(encode(&value));
    let empty = || Value::Bytes(Vec::new());
    let map = || cbor!({}).unwrap();
    let wrapped = || Value::Bytes(vec![0; 40]);
    let inner = Value::Array(vec![empty(), cbor!({1 => -3}).unwrap(), wrapped()]);
    let kinds: [(Vec<Value>, &str); 7] = [
        (
            vec![empty(), cbor!({1 => -3, 4 => "x"}).unwrap(), wrapped()],
            "-3, not protected",
        ),
        (
            vec![empty(), cbor!({1 => 49}).unwrap(), wrapped()],
            "49, not protected",
        ),
        (
            vec![empty(), cbor!({1 => "A128KW"}).unwrap(), wrapped()],
            "A128KW, not protected",
        ),
        (
            vec![bytes(cbor!({1 => "own"}).unwrap()), map(), wrapped()],
            "own",
        ),
        (
            vec![
                bytes(cbor!({1 => -6, 2 => [9], 9 => 0}).unwrap()),
                map(),
                empty(),
            ],
            "-6",
        ),
        (vec![empty(), map(), Value::Null], "none"),
        (
            vec![
                bytes(cbor!({1 => -29}).unwrap()),
                map(),
                wrapped(),
                Value::Array(vec![inner]),
            ],
            "-29",
        ),
    ];
    for (other, name) in kinds {
        let other = Value::Array(other);
        for (message, index) in [
            (with_others(&message, Some(other.clone()), None), 1),
            (with_others(&message, None, Some(other.clone())), 0),
        ] {
            let opener = Opener::new(ALGORITHMS);
            let opened = opener.key(&private).open(&message).expect(name);
            assert_eq!((&opened.plaintext[..], opened.recipient), (MESSAGE, index));
            assert_eq!(cose::inspect(&message).unwrap().2.len(), 2);
        }
        let mut alone = parts(&message);
        alone[3] = Value::Array(vec![other]);
        let alone = encode(&Value::Array(alone));
        let error = Opener::new(ALGORITHMS).key(&private).open(&alone);
        assert_eq!(error.unwrap_err(), Error::AlgorithmNotAllowed(name.into()));
    }
    let layer = [
        empty(),
        map(),
        wrapped(),
        Value::Array(Vec::new()),
        map(),
        map(),
    ];
    for (number, wrong) in [(2, "three parts"), (5, "after"), (6, "after")] {
        let other = Value::Array(layer[..number].to_vec());
        for message in [
            with_others(&message, Some(other.clone()), None),
            with_others(&message, None, Some(other)),
        ] {
            let error = Opener::new(ALGORITHMS).key(&private).open(&message);
            assert!(
                matches!(error, Err(Error::Malformed(_))),
                "{wrong}: {error:?}"
            );
        }
    }
    let other = Value::Array(vec![empty(), map(), wrapped(), map()]);
    let message = with_others(&message, Some(other), None);
    assert!(matches!(cose::inspect(&message), Err(Error::Malformed(_))));
}

/// 256 recipients with thousands of labels each, which would be compared with each other.
#[test]
fn many_labels() {
    let header = |labels: usize| {
        let labels = (0..labels).map(|n| (Value::Text(format!("{n:>4}")), Value::Null));
        Value::Map(labels.collect())
    };
    let message = |labels: usize, recipients: usize| {
        let protected = Value::Bytes(encode(&header(labels)));
        let recipient = Value::Array(vec![protected, cbor!({}).unwrap(), Value::Null]);
        let recipients = Value::Array(vec![recipient; recipients]);
        let content = Value::Bytes(vec![0; 16]);
        let parts = vec![
            Value::Bytes(Vec::new()),
            cbor!({}).unwrap(),
            content,
            recipients,
        ];
        encode(&Value::Tag(96, Value::Array(parts).into()))
    };
    let [many, labels] = [
        "the message has more than 10,000 data items",
        "a header has more than 256 labels",
    ];
    for (count, recipients, why) in [
        (4_999, 256, many),
        (4_000, 256, labels),
        (MAX_LABELS + 1, 1, labels),
        (MAX_LABELS, 256, many),
    ] {
        let error = cose::inspect(&message(count, recipients)).unwrap_err();
        assert_eq!(error, Error::TooLong(why), "{count}");
    }
    assert_eq!(cose::inspect(&message(MAX_LABELS, 15)).unwrap().2.len(), 15);
}

#[test]
fn hostile_bytes() {
    let (private, public) = pair(alg("HPKE-3-KE"), "k");
    let message = seal(alg("HPKE-3-KE"), &public);
    let open = |bytes: &[u8]| Opener::new(ALGORITHMS).key(&private).open(bytes);
    for cut in 0..message.len() {
        assert!(open(&message[..cut]).is_err(), "{cut}");
    }
    assert!(open(&[&message[..], &[0]].concat()).is_err());
    for at in 0..message.len() {
        let mut altered = message.clone();
        altered[at] ^= 0x20;
        let _ = open(&altered);
    }
    let deep = [vec![0x81; 5000], vec![0x00]].concat();
    let many = [vec![0x9a, 0, 1, 0, 0], vec![0x00; 1 << 16]].concat();
    let promised = |head: &[u8]| [head, &[0xff; 8], &[0]].concat();
    let cases: [(Vec<u8>, bool); 10] = [
        (deep, false),
        (many.clone(), true),
        (promised(&[0x9b]), false),
        (promised(&[0xbb]), false),
        (promised(&[0x5b]), false),
        (promised(&[0xd0, 0x83, 0x5b]), false),
        (vec![0x9f], false),
        (vec![0x9f; 5000], false),
        (vec![0x5f, 0x41, 0x00], false),
        (vec![0x1c], false),
    ];
    assert!(many.len() > MAX_ITEMS);
    for (bytes, too_long) in cases {
        let error = open(&bytes).unwrap_err();
        let found = matches!(error, Error::TooLong(_));
        assert!(found || matches!(error, Error::Malformed(_)), "{error:?}");
        assert_eq!(found, too_long);
        assert!(cose::inspect(&bytes).is_err());
        assert!(cose_key::private_key(&bytes, ALGORITHMS).is_err());
    }
    // Indefinite lengths are CBOR too, and are read: an array of three in the place of a head of 3.
    let whole = seal(alg("HPKE-3"), &pair(alg("HPKE-3"), "k").1);
    let indefinite = [&whole[..1], &[0x9f], &whole[2..], &[0xff]].concat();
    assert_eq!(cose::inspect(&indefinite).unwrap().0, Structure::Encrypt0);
}

#[test]
fn keys_that_are_refused() {
    let (private, _) = pair(alg("HPKE-0"), "k");
    let key = cose_key::write_private(&private).unwrap();
    let Value::Map(entries) = decode(&key) else {
        panic!()
    };
    let with = |label: i64, value: Value| {
        let mut entries = entries.clone();
        match entries
            .iter_mut()
            .find(|(own, _)| *own == Value::from(label))
        {
            Some((_, own)) => *own = value,
            None => entries.push((label.into(), value)),
        }
        encode(&Value::Map(entries))
    };
    let read = |bytes: &[u8]| cose_key::private_key(bytes, ALGORITHMS);
    assert!(read(&with(4, cbor!([8]).unwrap())).is_ok());
    for (label, value) in [
        (1, 1.into()),
        (1, 99.into()),
        (3, 41.into()),
        (3, 5.into()),
        (3, "HPKE-0".into()),
        (4, cbor!([]).unwrap()),
        (4, cbor!([1, 8]).unwrap()),
        (4, cbor!([8, "sign"]).unwrap()),
        (-1, 2.into()),
        (-3, true.into()),
        (-3, vec![0u8; 32].as_slice().into()),
        (-4, vec![1u8; 32].as_slice().into()),
        (-4, vec![1u8; 31].as_slice().into()),
    ] {
        assert!(
            read(&with(label, value.clone())).is_err(),
            "{label} {value:?}"
        );
    }
    let twice = [&key[..1], &[0x01, 0x02], &key[1..]].concat();
    let twice = [&[key[0] + 1][..], &twice[1..]].concat();
    let twice = read(&twice).unwrap_err();
    assert_eq!(twice, KeyError::CoseKey("a label is given twice").into());
    // A post-quantum key cannot be written without an algorithm.
    let (private, _) = alg("HPKE-9")
        .suite()
        .unwrap()
        .generate_key_pair(&mut SysRng)
        .unwrap();
    let error = cose_key::write_private(&PrivateKey::new(private)).unwrap_err();
    assert_eq!(error, KeyError::Alg);
}

/// The ciphertext is read without copying it where it is in one piece, and in any other form too.
#[test]
fn ciphertexts_in_any_form() {
    let (private, public) = pair(alg("HPKE-0"), "k");
    let message = seal(alg("HPKE-0"), &public);
    let open = |parts: &[&[u8]]| Opener::new(ALGORITHMS).key(&private).open(&parts.concat());
    let (head, ciphertext) = message.split_at(message.len() - MESSAGE.len() - 16);
    let (before, length) = head.split_at(head.len() - 2);
    assert_eq!(length, [0x58, 25]);
    let opens = |parts: &[&[u8]]| assert_eq!(*open(parts).unwrap().plaintext, MESSAGE);
    opens(&[before, length, ciphertext]);
    opens(&[before, &[0x5a, 0, 0, 0, 25], ciphertext]);
    // Of indefinite length, in two pieces.
    opens(&[
        before,
        &[0x5f, 0x41],
        &ciphertext[..1],
        &[0x58, 24],
        &ciphertext[1..],
        &[0xff],
    ]);
    for refused in [
        open(&[before, length, ciphertext, &[0]]),
        open(&[before, length, &ciphertext[1..]]),
        open(&[
            before,
            &[0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            ciphertext,
        ]),
        open(&[before, &[0x78, 25], ciphertext]),
    ] {
        assert!(matches!(refused, Err(Error::Malformed(_))), "{refused:?}");
    }
}

/// 0xa1 begins a header.
#[test]
fn messages_are_detected_with_heads_of_any_length() {
    let messages: [&[u8]; 9] = [
        b"\xd0\x83\x41\xa1",
        b"\xd8\x10\x83\x41\xa1",
        b"\xd8\x60\x84\x41\xa1",
        b"\xd9\x00\x60\x9f\x41\xa1",
        b"\xdb\x00\x00\x00\x00\x00\x00\x00\x10\x98\x03\x41\xa1",
        b"\x83\x41\xa1",
        b"\x84\x41\xa1",
        b"\x9f\x41\xa1",
        b"\x99\x00\x04\x41\xa1",
    ];
    for message in messages {
        assert!(cose::detect(message), "{message:x?}");
    }
    let others: [&[u8]; 5] = [
        b"\xd0",
        b"\xd8\x61\x84\x41\xa1",
        b"\x82\x41\xa1",
        b"\x9c\x41\xa1",
        b"\xd9\x00",
    ];
    for other in others {
        assert!(!cose::detect(other), "{other:x?}");
    }
}
