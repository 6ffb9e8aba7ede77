//! The edge's side: fields sealed under a public key, each under an encapsulated key of its own.

use envelope::{SealerV4, base64};
use getrandom::SysRng;

use crate::{
    batch::{Failure, Outcome, Record},
    pipeline::Transform,
};

/// A public key ready to seal many fields.
#[derive(Debug)]
pub enum Sealer {
    /// In version 3, to an X25519 key: bound to nothing.
    V3(envelope::Sealer),
    /// In version 4, each bound to [`Record::aad`].
    V4(SealerV4),
}

impl Sealer {
    /// For hundreds of fields: [`hpke::Sender::for_many`](envelope::hpke::Sender::for_many). Their blobs stay the same.
    #[must_use]
    pub fn for_many(self) -> Self {
        match self {
            Self::V3(sealer) => Self::V3(sealer.for_many()),
            Self::V4(sealer) => Self::V4(sealer.for_many()),
        }
    }

    fn seal(&self, record: &Record<'_>) -> Outcome {
        let Some(text) = record.text else { return Outcome::Absent };
        let blob = match self {
            Self::V3(sealer) => sealer.seal(text, &mut SysRng),
            Self::V4(sealer) => sealer.seal(record.aad, text, &mut SysRng),
        };
        match blob {
            // What comes of a record is a text here too: the blob's.
            Ok(blob) => Outcome::Opened { plaintext: base64::encode(&blob).into_bytes(), key: 0 },
            Err(error) => Outcome::Failed(Failure::new(error.code())),
        }
    }
}

impl Transform for Sealer {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        records.iter().map(|record| self.seal(record)).collect()
    }

    fn seals(&self) -> bool {
        true
    }
}
