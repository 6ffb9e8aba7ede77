//! Objects of AI Gateway, made by pyca, Node and OpenSSL (`tests/make.py`), and hostile ones.

use aws_lc_rs::rsa::{OAEP_SHA256_MGF1SHA256, OaepPrivateDecryptingKey, PrivateDecryptingKey};
use data_encoding::BASE64;
use pqseal_keys::KeyText;
use pqseal_matched_data::KeyRing;
use pqseal_sealed::{AiGatewayObject, Error, Keys, Kind, OtherKey, describe, objects};
use serde_json::{Value, json};

fn file() -> Value {
    serde_json::from_str(include_str!("../ai_gateway.json")).unwrap()
}

fn key(file: &Value, bits: &str) -> OtherKey {
    let text = KeyText::new(file["keys"][bits].as_str().unwrap().as_bytes()).unwrap();
    let (_, mut others) = OtherKey::read_all(&text, None, |_| panic!("skipped")).unwrap();
    others.remove(0)
}

/// Returns the keys of these sizes.
fn keys(file: &Value, sizes: &[&str]) -> Keys {
    let mut keys = Keys::new(&KeyRing::new()).unwrap();
    for bits in sizes {
        keys.add(&key(file, bits)).unwrap();
    }
    keys
}

fn open(keys: &Keys, value: &Value) -> Result<Vec<u8>, Error> {
    let opened = keys.open(Kind::AiGateway, value.to_string().as_bytes())?;
    Ok(opened.expect("the value is sealed").plaintext)
}

/// Returns the first object to the key of 2,048 bits, with this member changed.
fn with(file: &Value, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Value {
    let mut value = file["objects"][0]["value"].clone();
    let mut bytes = BASE64
        .decode(value[name].as_str().unwrap().as_bytes())
        .unwrap();
    change(&mut bytes);
    value[name] = BASE64.encode(&bytes).into();
    value
}

#[test]
fn objects_of_three_makers_open() {
    let file = file();
    let keys = keys(&file, &["4096", "2048", "3072"]);
    let places = ["4096", "2048", "3072"];
    for object in file["objects"].as_array().unwrap() {
        let text = object["value"].to_string();
        assert_eq!(Kind::detect(text.as_bytes()), Some(Kind::AiGateway));
        let opened = keys.open(Kind::AiGateway, text.as_bytes());
        let opened = opened.unwrap().unwrap();
        assert_eq!(
            opened.plaintext,
            object["text"].as_str().unwrap().as_bytes()
        );
        assert_eq!(places[opened.key], object["key"].as_str().unwrap());
        let found = describe(text.as_bytes()).unwrap().unwrap();
        let bits = object["key"].as_str().unwrap().parse::<usize>().unwrap();
        assert_eq!(found.wrapped_key_len, Some(bits / 8));
        assert_eq!(found.plaintext_len, Some(opened.plaintext.len()));
    }
}

#[test]
fn other_paddings_and_key_sizes_fail_like_a_wrong_tag() {
    let file = file();
    let keys = keys(&file, &["2048"]);
    let refused = file["refused"].as_object().unwrap();
    assert_eq!(refused.len(), 4);
    for (name, value) in refused {
        assert_eq!(open(&keys, value), Err(Error::NoKeyOpens), "{name}");
    }
    for name in ["key", "iv", "data"] {
        for at in [0, 11] {
            let altered = with(&file, name, |bytes| bytes[at] ^= 1);
            // The second time the key is cached, as random as it is.
            for _ in 0..2 {
                assert_eq!(open(&keys, &altered), Err(Error::NoKeyOpens), "{name}");
            }
        }
    }
}

#[test]
fn malformed_objects_have_their_own_reasons() {
    let file = file();
    let keys = keys(&file, &["2048"]);
    for len in [0, 11, 13, 16] {
        let value = with(&file, "iv", |iv| iv.resize(len, 0));
        assert_eq!(open(&keys, &value), Err(Error::Iv(len)));
    }
    for len in [0, 15] {
        let value = with(&file, "data", |data| data.truncate(len));
        assert_eq!(open(&keys, &value), Err(Error::Short(len)));
    }
    for len in [0, 255, 257, 384, 513, 100_000] {
        let value = with(&file, "key", |key| key.resize(len, 1));
        assert_eq!(open(&keys, &value), Err(Error::WrappedKey(len)));
        // Without keys, nothing is said about given ones.
        let described = describe(value.to_string().as_bytes());
        match (256..=512).contains(&len) {
            true => assert!(described.is_ok()),
            false => assert!(!described.unwrap_err().to_string().contains("given")),
        }
    }
    // A modulus-sized number that is not below the modulus.
    let value = with(&file, "key", |key| key.fill(0xff));
    assert_eq!(open(&keys, &value), Err(Error::NoKeyOpens));
    for name in ["key", "iv", "data"] {
        for other in [json!(null), json!(1), json!(["AA=="])] {
            let mut value = file["objects"][0]["value"].clone();
            value[name] = other;
            assert_eq!(open(&keys, &value), Err(Error::Member(name)));
            value.as_object_mut().unwrap().remove(name);
            assert_eq!(open(&keys, &value), Err(Error::Member(name)));
        }
        let mut value = file["objects"][0]["value"].clone();
        value[name] = "not base64!".into();
        let code = open(&keys, &value).map_err(|error| error.code());
        assert_eq!(code, Err("bad_base64"), "{name}");
    }
    let none = Keys::new(&KeyRing::new()).unwrap();
    assert_eq!(
        open(&none, &file["objects"][0]["value"]),
        Err(Error::NoRsaKey)
    );
}

#[test]
fn values_in_the_clear_are_not_sealed() {
    let file = file();
    let keys = keys(&file, &["2048"]);
    for clear in [
        "",
        "text",
        "1",
        "null",
        "[]",
        "{}",
        "{",
        r#"["type","encrypted"]"#,
        r#"{"type":"text","key":"AA==","iv":"AA==","data":"AA=="}"#,
        r#"{"type":null}"#,
        r#"{"body":{"type":"encrypted","key":"AA==","iv":"AA==","data":"AA=="}}"#,
        r#"{"type":"encrypted","type":"text"}"#,
    ] {
        assert_eq!(
            keys.open(Kind::AiGateway, clear.as_bytes()),
            Ok(None),
            "{clear}"
        );
        assert_eq!(Kind::detect(clear.as_bytes()), None, "{clear}");
    }
}

/// Records of other programs have members of these names too.
#[test]
fn an_incomplete_object_is_detected_nowhere_and_fails_where_one_is_expected() {
    let file = file();
    let keys = keys(&file, &["2048"]);
    let disk = json!({ "type": "encrypted", "size": 5 });
    assert_eq!(open(&keys, &disk), Err(Error::Member("key")));
    let mut incomplete = vec![disk];
    for name in ["key", "iv", "data"] {
        for other in [json!(null), json!(1), json!(["AA=="])] {
            let mut value = file["objects"][0]["value"].clone();
            value[name] = other;
            incomplete.push(value);
        }
    }
    for value in incomplete {
        let text = value.to_string();
        assert_eq!(Kind::detect(text.as_bytes()), None, "{text}");
        assert_eq!(describe(text.as_bytes()), Ok(None), "{text}");
        let record = json!({ "disk": [value], "sealed": file["objects"][0]["value"] });
        let record = record.to_string();
        let found = objects(record.as_bytes()).unwrap();
        let paths: Vec<_> = found.iter().map(|(path, _)| &**path).collect();
        assert_eq!(paths, [".sealed"], "{record}");
    }
}

/// Nothing binds a value to its field or record, so swapped values open. This documents it.
#[test]
fn swapped_values_open() {
    let file = file();
    let keys = keys(&file, &["2048"]);
    let [first, second] = [0, 1].map(|place| &file["objects"][place]);
    let text = |object: &Value| object["text"].as_str().unwrap().as_bytes().to_vec();
    let open_at = |record: &Value, path: &str| {
        let record = record.to_string();
        let found = objects(record.as_bytes()).unwrap();
        let (_, object) = found.iter().find(|(found, _)| found == path).unwrap();
        keys.open(Kind::AiGateway, object)
            .unwrap()
            .unwrap()
            .plaintext
    };
    let mut record = json!({ "RequestBody": first["value"], "ResponseBody": second["value"] });
    assert_eq!(open_at(&record, ".RequestBody"), text(first));
    record["RequestBody"] = second["value"].clone();
    record["ResponseBody"] = first["value"].clone();
    assert_eq!(open_at(&record, ".RequestBody"), text(second));
    assert_eq!(open_at(&record, ".ResponseBody"), text(first));
    // Key, IV and data of one value belong together.
    for name in ["key", "iv", "data"] {
        let mut mixed = first["value"].clone();
        mixed[name] = second["value"][name].clone();
        assert_eq!(open(&keys, &mixed), Err(Error::NoKeyOpens), "{name}");
    }
}

#[test]
fn base64_may_be_of_any_variant_and_members_in_any_order() {
    let file = file();
    let keys = keys(&file, &["2048"]);
    let value = &file["objects"][0]["value"];
    let url = |name: &str| {
        let text = value[name].as_str().unwrap();
        text.trim_end_matches('=')
            .replace('+', "-")
            .replace('/', "_")
    };
    let escaped = value["data"].as_str().unwrap().replace('/', r"\/");
    let text = format!(
        r#" {{"more":[1],"data":"{escaped}","iv":"{}","type":"\u0065ncrypted","key":"{}"}} "#,
        url("iv"),
        url("key"),
    );
    let opened = keys.open(Kind::AiGateway, text.as_bytes()).unwrap();
    let expected = file["objects"][0]["text"].as_str().unwrap();
    assert_eq!(opened.unwrap().plaintext, expected.as_bytes());
}

#[test]
fn base64_may_have_line_breaks() {
    let file = file();
    let mut objects = file["objects"].as_array().unwrap().iter();
    let object = objects.find(|object| object["key"] == "4096").unwrap();
    let mut value = object["value"].clone();
    for name in ["key", "iv", "data"] {
        let text = value[name].as_str().unwrap().as_bytes();
        let lines = text
            .chunks(76)
            .map(|line| std::str::from_utf8(line).unwrap());
        value[name] = lines
            .map(|line| line.to_owned() + "\r\n")
            .collect::<String>()
            .into();
    }
    let opened = open(&keys(&file, &["4096"]), &value);
    assert_eq!(opened, Ok(object["text"].as_str().unwrap().into()));
}

/// As a page does, whose WebCrypto has RSA and whose WebAssembly has not.
#[test]
fn objects_open_with_a_key_that_the_caller_unwraps() {
    let file = file();
    for object in file["objects"].as_array().unwrap() {
        let pkcs8 = key(&file, object["key"].as_str().unwrap())
            .to_bytes()
            .unwrap();
        let rsa = PrivateDecryptingKey::from_pkcs8(&pkcs8).unwrap();
        let rsa = OaepPrivateDecryptingKey::new(rsa).unwrap();
        let value = object["value"].to_string();
        let sealed = AiGatewayObject::parse(value.as_bytes()).unwrap().unwrap();
        let mut out = vec![0; rsa.min_output_size()];
        let unwrapped = rsa.decrypt(
            &OAEP_SHA256_MGF1SHA256,
            sealed.wrapped_key(),
            &mut out,
            None,
        );
        let mut unwrapped: [u8; 32] = (*unwrapped.unwrap()).try_into().unwrap();
        let opened = sealed.open(Some(&unwrapped));
        assert_eq!(opened.unwrap(), object["text"].as_str().unwrap().as_bytes());
        unwrapped[0] ^= 1;
        assert_eq!(sealed.open(Some(&unwrapped)), Err(Error::NoKeyOpens));
        assert_eq!(sealed.open(None), Err(Error::NoKeyOpens));
    }
}
