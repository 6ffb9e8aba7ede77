//! Matched-data blobs, whose source already has our schema.

use crate::sources::Sources;
use crate::{Output, Result};
use test_vectors::MatchedData;

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    let source = sources.file("matched-data.json")?;
    let entries: Vec<MatchedData> = source.json()?;
    source.expect_count(entries.len())?;
    let note = "Every entry has its key and its plaintext. Plaintexts are empty, text, not UTF-8, and 64 KiB. The public_ \
        entries share the key that the vendor published.";
    Ok(vec![Output::new(&source.set(
        "matched-data",
        note,
        entries,
    ))?])
}
