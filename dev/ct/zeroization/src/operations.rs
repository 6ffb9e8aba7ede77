//! The operations on secrets. Each drops everything that it made.

mod bound;
mod c_interface;
mod calendars;
mod carried;
mod key_files;
mod moved;

use crate::world::{Choice, World};

/// An operation of programs.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&World),
    /// `true` if it does the same for every suite and mode.
    by_kem: bool,
}

const fn of_suite(name: &'static str, run: fn(&World)) -> Operation {
    Operation {
        name,
        run,
        by_kem: false,
    }
}

const fn of_kem(name: &'static str, run: fn(&World)) -> Operation {
    Operation {
        name,
        run,
        by_kem: true,
    }
}

pub(crate) const OPERATIONS: &[Operation] = &[
    of_suite("one message at a time", bound::open),
    of_suite("a batch, some altered", bound::open_batch),
    of_kem("a batch of the KEM", bound::decap_batch),
    of_suite("exported secrets and answers", bound::export),
    of_suite("sealing", bound::seal),
    of_suite("sealing to a precomputed key", bound::seal_precomputed),
    of_kem("generating a key pair", key_files::generate),
    of_kem("writing keys", key_files::write),
    of_kem("reading keys", key_files::read),
    of_kem("reading files of several keys", key_files::read_several),
    of_kem(
        "reading keys that are altered or cut off",
        key_files::read_errors,
    ),
    of_kem("a ring of keys that grows", moved::grow_ring),
    of_kem("a calendar that is shredded and lent", calendars::shred),
    of_kem("a calendar that opens", calendars::open),
    of_kem("a list of keys and contexts that grows", moved::grow),
    of_kem(
        "a list of typed keys and contexts that grows",
        moved::grow_typed,
    ),
    of_kem("sealing JWE and COSE", carried::seal),
    of_kem("opening JWE and COSE, also altered", carried::open),
    of_kem("writing JWK and COSE_Key", carried::write_keys),
    of_kem("reading JWK", carried::read_jwk),
    of_kem(
        "reading JWK that are altered or cut off",
        carried::read_jwk_errors,
    ),
    of_kem("reading COSE_Key", carried::read_cose_key),
    of_kem(
        "reading COSE_Key that are altered or cut off",
        carried::read_cose_key_errors,
    ),
    of_kem("the C interface: one message", c_interface::open),
    of_kem("the C interface: contexts", c_interface::contexts),
    of_kem("the C interface: a batch", c_interface::open_batch),
    of_kem("the C interface: matched data", c_interface::matched_data),
];

impl Operation {
    pub(crate) fn is_for(&self, choice: &Choice) -> bool {
        !self.by_kem || choice.is_plain()
    }
}
