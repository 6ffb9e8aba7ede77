//! The processing of a blob in the npm package, without JavaScript.

use pqseal_wasm::Bytes;

use crate::{open, samples};

/// Reads a text, which is lenient base64, or bytes, which are read as in [`open`].
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes)
        && let Ok(bytes) = Bytes::decode(text)
    {
        check(&bytes);
    }
    check(&Bytes::from(open::blob(bytes)));
}

fn check(bytes: &Bytes) {
    match bytes.open(&samples::RING, &samples::options()) {
        Ok(opened) => assert!(samples::PLAINTEXTS.contains(&opened.plaintext)),
        Err(error) => assert!(!error.message.is_empty() && !error.code.is_empty()),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = samples::blobs();
    let texts = texts
        .iter()
        .map(|blob| pqseal_keys::base64::encode(blob).into_bytes());
    texts.chain(open::seeds()).collect()
}
