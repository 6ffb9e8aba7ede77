//! Base64: lenient in form, strict in content.

use pqseal_keys::base64::{Error, Problem, decode, decode_url, encode, encode_url};
use proptest::prelude::*;

/// The bytes that use both characters in which the alphabets differ.
const BYTES: &[u8] = &[0xfb, 0xef, 0xbe, 0xff, 0xff, 0xff, 0x01];

fn assert_decodes(text: &str) {
    assert_eq!(
        decode(text.as_bytes()).unwrap().as_slice(),
        BYTES,
        "{text:?}"
    );
}

fn assert_refused(text: &[u8], offset: usize, problem: Problem) {
    assert_eq!(
        decode(text).err(),
        Some(Error { offset, problem }),
        "{}",
        text.escape_ascii()
    );
}

#[test]
fn every_form_is_accepted() {
    assert_eq!(encode(BYTES), "++++////AQ==");
    let forms = [
        "++++////AQ==",
        "++++////AQ",
        "----____AQ==",
        "----____AQ",
        "+-+-_/_/AQ",
        "  ++++////AQ==\n",
        "++++\n////\nAQ==\n",
        "++++\r\n////AQ==\r\n",
        "+ + + +\t//// A Q = =",
        "\n\n++++////AQ=\n=",
        "++++////AQ \t\r\n",
    ];
    forms.iter().for_each(|text| assert_decodes(text));
}

#[test]
fn nothing_decodes_to_nothing() {
    for text in ["", " ", "\r\n\t "] {
        assert!(decode(text.as_bytes()).unwrap().is_empty(), "{text:?}");
    }
}

#[test]
fn foreign_characters_are_refused_with_their_place() {
    assert_refused(b"AA\0A", 2, Problem::Character);
    assert_refused(b"\0", 0, Problem::Character);
    assert_refused(b" AA\n*A", 4, Problem::Character);
    assert_refused("AAA\u{a0}".as_bytes(), 3, Problem::Character);
    assert_refused(b"AAAA\x0bAAAA", 4, Problem::Character);
    assert_refused(b"AAAA\x0cAAAA", 4, Problem::Character);
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_= \t\r\n";
    for byte in (0..=u8::MAX).filter(|byte| !alphabet.contains(byte)) {
        assert_refused(&[b'A', byte, b'A', b'A'], 1, Problem::Character);
    }
}

#[test]
fn wrong_padding_is_refused_at_the_first_of_it() {
    for (text, offset) in [
        ("AA=", 2),
        ("AAA==", 3),
        ("AAAA=", 4),
        ("AAAA==", 4),
        ("AA===", 2),
        (" A A =", 5),
        ("=", 0),
    ] {
        assert_refused(text.as_bytes(), offset, Problem::Padding);
    }
}

/// Four of them complete a quantum in number only.
#[test]
fn a_quantum_of_padding_is_refused() {
    for (text, offset) in [
        ("====", 0),
        ("AAAA====", 4),
        ("AA======", 2),
        ("AAA=====", 3),
    ] {
        assert_refused(text.as_bytes(), offset, Problem::Padding);
    }
}

#[test]
fn data_after_padding_is_refused_where_it_begins() {
    let [padding, after] = [Problem::Padding, Problem::AfterEnd];
    for (text, offset, problem) in [
        ("AA==AAAA", 4, after),
        ("AA==\nAA", 5, after),
        ("AAA=%", 4, after),
        ("AA== *", 5, after),
        ("AA=,", 3, padding),
        ("A=AA", 2, padding),
        ("=A", 1, padding),
    ] {
        assert_refused(text.as_bytes(), offset, problem);
    }
}

#[test]
fn half_bytes_are_refused() {
    for (text, offset) in [
        ("A", 0),
        (" A", 1),
        ("AAAAA", 4),
        ("AAAA\nA\n", 5),
        ("A===", 0),
    ] {
        assert_refused(text.as_bytes(), offset, Problem::Length);
    }
}

#[test]
fn trailing_bits_are_refused() {
    for (text, offset) in [
        ("AB==", 1),
        ("AB", 1),
        ("AAB=", 2),
        ("A\nA\nB", 4),
        ("AAAAAP==", 5),
    ] {
        assert_refused(text.as_bytes(), offset, Problem::TrailingBits);
    }
}

#[test]
fn the_url_form_has_one_alphabet_and_no_padding() {
    assert_eq!(decode_url(b" ----\n____AQ\r\n").unwrap().as_slice(), BYTES);
    for (text, offset) in [
        ("----____AQ==", 10),
        ("+---____AQ", 0),
        ("----___/AQ", 7),
        ("AA=", 2),
    ] {
        assert_eq!(
            decode_url(text.as_bytes()).err(),
            Some(Error {
                offset,
                problem: Problem::Character
            }),
            "{text}"
        );
    }
    assert_eq!(
        decode_url(b"AB").err(),
        Some(Error {
            offset: 1,
            problem: Problem::TrailingBits
        })
    );
}

#[test]
fn the_message_counts_from_one() {
    assert_eq!(
        decode(b"AA*A").unwrap_err().to_string(),
        "invalid base64 character at position 3"
    );
}

proptest! {
    #[test]
    fn what_is_encoded_decodes(bytes: Vec<u8>) {
        let decoded = decode(encode(&bytes).as_bytes());
        prop_assert_eq!(decoded.as_deref(), Ok(&bytes));
    }

    #[test]
    fn the_url_form_differs_in_two_characters_and_padding(bytes: Vec<u8>) {
        let standard = encode(&bytes).replace('+', "-").replace('/', "_");
        prop_assert_eq!(encode_url(&bytes), standard.trim_end_matches('='));
        let decoded = decode_url(encode_url(&bytes).as_bytes());
        prop_assert_eq!(decoded.as_deref(), Ok(&bytes));
    }

    #[test]
    fn no_text_panics(text: Vec<u8>) {
        let _ = decode(&text);
        let _ = decode_url(&text);
    }

    /// Two texts of one blob differ only in form.
    #[test]
    fn what_decodes_is_what_we_would_encode(text in "[AQgw+/_= \n-]{0,12}") {
        if let Ok(bytes) = decode(text.as_bytes()) {
            let symbols: String = text.chars().filter(|c| !" \n=".contains(*c)).collect();
            let ours = encode(&bytes);
            prop_assert_eq!(symbols.replace('-', "+").replace('_', "/"), ours.trim_end_matches('='));
        }
    }

    #[test]
    fn an_error_is_within_the_text(text in "[A-C=* \n-]{0,12}") {
        if let Err(error) = decode(text.as_bytes()) {
            prop_assert!(error.offset < text.len());
        }
    }
}
