//! Wycheproof's tests of C2SP chunked encryption (Cobblestone).

use crate::sources::{Sources, rename};
use crate::{Output, Result, wycheproof};
use test_vectors::CobblestoneVector;

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    ["128", "256"]
        .into_iter()
        .map(|bits| {
            let source = sources.file(&format!(
                "cobblestone/c2sp_chunked_encryption_aes_{bits}_gcm_test.json"
            ))?;
            let tests = wycheproof::objects(&source)?.into_iter().map(|mut test| {
                rename(
                    &mut test,
                    &[
                        ("tcId", "id"),
                        ("ctx", "context"),
                        ("aeadKey", "aead_key"),
                        ("baseNonce", "base_nonce"),
                        ("msgLength", "message_length"),
                        ("msgSha512", "message_sha512"),
                    ],
                );
                source.entry(test)
            });
            let tests: Result<Vec<CobblestoneVector>> = tests.collect();
            let note = "ct is compressed (zlib). Invalid tests with the flag PartialPlaintext begin with valid chunks: \
                message_length and message_sha512 are those of the longest prefix that may be released.";
            Output::new(&source.set(&format!("cobblestone-{bits}"), note, tests?))
        })
        .collect()
}
