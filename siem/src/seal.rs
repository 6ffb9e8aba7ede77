//! The edge's side: fields sealed under a public key, each under an encapsulated key of its own.

use envelope::hpke::Message;
use getrandom::SysRng;

pub use envelope::Sealer;

use crate::{
    batch::{Failure, Outcome, Record, Transform},
    ciphertext::encode,
};

/// Each field is bound to [`Record::aad`], which must be empty in version 3. One that cannot be sealed
/// is a reason not to seal the others of its chunk either: all have one key.
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

/// What comes of a record is a text here too: the blob's.
fn outcome(blob: &[u8]) -> Outcome {
    Outcome::Opened {
        plaintext: encode(blob).into_bytes(),
        key: 0,
    }
}
