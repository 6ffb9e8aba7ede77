//! Diffie-Hellman in a group of `hpke`. A share is a public key, which is uncompressed for
//! the P-curves (RFC 8446, section 4.2.8.2).

use std::{fmt, marker::PhantomData};

use getrandom::SysRng;
use pqseal_hpke::{Error, Secret, dhkem::Group};

use super::{Answer, Half, Sizes, Started};

/// Diffie-Hellman in `G`, which is also a TLS group with this code point.
pub(crate) struct Dh<G> {
    id: u16,
    group: PhantomData<fn() -> G>,
}

struct Key<G: Group> {
    /// The scalar, boxed so that its bytes are not copied when the key moves.
    scalar: Box<G::Scalar>,
    share: G::PointBytes,
}

impl<G> Dh<G> {
    pub(crate) const fn new(id: u16) -> Self {
        Self {
            id,
            group: PhantomData,
        }
    }
}

impl<G: Group> Half for Dh<G> {
    fn sizes(&self) -> Sizes {
        Sizes {
            client: G::N_PK,
            server: G::N_PK,
        }
    }

    fn alone(&self) -> Option<u16> {
        Some(self.id)
    }

    fn start(&'static self) -> Result<Box<dyn Started>, Error> {
        Ok(Box::new(Key::<G>::generate()?))
    }

    fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let key = Key::<G>::generate()?;
        Ok(Answer {
            secret: key.finish(client)?,
            share: key.share().to_vec(),
        })
    }
}

impl<G: Group> Key<G> {
    fn generate() -> Result<Self, Error> {
        let scalar = Box::new(G::generate(&mut SysRng)?);
        let share = G::public_bytes(&scalar);
        Ok(Self { scalar, share })
    }
}

impl<G: Group> Started for Key<G> {
    fn share(&self) -> &[u8] {
        self.share.as_ref()
    }

    /// Computes the secret. Refuses points off the curve and an all-zero result.
    fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        let dh = G::dh(&self.scalar, &G::point(server)?)?;
        Ok(Secret::from_bytes(dh.as_ref()))
    }
}

impl<G> fmt::Debug for Dh<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dh({:#06x})", self.id)
    }
}
