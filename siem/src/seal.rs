//! The edge's side: fields sealed under a public key, each under an encapsulated key of its own.

use envelope::{Error, SealerV4, base64};
use getrandom::SysRng;

use crate::batch::{Failure, Outcome, Record, Transform};

/// A public key ready to seal many fields.
#[derive(Debug)]
pub enum Sealer {
    /// In version 3, to an X25519 key: bound to nothing.
    V3(envelope::Sealer),
    /// In version 4, each bound to [`Record::aad`].
    V4(SealerV4),
}

impl Sealer {
    /// For hundreds of fields: [`hpke::Sender::precompute`](envelope::hpke::Sender::precompute). Their
    /// blobs stay the same.
    #[must_use]
    pub fn precompute(self) -> Self {
        match self {
            Self::V3(sealer) => Self::V3(sealer.precompute()),
            Self::V4(sealer) => Self::V4(sealer.precompute()),
        }
    }

    /// A blob. One of version 3 has no place for `aad`.
    ///
    /// # Errors
    /// As [`envelope::Sealer::seal`] and [`SealerV4::seal`].
    pub fn seal(&self, aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        match self {
            Self::V3(sealer) => sealer.seal(plaintext, &mut SysRng),
            Self::V4(sealer) => sealer.seal(aad, plaintext, &mut SysRng),
        }
    }

    fn outcome(&self, record: &Record<'_>) -> Outcome {
        let Some(text) = record.text else {
            return Outcome::Absent;
        };
        match self.seal(record.aad, text) {
            // What comes of a record is a text here too: the blob's.
            Ok(blob) => Outcome::Opened {
                plaintext: base64::encode(&blob).into_bytes(),
                key: 0,
            },
            Err(error) => Outcome::Failed(Failure::new(error.code())),
        }
    }
}

impl Transform for Sealer {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        records.iter().map(|record| self.outcome(record)).collect()
    }

    fn seals(&self) -> bool {
        true
    }
}
