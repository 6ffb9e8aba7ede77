//! Sealing of fields under a public key, each with a separate encapsulated key.

use getrandom::SysRng;
use pqseal_hpke::Message;

pub use pqseal_matched_data::Sealer;

use crate::{
    batch::{Failure, Outcome, Record, Transform},
    ciphertext::encode,
};

/// Seals each field, bound to [`Record::aad`], which must be empty in version 3. If one field
/// cannot be sealed, none of its chunk is, since all use one key.
impl Transform for Sealer {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        let messages: Vec<_> = records.iter().filter_map(message).collect();
        let mut sealed = match self.seal_batch(&messages, &mut SysRng) {
            Ok(blobs) => Ok(blobs.into_iter()),
            Err(error) => Err(Failure::new(error.into())),
        };
        let mut next = || match &mut sealed {
            Ok(blobs) => outcome(&blobs.next().expect("a blob for each message")),
            Err(failure) => Outcome::Failed(failure.clone()),
        };
        let sealed = |record: &Record<'_>| record.text.map_or(Outcome::Absent, |_| next());
        records.iter().map(sealed).collect()
    }

    fn seals(&self) -> bool {
        true
    }
}

fn message<'a>(record: &Record<'a>) -> Option<Message<'a>> {
    let (aad, pt) = (record.aad, record.text?);
    Some(Message { aad, pt })
}

/// Returns the text of the blob as an outcome.
fn outcome(blob: &[u8]) -> Outcome {
    Outcome::Opened {
        plaintext: encode(blob).into_bytes(),
        key: 0,
    }
}
