//! Matched data in batches, as records of a log, and the names of the keys that open it.

use std::sync::PoisonError;

use pqseal_hpke::Policy;
use pqseal_matched_data::{OpenOptions, SealedText};

use crate::{
    batch::{Slot, open_each, write_all},
    pqseal_key_ring,
    pqseal_status::{self, PQSEAL_ERROR_ARGUMENT},
    raw::{Output, Place, guard, reference, slice},
};

/// A record of pqseal_matched_data_open_batch, with its inputs, its output and its status.
#[repr(C)]
pub struct pqseal_record {
    /// The blob, as base64 or bytes.
    pub blob: *const u8,
    /// Its length, in bytes.
    pub blob_len: usize,
    /// The associated data of the record, for version 4.
    pub aad: *const u8,
    /// Its length, in bytes.
    pub aad_len: usize,
    /// The buffer for the plaintext, which never requires more bytes than `blob` has.
    pub pt: *mut u8,
    /// The size of the buffer, in bytes.
    pub pt_capacity: usize,
    /// Set to the length of the plaintext, or to the required size after PQSEAL_ERROR_BUFFER.
    pub pt_len: usize,
    /// Set to the index of the key that opened it, from 0 in the order of addition, for
    /// pqseal_key_ring_name.
    pub key: usize,
    /// Set to the pqseal_status of this record.
    pub status: i32,
}

impl Slot for pqseal_record {
    fn result(&mut self) -> (*mut u8, usize, &mut usize, &mut i32) {
        let (len, status) = (&mut self.pt_len, &mut self.status);
        (self.pt, self.pt_capacity, len, status)
    }
}

/// Opens many blobs of any versions, each with its own `aad`, several times as fast as one after
/// another. `info` is for version 4. Statuses are set as by pqseal_open_batch. It runs on this
/// thread: other threads may open other records with the same ring.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_matched_data_open_batch(
    ring: *const pqseal_key_ring,
    info: *const u8,
    info_len: usize,
    records: *mut pqseal_record,
    count: usize,
) -> pqseal_status {
    let open = |records: &mut [pqseal_record]| {
        // SAFETY: by the header's rules.
        let (ring, info) = unsafe { (reference(ring)?, slice(info, info_len)?) };
        // SAFETY: by the header's rules.
        let texts = records.iter().map(|record| unsafe { sealed(record) });
        let texts: Vec<_> = texts.collect::<Result<_, _>>()?;
        let options = OpenOptions {
            info,
            aad: b"",
            policy: Policy::draft(),
        };
        let ring = ring.0.read().unwrap_or_else(PoisonError::into_inner);
        let opened = ring.open_texts(texts, &options).into_iter();
        let opened = records.iter_mut().zip(opened).map(|(record, opened)| {
            let opened = opened?;
            record.key = opened.key;
            Ok(opened.plaintext)
        });
        let opened: Vec<Result<_, pqseal_matched_data::Error>> = opened.collect();
        write_all(records, opened)
    };
    // SAFETY: by the header's rules.
    unsafe { open_each(records, count, open) }
}

/// Returns the inputs of a record, whose pointers must be valid by the header's rules.
unsafe fn sealed<'a>(record: &pqseal_record) -> Result<SealedText<'a>, pqseal_status> {
    // SAFETY: by the header's rules.
    let (text, aad) = unsafe {
        (
            slice(record.blob, record.blob_len)?,
            slice(record.aad, record.aad_len)?,
        )
    };
    let aad = Some(aad);
    Ok(SealedText { text, aad })
}

/// Adds all keys of a key file at the end, as pqseal_private_key_read reads one, with their labels:
/// `#` starts a comment, which labels the key beside it, or else the key on the next line. Adds none
/// if one of them is not valid. A calendar is PQSEAL_ERROR_KEY: pqseal_key_ring_add_calendar takes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_key_ring_read(
    ring: *const pqseal_key_ring,
    file: *const u8,
    len: usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (ring, file) = unsafe { (reference(ring)?, slice(file, len)?) };
        let keys = pqseal_keys::read_private_keys(file, None).map_err(|line| line.error)?;
        let mut ring = ring.0.write().unwrap_or_else(PoisonError::into_inner);
        for found in keys {
            ring.add_labelled(&found.key, found.label.as_deref())?;
        }
        Ok(())
    })
}

/// Writes the name of the key at this index, from 0 in the order of addition: its id, by which
/// version 4 blobs name it (pqseal_blob), to `key_id`, which has 8 bytes, and its label without a
/// terminating zero, or nothing if it has none. PQSEAL_ERROR_ARGUMENT if there is no such key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_key_ring_name(
    ring: *const pqseal_key_ring,
    index: usize,
    key_id: *mut [u8; 8],
    label: *mut u8,
    capacity: usize,
    label_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (ring, place, out) = unsafe {
            (
                reference(ring)?,
                Place::new(key_id)?,
                Output::new(label, capacity, label_len)?,
            )
        };
        let ring = ring.0.read().unwrap_or_else(PoisonError::into_inner);
        let name = ring.name(index).ok_or(PQSEAL_ERROR_ARGUMENT)?;
        let label = name.label.as_deref().map_or("", String::as_str);
        let id = name.id.as_ref().first_chunk();
        out.write(label.as_bytes())?;
        place.set(*id.ok_or(PQSEAL_ERROR_ARGUMENT)?);
        Ok(())
    })
}
