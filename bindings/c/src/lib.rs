//! The C interface: `include/pqseal.h`, which cbindgen generates from this crate.
//!
//! This is a thin layer over `pqseal-keys`, `pqseal-matched-data` and `pqseal-age` that turns
//! pointers into slices and errors into codes. A function proceeds from `guard` to the safe types
//! of `raw` to one call into these crates. Only `raw` dereferences pointers. Functions that take
//! pointers are `unsafe` for their callers, and do not repeat the header's rules.

#![allow(
    non_camel_case_types,
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "names and calls of C; the rules for pointers are at the beginning of the header"
)]

mod batch;
mod calendar;
mod context;
mod file;
mod inspect;
mod keys;
mod matched_data;
mod message;
mod names;
mod params;
mod raw;
mod records;
mod status;
mod suite;

pub use batch::{pqseal_message, pqseal_open_batch};
pub use calendar::{
    pqseal_calendar, pqseal_calendar_at, pqseal_calendar_describe, pqseal_calendar_facts,
    pqseal_calendar_free, pqseal_calendar_period, pqseal_calendar_read, pqseal_calendar_seal,
    pqseal_key_ring_add_calendar, pqseal_period, pqseal_period_state,
};
pub use context::{
    pqseal_recipient, pqseal_recipient_export, pqseal_recipient_free, pqseal_recipient_new,
    pqseal_recipient_open, pqseal_recipient_open_at, pqseal_recipient_sequence, pqseal_sender,
    pqseal_sender_export, pqseal_sender_free, pqseal_sender_new, pqseal_sender_seal,
    pqseal_sender_seal_with_sequence, pqseal_sender_sequence,
};
pub use file::{
    pqseal_file_decrypt, pqseal_file_encrypt, pqseal_file_identity, pqseal_file_recipient,
};
pub use inspect::{pqseal_blob, pqseal_matched_data_inspect};
pub use keys::{
    pqseal_derive_key_pair, pqseal_generate_key_pair, pqseal_key_format, pqseal_private_key,
    pqseal_private_key_deserialize, pqseal_private_key_free, pqseal_private_key_kem,
    pqseal_private_key_public_key, pqseal_private_key_read, pqseal_private_key_serialize,
    pqseal_private_key_write, pqseal_public_key, pqseal_public_key_deserialize,
    pqseal_public_key_free, pqseal_public_key_kem, pqseal_public_key_read,
    pqseal_public_key_serialize, pqseal_public_key_write,
};
pub use matched_data::{
    pqseal_key_ring, pqseal_key_ring_add, pqseal_key_ring_free, pqseal_key_ring_new,
    pqseal_key_ring_require_version, pqseal_matched_data_open, pqseal_matched_data_seal,
};
pub use message::{pqseal_open, pqseal_seal};
pub use names::{pqseal_aead_by_name, pqseal_kdf_by_name, pqseal_kem_by_name};
pub use params::pqseal_params;
pub use raw::{pqseal_read, pqseal_stream, pqseal_write};
pub use records::{
    pqseal_key_ring_name, pqseal_key_ring_read, pqseal_matched_data_open_batch, pqseal_record,
};
pub use status::{pqseal_status, pqseal_strerror, pqseal_version};
pub use suite::{
    pqseal_policy, pqseal_sizes, pqseal_suite, pqseal_suite_free, pqseal_suite_new,
    pqseal_suite_sizes,
};
