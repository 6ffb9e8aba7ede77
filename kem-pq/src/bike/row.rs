//! The common parts of the two HPKE families of BIKE: the description of an entry, and the
//! combiner.

use pqseal_hpke::{Error, KemInfo, SharedSecret, Status};
use sha3::{Digest, Sha3_256};

use super::{Params, PublicKey, params::N_SS};

/// The length of a label. It is the same for all, so no label is the end of another's input.
pub(super) const N_LABEL: usize = 31;

/// The entry of one level: its ids, names, parameters and label.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) info: KemInfo,
    pub(super) params: &'static Params,
    label: &'static [u8; N_LABEL],
}

/// The part that the half beside BIKE adds, in bytes: to the keys on the wire, and to the
/// randomness of an encapsulation.
#[derive(Clone, Copy)]
pub(super) struct Beside {
    pub(super) n_pk: usize,
    pub(super) n_random: usize,
}

impl Row {
    /// Makes an entry. `names` has the full name and the short one.
    pub(super) const fn new(
        id: u16,
        names: [&'static str; 2],
        params: &'static Params,
        label: &'static [u8; N_LABEL],
        n_sk: usize,
        beside: Beside,
    ) -> Self {
        let info = KemInfo {
            id,
            name: names[0],
            short_name: names[1],
            n_secret: N_SS,
            n_enc: params.n_ct() + beside.n_pk,
            n_pk: params.n_pk() + beside.n_pk,
            n_sk,
            n_random: N_SS + beside.n_random,
            auth: false,
            status: Status::Experimental,
        };
        Self {
            info,
            params,
            label,
        }
    }

    /// Checks that a key belongs to this level.
    pub(super) fn check(&self, pk: &PublicKey) -> Result<(), Error> {
        if pk.params().r == self.params.r {
            Ok(())
        } else {
            Err(Error::KeyMismatch)
        }
    }

    /// UniversalCombiner (draft-irtf-cfrg-hybrid-kems): computes `SHA3-256(ss_PQ || ss_T || ct_PQ
    /// || ct_T || ek_PQ || ek_T || label)`. It only relies on the secrecy of one half. The shorter
    /// combiners also require that the post-quantum half binds its key, which BIKE does not.
    pub(super) fn combine(&self, ss: [&[u8]; 2], ct: [&[u8]; 2], ek: [&[u8]; 2]) -> SharedSecret {
        let mut hash = Sha3_256::new();
        [ss, ct, ek]
            .iter()
            .flatten()
            .for_each(|part| Digest::update(&mut hash, part));
        Digest::update(&mut hash, self.label);
        let mut shared_secret = SharedSecret::zeros(N_SS);
        Digest::finalize_into(
            hash,
            shared_secret
                .as_mut()
                .try_into()
                .expect("SHA3-256 has 32 bytes"),
        );
        shared_secret
    }
}
