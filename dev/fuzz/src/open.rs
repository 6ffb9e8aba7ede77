//! Opening with a key of every KEM.

use std::sync::LazyLock;

use pqseal_matched_data::{Blob, SealedRecord, Trailing};

use crate::{
    input::Input,
    samples::{self, AAD, PLAINTEXTS, RING},
};

/// Reads a blob and changes to it: the first byte chooses a valid one, or none.
pub(crate) fn run(bytes: &[u8]) {
    check(&blob(bytes));
}

/// Decodes an input as a blob: 255 and the blob's bytes; otherwise the number of a valid blob,
/// and changes of three bytes each, a place and a mask.
pub(crate) fn blob(bytes: &[u8]) -> Vec<u8> {
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

/// Checks that an opened blob is one that was sealed, since others cannot be made without a key,
/// and that a batch gives the same result.
fn check(blob: &[u8]) {
    let Ok(blob) = Blob::parse(blob, Trailing::Refuse) else {
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

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let blobs = samples::blobs();
    let numbers = (0..).zip(&blobs).map(|(number, _)| vec![number]);
    let whole = blobs
        .iter()
        .map(|blob| [&[u8::MAX], blob.as_slice()].concat());
    numbers.chain(whole).collect()
}
