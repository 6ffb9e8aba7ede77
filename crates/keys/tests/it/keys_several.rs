//! Key files of several keys, with comments that name them.

use getrandom::SysRng;
use pqseal_hpke::Policy;
use pqseal_keys::{KeyError, KeyFormat, LineError, kem_by_name};

/// A fresh private key of a KEM in a form, without its line break.
fn key(kem: &str, form: KeyFormat) -> String {
    let (private, _) =
        pqseal_keys::generate(kem_by_name(kem).unwrap(), &Policy::draft(), &mut SysRng).unwrap();
    pqseal_keys::write_private(&private, form)
        .unwrap()
        .trim_end()
        .to_owned()
}

fn raw() -> String {
    key("x25519", KeyFormat::Raw)
}

/// The keys found, raw, and their labels.
fn found(text: &str) -> Vec<(String, Option<String>)> {
    let keys = pqseal_keys::read_private_keys(text, None).unwrap();
    let raw = |found: &pqseal_keys::LabelledKey| {
        pqseal_keys::write_private(&found.key, KeyFormat::Raw)
            .unwrap()
            .trim_end()
            .to_owned()
    };
    keys.into_iter()
        .map(|found| (raw(&found), found.label))
        .collect()
}

fn labels(text: &str) -> Vec<Option<String>> {
    found(text).into_iter().map(|(_, label)| label).collect()
}

fn error(text: &str) -> LineError {
    pqseal_keys::read_private_keys(text, None).unwrap_err()
}

fn label(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_comment_names_the_key_beside_it_or_below() {
    let [a, b, c, d] = [raw(), raw(), raw(), raw()];
    let text = format!(
        "# All keys of the house.\n\n{a} # zone a \n# until May\n## zone b\r\n{b}\n{c}\n# above\n{d}# beside\n#\n"
    );
    let expected = [
        (a, label("zone a")),
        (b, label("zone b")),
        (c, None),
        (d, label("beside")),
    ];
    assert_eq!(found(&text), expected);
    assert_eq!(labels(&format!("# only\n{}", raw())), [label("only")]);
    assert_eq!(labels(&format!("{} #\n", raw())), [None]);
}

#[test]
fn every_form_may_stand_beside_the_others() {
    let [pem, json, jwk, line] = [
        KeyFormat::Pem,
        KeyFormat::Json,
        KeyFormat::Jwk,
        KeyFormat::Line,
    ]
    .map(|form| key("x25519", form));
    let (hybrid, raw) = (key("mlkem768-x25519", KeyFormat::Line), raw());
    let text = format!(
        "# p\n{pem}\n# j\n{json} # beside\n{jwk}\n# l\n{line}\n{hybrid} # h\n{raw}\n{json}{json}"
    );
    let expected = [
        label("p"),
        label("beside"),
        None,
        label("l"),
        label("h"),
        None,
        None,
        None,
    ];
    assert_eq!(labels(&text), expected);
}

#[test]
fn one_key_in_a_file_reads_as_a_single_key() {
    let raw = raw();
    let wrapped = format!("{}\n{}\n", &raw[..20], &raw[20..]);
    assert_eq!(found(&wrapped), [(raw, None)]);
    let ec = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    let text = format!(
        "Bag Attributes\n    key: value\n{ec}# ours\n{}\ntrailing words\n",
        key("p256", KeyFormat::Pem)
    );
    assert_eq!(labels(&text), [label("ours")]);
}

#[test]
fn no_key_is_passed_over_in_silence() {
    let (raw, pem) = (raw(), key("x25519", KeyFormat::Pem));
    assert_eq!(error(""), KeyError::Empty.into());
    assert_eq!(error(&format!("{raw}\n# b\n{}\n", &raw[1..])).line, Some(3));
    let cut = pem.replace("-----END PRIVATE KEY-----", "");
    assert_eq!(
        error(&format!("{cut}\n{pem}")),
        LineError {
            line: Some(1),
            error: KeyError::Pem
        }
    );
    assert_eq!(
        error(&format!("{pem}\n{cut}")),
        LineError {
            line: Some(4),
            error: KeyError::Pem
        }
    );
    assert_eq!(
        error(&format!("{pem}\n\npqseal-private-key:x25519:AAAA\n")).line,
        Some(5)
    );
    assert!(matches!(
        error(&format!("{raw}\n{{\"private_key\": 5}}")),
        LineError {
            line: Some(2),
            error: KeyError::Json(_)
        }
    ));
    let public = pqseal_keys::write_public(
        &pqseal_keys::public_key(&pqseal_keys::read_private(&raw, None).unwrap()).unwrap(),
        KeyFormat::Line,
    )
    .unwrap();
    assert_eq!(
        error(&format!("{raw}\n{public}")),
        LineError {
            line: Some(2),
            error: KeyError::PublicOnly
        }
    );
    // Explanations around a block are skipped; keys there are not.
    assert_eq!(found(&format!("{pem}\n{raw}\n")).len(), 2);
}

#[test]
fn a_key_in_a_comment_names_nothing() {
    let [old, new] = [raw(), raw()];
    let line = key("mlkem768-x25519", KeyFormat::Line);
    for comment in [
        old.clone(),
        format!("old: {old}"),
        format!("old:{old}, gone"),
        format!("{line} was first"),
    ] {
        assert_eq!(
            labels(&format!("# {comment}\n{new}\n")),
            [None],
            "{comment}"
        );
        assert_eq!(labels(&format!("{new} # {comment}\n")), [None], "{comment}");
    }
}

/// Every reader has a limit: a caller that reads untrusted files needs none of its
/// own.
#[test]
fn what_is_longer_than_a_key_file_is_refused() {
    let raw = raw();
    let padded = |len: usize| format!("{raw}{}", " ".repeat(len - raw.len()));
    let (longest, long) = (
        padded(pqseal_keys::MAX_LEN),
        padded(pqseal_keys::MAX_LEN + 1),
    );
    let too_long = KeyError::TooLong(pqseal_keys::MAX_LEN + 1);
    assert!(pqseal_keys::read_private(&longest, None).is_ok());
    assert_eq!(found(&longest).len(), 1);
    assert!(pqseal_keys::read_private(longest.as_bytes(), None).is_ok());
    assert_eq!(pqseal_keys::read_private(&long, None).err(), Some(too_long));
    assert_eq!(pqseal_keys::read_public(&long, None).err(), Some(too_long));
    assert_eq!(error(&long), too_long.into());
    let file = long.as_bytes();
    assert_eq!(pqseal_keys::read_private(file, None).err(), Some(too_long));
    assert_eq!(pqseal_keys::read_private_der(file).err(), Some(too_long));
    assert_eq!(pqseal_keys::read_public_der(file).err(), Some(too_long));
    let several = pqseal_keys::read_private_keys(file, None).unwrap_err();
    assert_eq!(several, too_long.into());
    let text = error(&long).to_string();
    assert!(text.contains("64 KiB"), "{text}");
}

/// Tests objects on one line, with spaces and text between them, complete and cut off.
#[test]
fn many_objects_on_a_line() {
    let json = key("x25519", KeyFormat::Json).replace('\n', " ");
    assert_eq!(
        labels(&format!("{json} \t{json}{json}# last")),
        [None, None, label("last")]
    );
    let objects = "{}".repeat(pqseal_keys::MAX_LEN / 2);
    let why = KeyError::Json("it has no member private_key");
    let none = LineError {
        line: Some(1),
        error: why,
    };
    assert_eq!(error(&objects), none);
    assert_eq!(
        error(&format!("{json}\n{}", &objects[..1000])).line,
        Some(2)
    );
    let rest = error(&format!("{json} nothing {json}"));
    assert!(matches!(rest.error, KeyError::Base64(_)), "{rest}");
}

#[test]
fn files_of_bytes_are_der_or_such_texts() {
    let raw = raw();
    let private = pqseal_keys::read_private(&raw, None).unwrap();
    let der = pqseal_keys::write_private_der(&private).unwrap();
    assert_eq!(pqseal_keys::read_private_keys(&der, None).unwrap().len(), 1);
    assert_eq!(
        pqseal_keys::read_private_keys(format!("\u{feff}{raw} # a\n{raw}").as_bytes(), None)
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        pqseal_keys::read_private_keys(b"\xff", None).unwrap_err(),
        KeyError::Der.into()
    );
    let p256 = kem_by_name("p256").ok();
    let text = format!("# a\n{}\n", key("p256", KeyFormat::Raw));
    assert_eq!(
        pqseal_keys::read_private_keys(&text, p256).unwrap()[0]
            .key
            .kem()
            .id,
        0x10
    );
    assert!(pqseal_keys::read_private_keys(&der, p256).is_err());
}
