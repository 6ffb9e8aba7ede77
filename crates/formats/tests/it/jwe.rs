//! JWE made and opened here: every algorithm, serialization and option, and what is refused.

use data_encoding::BASE64URL_NOPAD;
use getrandom::SysRng;
use pqseal_formats::{
    ALGORITHMS, Algorithm, Error, KeyManagement, PrivateKey, PublicKey, algorithm,
    jwe::{
        self, Enc, Header, MAX_HEADER, MAX_RECIPIENTS, Opener, Recipient, Sealer, Serialization,
    },
};
use serde_json::{Value, json};

const MESSAGE: &[u8] = b"a message";
const PSK: &[u8] = &[7; 32];

fn alg(name: &str) -> Algorithm {
    algorithm(name).expect(name)
}

fn pair(alg: Algorithm, kid: &str) -> (PrivateKey, PublicKey) {
    let (private, _) = alg.suite().unwrap().generate_key_pair(&mut SysRng).unwrap();
    let private = PrivateKey::new(private).with_kid(kid);
    let public = private.public_key().unwrap();
    (private, public)
}

fn seal(alg: Algorithm, key: &PublicKey, serialization: Serialization) -> String {
    let recipient = Recipient::new(alg, key).unwrap();
    Sealer::new(recipient)
        .seal(serialization, MESSAGE, &mut SysRng)
        .unwrap()
}

/// A compact JWE with another protected header.
fn with_header(jwe: &str, change: impl FnOnce(&mut Value)) -> String {
    let (protected, rest) = jwe.split_once('.').unwrap();
    let json = BASE64URL_NOPAD.decode(protected.as_bytes()).unwrap();
    let mut header = serde_json::from_slice(&json).unwrap();
    change(&mut header);
    with_protected(&header.to_string(), rest)
}

fn with_protected(json: &str, rest: &str) -> String {
    [&BASE64URL_NOPAD.encode(json.as_bytes()), rest].join(".")
}

#[test]
fn every_algorithm_and_serialization() {
    use Serialization::{Compact, Flattened, General};
    for &alg in ALGORITHMS {
        let (private, public) = pair(alg, "k");
        for serialization in [Compact, Flattened, General] {
            let text = seal(alg, &public, serialization);
            let opened = Opener::new(&[alg]).key(&private).open(&text).unwrap();
            assert_eq!(*opened.plaintext, MESSAGE, "{alg} {serialization}");
            assert_eq!(opened.header.get("kid"), Some(&json!("k")));
            assert_eq!(jwe::inspect(&text).unwrap().0, serialization);
        }
    }
    assert_eq!(ALGORITHMS.len(), 26);
}

#[test]
fn every_content_encryption_with_every_length() {
    let alg = alg("HPKE-3-KE");
    let (private, public) = pair(alg, "k");
    for enc in Enc::ALL {
        for length in [0, 1, 15, 16, 17, 1000] {
            let plaintext = vec![7; length];
            let sealer = Sealer::new(Recipient::new(alg, &public).unwrap()).enc(enc);
            let text = sealer
                .seal(Serialization::Compact, &plaintext, &mut SysRng)
                .unwrap();
            let allowed = [alg];
            let opener = Opener::new(&allowed).key(&private);
            assert_eq!(*opener.open(&text).unwrap().plaintext, plaintext);
            let others: Vec<Enc> = Enc::ALL.into_iter().filter(|other| *other != enc).collect();
            let refused = opener.enc(&others).open(&text).unwrap_err();
            assert_eq!(refused, Error::ContentNotAllowed(enc.name().into()));
        }
    }
}

#[test]
fn aad_info_psk_and_members_are_bound() {
    for name in ["HPKE-3", "HPKE-3-KE"] {
        let alg = alg(name);
        let (private, public) = pair(alg, "k");
        let recipient = Recipient::new(alg, &public).unwrap().info(b"context");
        let recipient = recipient.psk(b"psk 1", PSK).unwrap();
        let sealer = Sealer::new(recipient)
            .aad(b"more")
            .protected("typ", "x")
            .unwrap();
        let text = sealer
            .seal(Serialization::Flattened, MESSAGE, &mut SysRng)
            .unwrap();

        let allowed = [alg];
        let opener = || Opener::new(&allowed).key(&private);
        let opened = opener().info(b"context").psk(b"psk 1", PSK).require_psk();
        let opened = opened.open(&text).unwrap();
        assert_eq!(opened.aad, b"more");
        assert_eq!(opened.psk_id.as_deref(), Some(&b"psk 1"[..]));
        assert_eq!(opened.header.get("typ"), Some(&json!("x")));

        let error = |opener: Opener<'_>| opener.open(&text).unwrap_err();
        assert_eq!(error(opener().info(b"context")), Error::UnknownPsk);
        assert_eq!(error(opener().psk(b"psk 1", PSK)), Error::Open);
        assert_eq!(
            error(opener().info(b"context").psk(b"psk 1", &[8; 32])),
            Error::Open
        );
        let base = seal(alg, &public, Serialization::Compact);
        assert_eq!(
            opener().require_psk().open(&base).unwrap_err(),
            Error::PskRequired
        );
        for other in [r#""aad":"bW9yZg""#, r#""aadd":"bW9yZQ""#] {
            let altered = text.replace(r#""aad":"bW9yZQ""#, other);
            assert_ne!(altered, text);
            let opener = opener().info(b"context").psk(b"psk 1", PSK);
            assert_eq!(opener.open(&altered).unwrap_err(), Error::Open);
        }
    }
}

#[test]
fn several_recipients_of_several_algorithms() {
    let algorithms = ["HPKE-0-KE", "HPKE-3-KE", "HPKE-4-KE"].map(alg);
    let keys = algorithms.map(|alg| pair(alg, alg.name()));
    let mut other = Header::default();
    assert!(other.is_empty());
    other = serde_json::from_value(json!({"alg": "RSA-OAEP-256", "kid": "rsa"})).unwrap();
    let recipient = |n: usize| Recipient::new(algorithms[n], &keys[n].1).unwrap();
    let text = Sealer::new(recipient(0))
        .and(recipient(1))
        .and_other(other, false, |cek| {
            assert_eq!(cek.len(), 16);
            Ok(vec![0; 256])
        })
        .and(recipient(2))
        .enc(Enc::A128Gcm)
        .aad(b"more")
        .seal(Serialization::General, MESSAGE, &mut SysRng)
        .unwrap();
    for (n, (private, _)) in keys.iter().enumerate() {
        let opened = Opener::new(&algorithms).key(private).open(&text).unwrap();
        assert_eq!(*opened.plaintext, MESSAGE);
        assert_eq!((opened.recipient, opened.algorithm), (n, algorithms[n]));
    }
    let (_, recipients) = jwe::inspect(&text).unwrap();
    let names: Vec<_> = recipients
        .iter()
        .map(|one| one.header.get("alg").unwrap().clone())
        .collect();
    assert_eq!(
        names,
        ["HPKE-0-KE", "HPKE-3-KE", "HPKE-4-KE", "RSA-OAEP-256"].map(|name| json!(name))
    );
    let stranger = pair(algorithms[0], "stranger").0;
    let error = Opener::new(&algorithms).key(&stranger).open(&text);
    assert_eq!(error.unwrap_err(), Error::NoKey);
}

#[test]
fn a_message_that_a_serialization_cannot_hold() {
    let usage = |sealer: Sealer<'_>, serialization| {
        let error = sealer
            .seal(serialization, MESSAGE, &mut SysRng)
            .unwrap_err();
        assert!(matches!(error, Error::Usage(_)), "{error:?}");
    };
    let (classical, integrated, pq) = (alg("HPKE-3-KE"), alg("HPKE-3"), alg("HPKE-9-KE"));
    let (_, public) = pair(classical, "k");
    let (_, pq_public) = pair(pq, "k");
    let recipient = |alg| Recipient::new(alg, &public).unwrap();
    let two = || Sealer::new(recipient(classical)).and(recipient(classical));
    usage(two(), Serialization::Compact);
    usage(two(), Serialization::Flattened);
    usage(
        Sealer::new(recipient(classical)).aad(b"more"),
        Serialization::Compact,
    );
    usage(
        Sealer::new(recipient(integrated)).and(recipient(classical)),
        Serialization::General,
    );
    let mixed = Sealer::new(Recipient::new(pq, &pq_public).unwrap());
    usage(mixed.and(recipient(classical)), Serialization::General);
    for serialization in [Serialization::Compact, Serialization::General] {
        let integrated = || Sealer::new(recipient(integrated));
        usage(integrated().enc(Enc::A256Gcm), serialization);
        assert!(
            integrated()
                .seal(serialization, MESSAGE, &mut SysRng)
                .is_ok()
        );
    }
    let mut many = Sealer::new(recipient(classical));
    for _ in 0..MAX_RECIPIENTS {
        many = many.and(recipient(classical));
    }
    usage(many, Serialization::General);
    assert!(
        Sealer::new(recipient(classical))
            .protected("ek", "x")
            .is_err()
    );
    let short = recipient(classical).psk(b"id", &[1; 31]);
    assert!(matches!(short.unwrap_err(), Error::Hpke(_)));
}

/// The header of another algorithm must not make the message invalid.
#[test]
fn headers_of_other_algorithms() {
    let alg = alg("HPKE-3-KE");
    let (private, public) = pair(alg, "k");
    let seal = |header: Value| {
        let sealer = Sealer::new(Recipient::new(alg, &public).unwrap());
        let sealer = sealer.protected("typ", "x").unwrap();
        let header = serde_json::from_value(header).unwrap();
        let sealer = sealer.and_other(header, false, |_| Ok(vec![0; 24]));
        sealer.seal(Serialization::General, MESSAGE, &mut SysRng)
    };
    let text = seal(json!({"alg": "A128KW", "cty": "y"})).unwrap();
    assert!(Opener::new(&[alg]).key(&private).open(&text).is_ok());
    for header in [
        json!({}),
        json!({"alg": 1}),
        json!({"alg": "A128KW", "enc": "A256GCM"}),
        json!({"alg": "A128KW", "typ": "x"}),
        json!({"alg": "A128KW", "zip": "DEF"}),
        json!({"alg": "A128KW", "crit": ["typ"]}),
    ] {
        let error = seal(header.clone()).unwrap_err();
        assert!(matches!(error, Error::Usage(_)), "{header}: {error:?}");
    }
}

#[test]
fn a_key_is_for_its_algorithm_only() {
    let (own, sibling, other) = (alg("HPKE-3"), alg("HPKE-4"), alg("HPKE-0"));
    let (private, public) = pair(own, "k");
    let error = |result: Result<_, Error>| result.err().unwrap();
    assert_eq!(
        error(Recipient::new(other, &public).map(drop)),
        Error::KeyAlgorithm("HPKE-0")
    );
    assert_eq!(
        error(public.clone().with_alg(other).map(drop)),
        Error::KeyAlgorithm("HPKE-0")
    );

    // The same KEM: only the key's own alg keeps the two algorithms apart.
    let text = seal(sibling, &public, Serialization::Compact);
    let allowed = [own, sibling];
    assert!(Opener::new(&allowed).key(&private).open(&text).is_ok());
    let private = private.with_alg(own).unwrap();
    let refused = Opener::new(&allowed).key(&private).open(&text);
    assert_eq!(refused.unwrap_err(), Error::KeyAlgorithm("HPKE-4"));
    let refused = Opener::new(&[own]).key(&private).open(&text);
    assert_eq!(
        refused.unwrap_err(),
        Error::AlgorithmNotAllowed("HPKE-4".into())
    );

    // A JWK whose alg and curve disagree.
    let public = public.with_alg(own).unwrap();
    let jwk = jwe::write_public(&public).unwrap();
    assert!(jwe::public_key(&jwk, &allowed).is_ok());
    for (name, expected) in [
        ("HPKE-0", Error::KeyAlgorithm("HPKE-0")),
        ("ECDH-ES", Error::KeyAlgorithmNotAllowed("ECDH-ES".into())),
    ] {
        let jwk = jwk.replace("HPKE-3", name);
        let error = jwe::public_key(&jwk, ALGORITHMS).unwrap_err();
        assert!(
            error == expected || matches!(error, Error::Key(_)),
            "{error:?}"
        );
    }
    assert!(jwe::public_key(&jwk.replace("\"enc\"", "\"sig\""), &allowed).is_err());
}

/// Integrated messages read as -KE and the other way round, `alg` of other kinds, and a kid of
/// another key.
#[test]
fn algorithm_confusion() {
    let (private, public) = pair(alg("HPKE-3"), "k");
    let integrated = seal(alg("HPKE-3"), &public, Serialization::Compact);
    let key_encryption = seal(alg("HPKE-3-KE"), &public, Serialization::Compact);
    let open = |text: &str| {
        Opener::new(ALGORITHMS)
            .key(&private)
            .open(text)
            .unwrap_err()
    };
    let header =
        |text: &str, name: &str, value: Value| with_header(text, |header| header[name] = value);
    for other in ["dir", "none", "", "hpke-3", "HPKE-3 ", "ECDH-ES", "RSA1_5"] {
        let error = open(&header(&integrated, "alg", json!(other)));
        assert_eq!(error, Error::AlgorithmNotAllowed(other.into()));
    }
    for (text, name, value) in [
        (&integrated, "alg", json!("HPKE-3-KE")),
        (&integrated, "enc", json!("A128GCM")),
        (&integrated, "ek", json!("AA")),
        (&integrated, "alg", json!(["HPKE-3"])),
        (&integrated, "psk_id", json!("not base64url!")),
        (&integrated, "kid", json!(1)),
        (&key_encryption, "alg", json!("HPKE-3")),
        (&key_encryption, "ek", json!("AB")),
        (&key_encryption, "ek", json!("A A")),
        (&key_encryption, "enc", json!(null)),
    ] {
        let error = open(&header(text, name, value.clone()));
        assert!(
            matches!(error, Error::Malformed(_)),
            "{name} {value}: {error:?}"
        );
    }
    for (name, value) in [
        ("crit", json!(["exp"])),
        ("crit", json!([])),
        ("zip", json!("DEF")),
    ] {
        for text in [&integrated, &key_encryption] {
            let error = open(&header(text, name, value.clone()));
            assert!(matches!(error, Error::Refused(_)), "{name}: {error:?}");
        }
    }
    assert_eq!(
        open(&header(&integrated, "alg", json!("HPKE-4"))),
        Error::Open
    );
    assert_eq!(
        open(&header(&integrated, "kid", json!("other"))),
        Error::NoKey
    );
    assert_eq!(
        open(&header(&integrated, "psk_id", json!("AAAA"))),
        Error::UnknownPsk
    );
    let enc = open(&header(&key_encryption, "enc", json!("A192GCM")));
    assert_eq!(enc, Error::ContentNotAllowed("A192GCM".into()));
    let enc = open(&header(&key_encryption, "enc", json!("A128GCM")));
    assert_eq!(enc, Error::Open);
}

/// Anyone can change an unprotected header. Each of the two refuses an `alg` that is only there,
/// another `alg` than the protected one, and `zip`.
#[test]
fn unprotected_headers_choose_nothing() {
    for (name, other) in [
        ("HPKE-3", "HPKE-4"),
        ("HPKE-3-KE", "HPKE-4-KE"),
        ("HPKE-9", "HPKE-3"),
        ("HPKE-9-KE", "dir"),
    ] {
        let alg = alg(name);
        let (private, public) = pair(alg, "k");
        let text = seal(alg, &public, Serialization::Flattened);
        let opener = Opener::new(ALGORITHMS).key(&private);
        let sealed: Value = serde_json::from_str(&text).unwrap();
        let protected = BASE64URL_NOPAD
            .decode(sealed["protected"].as_str().unwrap().as_bytes())
            .unwrap();
        let protected: Value = serde_json::from_slice(&protected).unwrap();
        assert_eq!(protected["alg"], json!(name));
        for place in ["unprotected", "header"] {
            let with = |member: &str, value: Value| {
                let mut message = sealed.clone();
                message[place][member] = value;
                message
            };
            let open = |message: &Value| opener.open(&message.to_string()).unwrap_err();
            // Beside the protected one: the same, another, and one of no kind that is known.
            for value in [json!(name), json!(other), json!("none"), json!(1)] {
                let error = open(&with("alg", value));
                assert!(matches!(error, Error::Malformed(_)), "{name}: {error:?}");
            }
            for value in [json!("DEF"), json!(null), json!(false)] {
                let error = open(&with("zip", value));
                assert!(matches!(error, Error::Refused(_)), "{name}: {error:?}");
            }
            // Only there: Integrated Encryption refuses it, and -KE has authenticated the header
            // from which it is gone.
            let mut rest = protected.clone();
            rest.as_object_mut().unwrap().remove("alg");
            for value in [json!(name), json!(other)] {
                let mut moved = with("alg", value.clone());
                moved["protected"] = json!(BASE64URL_NOPAD.encode(rest.to_string().as_bytes()));
                let error = open(&moved);
                match name.ends_with("-KE") {
                    false => assert!(
                        matches!(error, Error::Malformed(_) | Error::KeyAlgorithm(_)),
                        "{name} {value}: {error:?}"
                    ),
                    true => assert!(
                        matches!(error, Error::Open | Error::AlgorithmNotAllowed(_)),
                        "{name} {value}: {error:?}"
                    ),
                }
            }
        }
        assert!(opener.open(&text).is_ok());
    }
}

/// Tests the requirements of Integrated Encryption (section 5 of the draft) one by one.
#[test]
fn integrated_encryption_in_json() {
    let (private, public) = pair(alg("HPKE-3"), "k");
    let recipient = Recipient::new(alg("HPKE-3"), &public).unwrap();
    let psk = recipient.psk(b"id", PSK).unwrap();
    let text = Sealer::new(psk).seal(Serialization::Flattened, MESSAGE, &mut SysRng);
    let sealed: Value = serde_json::from_str(&text.unwrap()).unwrap();
    let protected = sealed["protected"].as_str().unwrap().as_bytes();
    let header: Value =
        serde_json::from_slice(&BASE64URL_NOPAD.decode(protected).unwrap()).unwrap();
    let open = |change: &dyn Fn(&mut Value)| {
        let mut message = sealed.clone();
        change(&mut message);
        let opener = Opener::new(ALGORITHMS).key(&private).psk(b"id", PSK);
        opener.open(&message.to_string()).map(drop)
    };
    assert_eq!(open(&|_| ()), Ok(()));
    let unprotect = |message: &mut Value, name: &str| {
        let mut protected = header.clone();
        let value = protected.as_object_mut().unwrap().remove(name).unwrap();
        message["protected"] = BASE64URL_NOPAD
            .encode(protected.to_string().as_bytes())
            .into();
        message["header"] = json!({ name: value });
    };
    let two = |message: &mut Value| {
        let key = message.as_object_mut().unwrap().remove("encrypted_key");
        message["recipients"] = json!([{ "encrypted_key": key }, {}]);
    };
    let no_iv_or_tag = "Integrated Encryption has no initialization vector and no tag";
    type Case<'a> = (&'a dyn Fn(&mut Value), &'static str);
    let cases: [Case<'_>; 7] = [
        (
            &|message| message["iv"] = json!("AAAAAAAAAAAAAAAA"),
            no_iv_or_tag,
        ),
        (
            &|message| message["tag"] = json!("AAAAAAAAAAAAAAAAAAAAAA"),
            no_iv_or_tag,
        ),
        (
            &two,
            "an algorithm with Integrated Encryption has exactly one recipient",
        ),
        (
            &|message| unprotect(message, "alg"),
            "alg is not in the protected header, as Integrated Encryption needs it",
        ),
        (
            &|message| unprotect(message, "psk_id"),
            "psk_id is not in the protected header, as Integrated Encryption needs it",
        ),
        (
            &|message| message["header"] = json!({"enc": "A128GCM"}),
            "Integrated Encryption has no enc",
        ),
        (
            &|message| message["header"] = json!({"ek": "AA"}),
            "Integrated Encryption has no ek",
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(open(change), Err(Error::Malformed(expected)));
    }
}

#[test]
fn headers_that_share_a_name_or_have_one_twice() {
    let alg = alg("HPKE-3-KE");
    let (private, public) = pair(alg, "k");
    let text = seal(alg, &public, Serialization::Flattened);
    let open = |text: &str| Opener::new(&[alg]).key(&private).open(text);
    assert!(open(&text).is_ok());
    let insert = |member: &str| text.replacen('{', &format!("{{{member},"), 1);
    assert!(open(&insert(r#""unprotected":{"x":1}"#)).is_ok());
    assert!(open(&insert(r#""extension":{"x":1}"#)).is_ok());
    for member in [
        r#""unprotected":{"alg":"HPKE-3-KE"}"#,
        r#""unprotected":{"x":1,"x":1}"#,
        r#""header":{"enc":"A256GCM"}"#,
        r#""header":{"x":{"y":1,"y":2}}"#,
        r#""header":{"x":1},"unprotected":{"x":1}"#,
        r#""tag":"AAAA""#,
        r#""header":[]"#,
        r#""recipients":[]"#,
        r#""recipients":[{}]"#,
        r#""aad":"""#,
        r#""aad":"YQ==""#,
    ] {
        let error = open(&insert(member)).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)), "{member}: {error:?}");
    }
    for name in ["unprotected", "header", "recipients", "protected", "aad"] {
        let null = format!(r#""{name}":null"#);
        let text = text.replacen(&format!(r#""{name}":"#), r#""other":"#, 1);
        let error = open(&text.replacen('{', &format!("{{{null},"), 1)).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)), "{null}: {error:?}");
    }
    // Members that are not known, at the top and of a recipient.
    assert!(open(&insert(r#""x":1,"y":{"z":1,"z":2}"#)).is_ok());
    assert!(open(&insert(r#""x":1,"x":1"#)).is_err());
    let text = seal(alg, &public, Serialization::General);
    let recipient = |members: &str| {
        let in_recipient = format!(r#""recipients":[{{{members},"#);
        open(&text.replacen(r#""recipients":[{"#, &in_recipient, 1))
    };
    assert!(recipient(r#""x":1,"y":2"#).is_ok());
    for members in [r#""x":1,"x":1"#, r#""header":{}"#, r#""encrypted_key":"""#] {
        let error = recipient(members).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)), "{members}: {error:?}");
    }
    let null = text.replacen("]", r#",{"header":null}]"#, 1);
    assert!(matches!(open(&null), Err(Error::Malformed(_))));
    let compact = seal(alg, &public, Serialization::Compact);
    let (_, rest) = compact.split_once('.').unwrap();
    for json in [
        r#"{"alg":"HPKE-3-KE","alg":"HPKE-3-KE"}"#,
        r#"{"alg":"HPKE-3-KE"}{}"#,
        r#"["alg"]"#,
        "{}",
        "",
        "null",
        "{\"alg\":\"HPKE-3-KE\",\"x\":\"\u{0}\"}",
    ] {
        let error = open(&with_protected(json, rest)).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)), "{json}: {error:?}");
    }
}

/// A message is valid or not whichever recipient opens it (RFC 7516, section 7.2.1).
#[test]
fn a_wrong_header_of_another_recipient() {
    let alg = alg("HPKE-3-KE");
    let (private, public) = pair(alg, "k");
    let text = seal(alg, &public, Serialization::General);
    let open = |recipient: &str| {
        let text = text.replacen(']', &format!(",{recipient}]"), 1);
        let opened = Opener::new(&[alg]).key(&private).open(&text).map(drop);
        assert_eq!(jwe::inspect(&text).map(drop), opened, "{recipient}");
        opened
    };
    assert_eq!(open(r#"{"header":{"alg":"A128KW"}}"#), Ok(()));
    assert_eq!(open("{}"), Ok(()));
    for (name, value) in [("enc", "A256GCM"), ("enc", "A128GCM")] {
        let error = open(&format!(r#"{{"header":{{"{name}":"{value}"}}}}"#));
        let twice = "a header parameter is in more than one header";
        assert_eq!(error, Err(Error::Malformed(twice)));
    }
    // Where enc is not in the protected header.
    let header = |enc: &str| format!(r#"{{"header":{{"alg":"A128KW"{enc}}}}}"#);
    for (encs, same) in [
        ([r#","enc":"A128GCM""#, r#","enc":"A128GCM""#], true),
        ([r#","enc":"A128GCM""#, r#","enc":"A256GCM""#], false),
        ([r#","enc":"A128GCM""#, ""], false),
        (["", r#","enc":"A128GCM""#], false),
    ] {
        let text = format!(
            r#"{{"recipients":[{},{}],"ciphertext":""}}"#,
            header(encs[0]),
            header(encs[1])
        );
        let different = Error::Malformed("enc is not the same for all recipients");
        let opened = Opener::new(&[alg]).key(&private).open(&text).unwrap_err();
        assert_eq!(
            jwe::inspect(&text).err(),
            (!same).then_some(different.clone())
        );
        assert_eq!(opened == different, !same);
    }
}

/// Opening in place must not take the ciphertext from the keys that are tried after it.
#[test]
fn a_key_that_does_not_open_leaves_the_message_to_the_next() {
    use Serialization::{Compact, Flattened, General};
    for alg in ["HPKE-3", "HPKE-3-KE"].map(alg) {
        let [(other, _), (private, public)] = [pair(alg, "k"), pair(alg, "k")];
        for serialization in [Compact, Flattened, General] {
            let text = seal(alg, &public, serialization);
            let allowed = [alg];
            let opener = Opener::new(&allowed).key(&other).key(&private);
            let opened = opener.open(&text).unwrap();
            assert_eq!((opened.key, &opened.plaintext[..]), (1, MESSAGE));
        }
    }
}

#[test]
fn content_that_is_not_base64url() {
    let alg = alg("HPKE-3");
    let (private, public) = pair(alg, "k");
    let text = seal(alg, &public, Serialization::Flattened);
    let (before, rest) = text.split_once(r#""ciphertext":""#).unwrap();
    let (ciphertext, after) = rest.split_once('"').unwrap();
    let with = |value: &str| format!(r#"{before}"ciphertext":{value}{after}"#);
    let open = |text: &str| Opener::new(&[alg]).key(&private).open(text);
    for value in [
        r#""AA+A""#,
        r#""AA/A""#,
        r#""AA==""#,
        r#""AAA A""#,
        r#""AAA\n""#,
        r#""A\ud800""#,
        r#""\u00e9""#,
        "\"\u{e9}\"",
        "null",
        "1",
        "[65]",
        "{}",
    ] {
        let text = with(value);
        let error = open(&text).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)), "{value}: {error:?}");
        assert_eq!(jwe::inspect(&text).unwrap_err(), error, "{value}");
    }
    // JSON may write any character as an escape.
    let (first, others) = (ciphertext.as_bytes()[0], &ciphertext[1..]);
    let escaped = with(&format!(r#""\u{first:04x}{others}""#));
    assert_eq!(*open(&escaped).unwrap().plaintext, MESSAGE);
}

#[test]
fn hostile_texts() {
    let alg = alg("HPKE-3");
    let (private, public) = pair(alg, "k");
    let open = |text: &str| {
        Opener::new(ALGORITHMS)
            .key(&private)
            .open(text)
            .unwrap_err()
    };
    let text = seal(alg, &public, Serialization::Compact);
    let (_, rest) = text.split_once('.').unwrap();

    let large = format!(r#"{{"alg":"HPKE-3","x":"{}"}}"#, "a".repeat(10 << 20));
    assert!(matches!(
        open(&with_protected(&large, rest)),
        Error::TooLong(_)
    ));
    let deep = ["{\"alg\":".repeat(7000), "}".repeat(7000)].concat();
    assert!(matches!(
        open(&with_protected(&deep, rest)),
        Error::Malformed(_)
    ));
    let wide = format!(r#"{{"alg":"HPKE-3","x":[{}0]}}"#, "0,".repeat(20_000));
    assert!(matches!(
        open(&with_protected(&wide, rest)),
        Error::Malformed(_)
    ));
    assert!(large.len() > MAX_HEADER && deep.len() < MAX_HEADER && wide.len() < MAX_HEADER);
    let recipients = format!(
        r#"{{"ciphertext":"","recipients":[{}{{}}]}}"#,
        "{},".repeat(1 << 20)
    );
    assert!(matches!(open(&recipients), Error::Malformed(_)));
    for unprotected in [
        format!(
            r#"{{"unprotected":{},"ciphertext":""}}"#,
            "[".repeat(10 << 20)
        ),
        format!(
            r#"{{"unprotected":{{"x":[{}0]}},"ciphertext":""}}"#,
            "0,".repeat(5 << 20)
        ),
    ] {
        let error = open(&unprotected);
        assert!(matches!(error, Error::Malformed(_) | Error::TooLong(_)));
    }

    // The shared header and 256 recipients, each of which has it in its own.
    let recipients = vec!["{}"; MAX_RECIPIENTS].join(",");
    for shared in [MAX_HEADER + 1, 4 << 20] {
        for header in ["unprotected", "header"] {
            let value = format!(r#"{{"x":"{}"}}"#, "a".repeat(shared - 8));
            assert_eq!(value.len(), shared);
            let text = match header {
                "unprotected" => format!(
                    r#"{{"unprotected":{value},"recipients":[{recipients}],"ciphertext":""}}"#
                ),
                _ => format!(r#"{{"recipients":[{{"header":{value}}}],"ciphertext":""}}"#),
            };
            let error = Error::TooLong("an unprotected header is longer than 64 KiB");
            assert_eq!(open(&text), error);
            assert_eq!(jwe::inspect(&text).unwrap_err(), error);
        }
    }

    let members = |name: &str, count: usize| {
        let members: Vec<_> = (0..count).map(|n| format!("\"{name}{n}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    for (shared, own, too_many) in [(200, 56, false), (200, 57, true), (256, 256, true)] {
        let recipient = format!(r#"{{"header":{}}}"#, members("b", own));
        let text = format!(
            r#"{{"unprotected":{},"recipients":[{}],"ciphertext":""}}"#,
            members("a", shared),
            vec![recipient; MAX_RECIPIENTS].join(",")
        );
        let error = Error::TooLong("the headers of a recipient have more than 256 members");
        assert_eq!(jwe::inspect(&text).err(), too_many.then_some(error));
    }

    for cut in (0..text.len()).step_by(7) {
        let error = open(&text[..cut]);
        assert!(
            matches!(error, Error::Malformed(_) | Error::Open),
            "{cut}: {error:?}"
        );
    }
    for (from, to) in [
        (".", ".="),
        (".", ". "),
        (".", "."),
        ("..", ".A."),
        (".", ".+"),
        (".", "./"),
    ] {
        let altered = text.replacen(from, to, 2);
        if altered != text {
            let error = open(&altered);
            assert!(
                matches!(error, Error::Malformed(_) | Error::Open),
                "{to}: {error:?}"
            );
        }
    }
    // An encapsulated key of low order is as good as an altered one.
    let mut parts: Vec<&str> = text.split('.').collect();
    let zeros = BASE64URL_NOPAD.encode(&[0; 32]);
    parts[1] = &zeros;
    assert_eq!(open(&parts.join(".")), Error::Open);
    for parts in [
        "",
        "a",
        "....",
        "a.b.c.d",
        "a.b.c.d.e.f",
        &format!("{text}."),
    ] {
        assert!(matches!(open(parts), Error::Malformed(_)), "{parts}");
    }
}

#[test]
fn names_of_the_table_are_unique() {
    for (n, alg) in ALGORITHMS.iter().enumerate() {
        assert_eq!(
            alg.name().ends_with("-KE"),
            alg.mode() == KeyManagement::KeyEncryption
        );
        let rest = &ALGORITHMS[n + 1..];
        assert!(
            rest.iter()
                .all(|other| other.name() != alg.name() && other.cose() != alg.cose())
        );
        assert!(
            rest.iter()
                .all(|other| (other.suite_id(), other.mode()) != (alg.suite_id(), alg.mode()))
        );
        assert!(alg.suite().is_ok());
    }
}
