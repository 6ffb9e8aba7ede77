//! Envelopes of agent receipts: the published vectors, one by obsigna 0.16.0 with a true `kid`, and
//! hostile ones.

use data_encoding::HEXLOWER;
use pqseal_keys::kem_by_name;
use pqseal_matched_data::KeyRing;
use pqseal_sealed::{Error, Keys, Kind, describe};
use serde_json::{Value, json};

/// A key that nothing here is sealed to.
const OTHER: &str = "0101010101010101010101010101010101010101010101010101010101010101";
const OBSIGNA_KEY: &str = "53b624454d61770a2843efb1c272900cb52ecc348f60c999165a164815174988";
const OBSIGNA: &str = r#"{"alg":"hpke-x25519-hkdf-sha256-aes-256-gcm","ct":"e23uqtqrpxXJCATMX0HSwuVakTEZjxStPicAAWwIMH_cH3TC13LDPF1uTNk","recipients":[{"enc":"ySU77VYF9AnoC0Fu_C1grweNTI0xTPNO14P8ATGP4h4","kid":"sha256:61661298f0b3c8a858bc4680d3a52df44e8bab32d893a3ac794c9fd2bf4dce4b"}],"v":"1"}"#;

fn keys(hex: &[&str]) -> Keys {
    let kem = kem_by_name("x25519").unwrap();
    let mut ring = KeyRing::new();
    for hex in hex {
        let bytes = HEXLOWER.decode(hex.as_bytes()).unwrap();
        ring.add(&kem.deserialize_private_key(&bytes).unwrap())
            .unwrap();
    }
    Keys::new(&ring).unwrap()
}

fn open(keys: &Keys, envelope: &Value) -> Result<(usize, Vec<u8>), Error> {
    let opened = keys.open(Kind::AgentReceipt, envelope.to_string().as_bytes())?;
    let opened = opened.expect("it is an envelope");
    Ok((opened.key, opened.plaintext))
}

fn envelope() -> Value {
    serde_json::from_str(OBSIGNA).unwrap()
}

/// The `kid` of both vectors is wrong, so their key is found by trying.
#[test]
fn published_vectors_open_though_their_kid_is_wrong() {
    for vector in test_vectors::receipts().entries {
        let key = HEXLOWER.encode(&vector.sk_r);
        let keys = keys(&[OTHER, OBSIGNA_KEY, &key]);
        let (place, plaintext) = open(&keys, &vector.envelope).unwrap();
        assert_eq!(
            (place, plaintext.len()),
            (2, vector.pt_len),
            "{}",
            vector.name
        );
        assert_eq!(test_vectors::sha256(&plaintext).to_vec(), vector.pt_sha256);
        let text = vector.envelope.to_string();
        assert_eq!(Kind::detect(text.as_bytes()), Some(Kind::AgentReceipt));
        let found = describe(text.as_bytes()).unwrap().unwrap();
        assert_eq!(found.plaintext_len, Some(vector.pt_len));
    }
}

#[test]
fn a_true_kid_names_its_key() {
    let keys = keys(&[OTHER, OBSIGNA_KEY]);
    let opened = open(&keys, &envelope());
    assert_eq!(opened, Ok((1, br#"{"exit":0,"stdout":"done\n"}"#.to_vec())));
}

#[test]
fn envelopes_that_do_not_open_have_a_reason() {
    let with = |change: fn(&mut Value)| {
        let mut value = envelope();
        change(&mut value);
        open(&keys(&[OTHER, OBSIGNA_KEY]), &value).map_err(|error| error.code())
    };
    assert_eq!(
        with(|value| value["v"] = "2".into()),
        Err("unsupported_version")
    );
    // Another version may have other members.
    for v in [json!(1), json!("2"), json!(null), json!(["1"])] {
        let mut other = envelope();
        (other["v"], other["further"]) = (v, json!(1));
        let opened = open(&keys(&[OBSIGNA_KEY]), &other);
        assert_eq!(opened, Err(Error::EnvelopeVersion), "{other}");
    }
    let without = |name: &str| {
        let mut value = envelope();
        value.as_object_mut().unwrap().remove(name);
        open(&keys(&[OBSIGNA_KEY]), &value)
    };
    for name in ["v", "alg"] {
        assert_eq!(without(name), Err(Error::Envelope), "{name}");
    }
    assert_eq!(
        with(|value| value["nonce"] = "AA".into()),
        Err("bad_object")
    );
    assert_eq!(
        with(|value| value["alg"] = "hpke".into()),
        Err("unsupported_suite")
    );
    assert_eq!(
        with(|value| value["recipients"] = json!([])),
        Err("recipient_count")
    );
    let many = |value: &mut Value| {
        let one = value["recipients"][0].clone();
        value["recipients"] = vec![one; 10_000].into();
    };
    assert_eq!(with(many), Err("recipient_count"));
    assert_eq!(with(|value| value["ct"] = "AAAA".into()), Err("bad_length"));
    assert_eq!(with(|value| value["ct"] = "A+==".into()), Err("bad_base64"));
    for blank in [" ", "\n", "\t"] {
        for at in [0, 7] {
            let mut value = envelope();
            let mut ct = value["ct"].as_str().unwrap().to_owned();
            ct.insert_str(at, blank);
            value["ct"] = ct.into();
            let code = open(&keys(&[OBSIGNA_KEY]), &value).map_err(|error| error.code());
            assert_eq!(code, Err("bad_base64"), "{blank:?} at {at}");
        }
    }
    assert_eq!(
        with(|value| value["recipients"][0]["enc"] = "AAAA".into()),
        Err("bad_length")
    );
    let zeros = |value: &mut Value| value["recipients"][0]["enc"] = "A".repeat(43).into();
    assert_eq!(with(zeros), Err("no_key_matched"));
    // The ciphertext of another envelope under this one's key.
    let swapped = |value: &mut Value| {
        value["ct"] = test_vectors::receipts().entries[0].envelope["ct"].clone();
    };
    assert_eq!(with(swapped), Err("no_key_matched"));
    let opened = open(&keys(&[OTHER]), &envelope());
    assert_eq!(opened, Err(Error::NoKeyOpens));
    assert_eq!(open(&keys(&[]), &envelope()), Err(Error::NoX25519Key));
}

/// Records of other programs, such as those of mail, have members of these names too.
#[test]
fn an_incomplete_envelope_is_not_detected() {
    for other in [
        json!({ "recipients": ["a@example.com"], "ct": "text/plain" }),
        json!({ "recipients": "all", "ct": "AAAA", "v": "1", "alg": "none" }),
        json!({ "recipients": [], "ct": 1, "v": "1", "alg": "none" }),
    ] {
        assert_eq!(Kind::detect(other.to_string().as_bytes()), None, "{other}");
    }
    let mut of_another_version = envelope();
    of_another_version["v"] = 2.into();
    let text = of_another_version.to_string();
    assert_eq!(Kind::detect(text.as_bytes()), Some(Kind::AgentReceipt));
    assert_eq!(describe(text.as_bytes()), Err(Error::EnvelopeVersion));
}

/// The keys of calendars open only matched data.
#[test]
fn a_calendar_has_no_key_for_it() {
    let error = open(&keys(&[]), &envelope()).unwrap_err();
    assert!(error.to_string().contains("not in a calendar"), "{error}");
}

/// Version 0.2 of receipts had a map of clear strings in the place of the envelope.
#[test]
fn a_map_of_clear_strings_is_not_an_envelope() {
    for clear in [
        r#"{"command":"ls"}"#,
        r#"{"recipients":"all","ct":"AAAA"}"#,
        r#"{"recipients":[]}"#,
        "[]",
        "",
    ] {
        let opened = keys(&[OBSIGNA_KEY]).open(Kind::AgentReceipt, clear.as_bytes());
        assert_eq!(opened, Ok(None), "{clear}");
    }
}
