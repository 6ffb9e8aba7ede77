//! Base64 compared with the crate data-encoding.

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};
use pqseal_keys::base64::{decode, decode_url, encode, encode_url};

use crate::samples;

/// Checks that both decoders accept the same text, once blanks, padding and the second alphabet
/// are normalized.
pub(crate) fn run(text: &[u8]) {
    let ours = decode(text);
    let theirs = BASE64_NOPAD.decode(&canonical(text));
    if let Ok(bytes) = &ours {
        assert_eq!(Ok(bytes.to_vec()), theirs.clone().map_err(|_| ()));
    }
    // Without `=` both have the same rules.
    if !text.contains(&b'=') {
        assert_eq!(ours.is_ok(), theirs.is_ok());
    }
    if let Ok(bytes) = decode_url(text) {
        let text: Vec<u8> = text
            .iter()
            .copied()
            .filter(|byte| !is_blank(*byte))
            .collect();
        assert_eq!(
            Ok(bytes.to_vec()),
            BASE64URL_NOPAD.decode(&text).map_err(|_| ())
        );
    }
    assert_eq!(
        decode(encode(text).as_bytes()).as_deref(),
        Ok(&text.to_vec())
    );
    assert_eq!(
        decode_url(encode_url(text).as_bytes()).as_deref(),
        Ok(&text.to_vec())
    );
    if let Err(error) = ours {
        assert!(error.offset <= text.len());
    }
}

fn canonical(text: &[u8]) -> Vec<u8> {
    let text = text
        .iter()
        .copied()
        .filter(|byte| !is_blank(*byte) && *byte != b'=');
    let standard = |byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    };
    text.map(standard).collect()
}

fn is_blank(byte: u8) -> bool {
    b" \t\r\n".contains(&byte)
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = samples::published().into_iter().map(|vector| vector.blob);
    texts.map(String::into_bytes).collect()
}
