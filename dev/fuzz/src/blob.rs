//! The formats of blobs, parsed without a key.

use pqseal_matched_data::{Blob, Frame, HeaderV4, Trailing};

use crate::samples;

/// Checks that a parsed frame writes the same blob and has its size.
pub(crate) fn run(blob: &[u8]) {
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

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    samples::blobs()
}
