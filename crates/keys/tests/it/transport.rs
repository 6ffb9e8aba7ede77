//! What happens to the text of a key on its way: undone, or named.

use pqseal_keys::{
    Content, KeyError, KeyFormat, KeyText, LineError, public_key, read_key, read_private,
    read_private_keys, read_public, write_private, write_private_der, write_public,
};

use crate::common::{bytes, kem, pair};

const RAW: &str = "uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=";

fn format(format: KeyFormat) -> String {
    let key = read_private(RAW, None).unwrap();
    write_private(&key, format).unwrap().to_string()
}

fn utf16(text: &str, mark: bool, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some('\u{feff}');
    let units = mark.into_iter().chain(text.chars()).map(|c| c as u16);
    units.flat_map(order).collect()
}

/// Each of these is read by all readers of private keys.
#[test]
fn undone() {
    let [pem, jwk, line] = [KeyFormat::Pem, KeyFormat::Jwk, KeyFormat::Line].map(format);
    let mut all = Vec::new();
    for text in [RAW, &pem, &jwk, &line] {
        let text = text.trim_end();
        all.extend([
            format!("\u{feff}{text}"),
            format!("\u{feff}\u{200b}\u{a0} {text}\u{200b}\r\n\r\n"),
            text.replace('\n', "\r\n"),
            format!("  {}", text.replace('\n', "\n\t")),
            format!("\u{feff}# label\r\n\r\n{text}"),
        ]);
        if text != jwk.trim_end() {
            for (open, close) in [("\"", "\""), ("'", "'"), ("\u{201c}", "\u{201d}")] {
                all.push(format!(" {open}{text}{close}\n"));
            }
        }
    }
    let json = serde_json::json!({"type": "hpke", "private_key": pem}).to_string();
    let null = jwk.replace('}', r#","y":null,"alg":null,"use":null,"key_ops":null}"#);
    all.extend([json, null, format!(r#"{{"keys":[{jwk}]}}"#)]);
    for text in all {
        let key = read_private(&text, None).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(bytes(&key), bytes(&read_private(RAW, None).unwrap()));
        let keys = read_private_keys(&text, None).unwrap();
        assert_eq!(keys.len(), 1, "{text}");
        assert_eq!(bytes(&keys[0].key), bytes(&key), "{text}");
    }
}

/// Each of these is refused with an error that names what it is.
#[test]
fn named() {
    let pem = format(KeyFormat::Pem);
    let der = pem.lines().nth(1).unwrap();
    let hex: String = bytes(&read_private(RAW, None).unwrap())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let texts = [
        (hex.clone(), "hexadecimal"),
        (hex.to_uppercase(), "hexadecimal"),
        (pqseal_keys::base64::encode(RAW.as_bytes()), "base64 twice"),
        (pqseal_keys::base64::encode(pem.as_bytes()), "base64 twice"),
        (der.to_owned(), "DER in base64"),
        (pem.replace('\n', "\\n"), "line breaks are written as \\n"),
        (format!("MATCHED_PAYLOAD_PRIVATE_KEY={RAW}"), ".env"),
        (format!("export KEY=\"{RAW}\""), ".env"),
        (format!("private_key: {RAW}"), "YAML"),
        (format!("  \"private_key\": \"{RAW}\","), "member of JSON"),
        (format!("{RAW}%"), "zsh"),
    ];
    for (text, name) in texts {
        for text in [text.clone(), format!("# label\n{text}\n")] {
            let is_named = |error: Option<KeyError>| matches!(error, Some(KeyError::Text(words)) if words.contains(name));
            assert!(is_named(read_private(&text, None).err()), "{text}");
            assert!(is_named(read_public(&text, None).err()), "{text}");
            let several = read_private_keys(&text, None).unwrap_err();
            assert!(is_named(Some(several.error)), "{text}: {several}");
        }
    }
    for text in [RAW, &pem] {
        for file in [
            utf16(text, true, u16::to_le_bytes),
            utf16(text, true, u16::to_be_bytes),
            utf16(text, false, u16::to_le_bytes),
        ] {
            let error = read_private(&file, None).err();
            assert!(matches!(error, Some(KeyError::Text(words)) if words.contains("UTF-16")));
        }
    }
    // Damage is not given the name of an encoding.
    for text in ["", "AAAA", "a=b", "key: value", &RAW[1..], &hex[1..]] {
        let error = read_private(text, None).err();
        assert!(
            !matches!(error, Some(KeyError::Text(_))),
            "{text}: {error:?}"
        );
    }
}

#[test]
fn binary_files() {
    let raw = bytes(&read_private(RAW, None).unwrap());
    let error = read_private(&raw, None).err();
    assert!(matches!(error, Some(KeyError::Text(why)) if why.contains("raw bytes")));
    assert_eq!(read_private(&raw[1..], None).err(), Some(KeyError::Der));
    let der = write_private_der(&read_private(RAW, None).unwrap()).unwrap();
    let key = read_key(&der, None, None).unwrap();
    assert_eq!(key.into_public(), read_public(&der, None));
    assert!(matches!(
        KeyText::new(&der).unwrap().single(),
        Content::Binary(_)
    ));
}

/// DER whose structure is not that of its RFC: read, or refused with the reason.
#[test]
fn encodings_of_other_programs() {
    let tlv = |tag: u8, parts: &[&[u8]]| {
        let contents = parts.concat();
        let length = u8::try_from(contents.len()).unwrap();
        [&[tag, length], &contents[..]].concat()
    };
    let pkcs8 = |algorithm: &str, key: &[u8]| {
        let algorithm = data_encoding::HEXLOWER.decode(algorithm.as_bytes());
        tlv(0x30, &[&[2, 1, 0], &algorithm.unwrap(), &tlv(4, &[key])])
    };
    let seed: [u8; 64] = std::array::from_fn(|n| n.to_le_bytes()[0]);
    let named = |der: &[u8], name: &str| {
        let error = read_private(der, None).err();
        let found = matches!(error, Some(KeyError::Text(why)) if why.contains(name));
        assert!(found, "{error:?}");
    };
    let ml_kem = "300b0609608648016503040402";
    named(&pkcs8(ml_kem, &seed), "RFC 9935");
    named(&pkcs8(ml_kem, &tlv(4, &[&seed])), "RFC 9935");

    // X-Wing as draft-connolly-cfrg-xwing-kem writes it.
    let x_wing = pkcs8("300d060b2b0601040183e62d81c87a", &seed[..32]);
    let key = read_private(&x_wing, None).unwrap();
    assert_eq!((key.kem().id, bytes(&key)), (0x647a, seed[..32].to_vec()));
    assert_eq!(
        write_private(&key, KeyFormat::Pem).err(),
        Some(KeyError::FormatLacksKem)
    );

    // RFC 5915: the private key has the size of its curve, and its point may be compressed.
    let key = pair(kem("p256"), 1);
    let (private, public) = (bytes(&key.private), key.public.as_ref());
    let ec = |private: &[u8], point: &[u8]| {
        let point = tlv(0xa1, &[&tlv(3, &[&[0], point])]);
        let key = tlv(0x30, &[&[2, 1, 1], &tlv(4, &[private]), &point]);
        pkcs8("301306072a8648ce3d020106082a8648ce3d030107", &key)
    };
    let point = [&[2 | public[64] & 1], &public[1..33]].concat();
    let read = read_private(ec(&private, &point), None).unwrap();
    assert_eq!(bytes(&read), private);
    let other = [&[3 ^ public[64] & 1], &public[1..33]].concat();
    assert_eq!(
        read_private(ec(&private, &other), None).err(),
        Some(KeyError::Mismatch)
    );
    named(&ec(&private[1..], &point), "RFC 5915");
    named(&ec(&[&[0], &private[..]].concat(), &point), "RFC 5915");
}

/// RFC 7517, section 5: keys that cannot be used are skipped, and reported.
#[test]
fn jwk_sets() {
    let [a, b] = [1, 2].map(|n| pair(kem("p256"), n));
    let [first, second] = [&a, &b].map(|key| {
        write_private(&key.private, KeyFormat::Jwk)
            .unwrap()
            .to_string()
    });
    let public = write_public(&a.public, KeyFormat::Jwk).unwrap();
    let rsa = r#"{"kty":"RSA","n":"AQAB"}"#;
    let set = |keys: &[&str]| format!("{{\"keys\": [{}]}}", keys.join(","));
    let read = |text: &str| {
        let mut skipped = Vec::new();
        let text = KeyText::new(text.as_bytes()).unwrap();
        let keys = text.private_keys(None, |entry| skipped.push(entry.line));
        keys.map(|keys| {
            (
                keys.iter().map(|found| bytes(&found.key)).collect(),
                skipped,
            )
        })
    };
    let both: Vec<_> = [&a, &b].map(|key| bytes(&key.private)).into();
    assert_eq!(read(&set(&[&first, &second])), Ok((both.clone(), vec![])));
    assert_eq!(read(&set(&[&first, rsa, &second])), Ok((both, vec![1])));
    let public_only = LineError::from(KeyError::PublicOnly);
    assert_eq!(read(&set(&[&public])), Err(public_only));
    assert!(read(&set(&[])).is_err());
    let one = set(&[rsa, &second]);
    assert_eq!(bytes(&read_private(&one, None).unwrap()), bytes(&b.private));
    assert_eq!(read_public(set(&[&public]), None).as_ref(), Ok(&a.public));
    assert_eq!(read_public(&one, None), public_key(&b.private));
    for text in [set(&[&first, &second]), format!(r#"{{"jwk":{first}}}"#)] {
        assert!(matches!(read_private(&text, None), Err(KeyError::Jwk(_))));
        assert!(matches!(read_public(&text, None), Err(KeyError::Jwk(_))));
    }
}

/// Text and other blocks around PEM blocks are reported; what should be a key is an error.
#[test]
fn nothing_is_skipped_silently() {
    let pem = format(KeyFormat::Pem);
    let skipped = |text: &str| {
        let mut lines = Vec::new();
        let text = KeyText::new(text.as_bytes()).unwrap();
        let keys = text.private_keys(None, |entry| lines.push(entry.line));
        keys.map(|keys| (keys.len(), lines))
    };
    let ec = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    let text = format!("Bag Attributes\n    key: value\n{ec}{pem}{RAW}\nwords\n");
    assert_eq!(skipped(&text), Ok((2, vec![1, 2, 3, 10])));
    for line in [
        &RAW[4..],
        "AGE-SECRET-KEY-1SRFD6CK85AW8SZZ5QETPHZC0Y022JQLN8V6QXCAKXHVUR4KYRM5QNGRE7A",
    ] {
        let line = format!("{pem}# a\n{line}\n");
        assert_eq!(skipped(&line).unwrap_err().line, Some(5), "{line}");
    }
}
