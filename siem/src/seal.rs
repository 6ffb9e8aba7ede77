//! The edge's side: fields sealed under a public key, each under an encapsulated key of its own.

use envelope::base64;
use getrandom::SysRng;

pub use envelope::Sealer;

use crate::batch::{Failure, Outcome, Record, Transform};

/// Each field is bound to [`Record::aad`], which must be empty in version 3.
impl Transform for Sealer {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        records.iter().map(|record| outcome(self, record)).collect()
    }

    fn seals(&self) -> bool {
        true
    }
}

fn outcome(sealer: &Sealer, record: &Record<'_>) -> Outcome {
    let Some(text) = record.text else {
        return Outcome::Absent;
    };
    match sealer.seal(record.aad, text, &mut SysRng) {
        // What comes of a record is a text here too: the blob's.
        Ok(blob) => Outcome::Opened {
            plaintext: base64::encode(&blob).into_bytes(),
            key: 0,
        },
        Err(error) => Outcome::Failed(Failure::new(error.into())),
    }
}
