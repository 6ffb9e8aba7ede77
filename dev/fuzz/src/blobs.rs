//! Blobs of matched data: parsed without a key, opened with a key of every KEM, and as the npm
//! package processes them, without JavaScript.

use std::sync::LazyLock;

use pqseal_matched_data::{Blob, Frame, HeaderV4, SealedRecord, Trailing};
use pqseal_wasm::Bytes;

use crate::samples::{self, AAD, Input, PLAINTEXTS, RING};

/// Checks that a parsed frame writes the same blob and has its size.
pub(crate) fn run_blob(blob: &[u8]) {
    let strict = Blob::parse(blob, Trailing::Refuse);
    match strict {
        Ok(Blob::V1to3(frame)) => assert_eq!(frame.write(), blob),
        Ok(Blob::V4(frame)) => {
            assert_eq!(blob.len(), HEADER_V4 + frame.enc.len() + frame.ct.len());
            let header = HeaderV4::parse(blob).expect("a frame begins with its header");
            assert_eq!(
                (header.suite, header.key_id),
                (frame.suite(), frame.key_id())
            );
        }
        Err(_) => {}
    }
    if let Ok(frame) = Frame::parse(blob, Trailing::Ignore) {
        assert!(blob.starts_with(&frame.write()));
        assert_eq!(frame.plaintext_len() + 16, frame.ct.len());
    }
    if let Ok(blob) = strict {
        assert!((1..=4).contains(&blob.version()));
    }
}

/// The size of the version, three ids and the id of a key.
const HEADER_V4: usize = 1 + 3 * 2 + 8;

/// Reads a blob and changes to it: the first byte chooses a valid one, or none. Checks that an
/// opened blob is one that was sealed, since others cannot be made without a key, and that a batch
/// gives the same result.
pub(crate) fn run_open(bytes: &[u8]) {
    let bytes = blob(bytes);
    let Ok(blob) = Blob::parse(&bytes, Trailing::Refuse) else {
        return;
    };
    let opened = RING.open(&blob, &samples::options());
    if let Ok(opened) = &opened {
        assert!(PLAINTEXTS.contains(&opened.plaintext));
    }
    let record = SealedRecord {
        blob,
        aad: Some(AAD),
        hint: None,
    };
    assert_eq!(RING.open_batch(&[record], &samples::options()), [opened]);
}

/// Decodes an input as a blob: 255 and the blob's bytes; otherwise the number of a valid blob,
/// and changes of three bytes each, a place and a mask.
fn blob(bytes: &[u8]) -> Vec<u8> {
    static BLOBS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(samples::blobs);
    let mut input = Input::new(bytes);
    let number = input.byte();
    if number == u8::MAX {
        return input.rest().to_vec();
    }
    let mut blob = BLOBS[usize::from(number) % BLOBS.len()].clone();
    while !input.is_empty() {
        let place = usize::from(u16::from_le_bytes(input.array())) % blob.len();
        blob[place] ^= input.byte();
    }
    blob
}

pub(crate) fn open_seeds() -> Vec<Vec<u8>> {
    let blobs = samples::blobs();
    let numbers = (0..).zip(&blobs).map(|(number, _)| vec![number]);
    let whole = blobs
        .iter()
        .map(|blob| [&[u8::MAX], blob.as_slice()].concat());
    numbers.chain(whole).collect()
}

/// Reads a text, which is lenient base64, or bytes, which are read as in [`run_open`].
pub(crate) fn run_wasm(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes)
        && let Ok(bytes) = Bytes::decode(text)
    {
        check(&bytes);
    }
    check(&Bytes::from(blob(bytes)));
}

fn check(bytes: &Bytes) {
    match bytes.open(&RING, &samples::options()) {
        Ok(opened) => assert!(PLAINTEXTS.contains(&opened.plaintext)),
        Err(error) => assert!(!error.message.is_empty() && !error.code.is_empty()),
    }
}

pub(crate) fn wasm_seeds() -> Vec<Vec<u8>> {
    let texts = samples::blobs();
    let texts = texts
        .iter()
        .map(|blob| pqseal_keys::base64::encode(blob).into_bytes());
    texts.chain(open_seeds()).collect()
}
