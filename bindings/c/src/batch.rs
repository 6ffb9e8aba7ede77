//! Opening of many messages at once, each with its own encapsulated key.

use pqseal_hpke::{Recipient, Sealed};

use crate::{
    params::Params,
    pqseal_params, pqseal_private_key,
    pqseal_status::{self, PQSEAL_ERROR_INTERNAL, PQSEAL_ERROR_OPEN, PQSEAL_OK},
    pqseal_suite,
    raw::{Output, Plaintext, array, guard, reference, slice},
};

/// A message of pqseal_open_batch, with its inputs, its output and its status.
#[repr(C)]
pub struct pqseal_message {
    /// The encapsulated key.
    pub enc: *const u8,
    /// Its length, in bytes.
    pub enc_len: usize,
    /// The associated data of the message.
    pub aad: *const u8,
    /// Its length, in bytes.
    pub aad_len: usize,
    /// The ciphertext, including its tag.
    pub ct: *const u8,
    /// Its length, in bytes.
    pub ct_len: usize,
    /// The buffer for the plaintext.
    pub pt: *mut u8,
    /// The size of the buffer, in bytes.
    pub pt_capacity: usize,
    /// Set to the length of the plaintext, or to the required size after PQSEAL_ERROR_BUFFER.
    pub pt_len: usize,
    /// Set to the pqseal_status of this message.
    pub status: i32,
}

/// Opens many messages, for X25519 several times as fast as one after another. A message that fails
/// does not affect the others: each has its own `status`. Returns PQSEAL_OK if all were opened, and
/// PQSEAL_ERROR_OPEN if all were tried and some failed. After any other error, it is also the
/// `status` of each message that was not tried.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_open_batch(
    suite: *const pqseal_suite,
    private_key: *const pqseal_private_key,
    params: *const pqseal_params,
    messages: *mut pqseal_message,
    count: usize,
) -> pqseal_status {
    let open = |messages: &mut [pqseal_message]| {
        // SAFETY: by the header's rules.
        let (suite, key, params) = unsafe {
            (
                reference(suite)?,
                reference(private_key)?,
                Params::new(params)?,
            )
        };
        let recipient = Recipient::new(suite.0, key.0.clone(), params.info, params.recipient()?)?;
        // SAFETY: by the header's rules.
        let inputs = messages.iter().map(|message| unsafe { sealed(message) });
        let inputs: Vec<_> = inputs.collect::<Result<_, _>>()?;
        write_all(messages, recipient.open_batch(&inputs))
    };
    // SAFETY: by the header's rules.
    unsafe { open_each(messages, count, open) }
}

/// One of the structs of a batch, with the place of its result.
pub(crate) trait Slot {
    /// Returns the buffer for the plaintext, its size, the place of the length, and the status.
    fn result(&mut self) -> (*mut u8, usize, &mut usize, &mut i32);
}

impl Slot for pqseal_message {
    fn result(&mut self) -> (*mut u8, usize, &mut usize, &mut i32) {
        let (len, status) = (&mut self.pt_len, &mut self.status);
        (self.pt, self.pt_capacity, len, status)
    }
}

/// A marker that is not a [`pqseal_status`].
const UNTRIED: i32 = i32::MAX;

/// Runs `open`, which sets the status of each message that it tries. The others get the status that
/// it returns. `slots` must point to `count` structs that nobody else uses until the end of the
/// call.
pub(crate) unsafe fn open_each<S: Slot>(
    slots: *mut S,
    count: usize,
    open: impl FnOnce(&mut [S]) -> Result<(), pqseal_status>,
) -> pqseal_status {
    // The caller may have set the status to PQSEAL_OK.
    // SAFETY: by the caller's word.
    let marked = unsafe { mark(slots, count, true, UNTRIED) };
    if marked != PQSEAL_OK {
        return marked;
    }
    // SAFETY: by the caller's word.
    let status = guard(|| open(unsafe { array(slots, count) }?));
    // SAFETY: by the caller's word.
    unsafe { mark(slots, count, false, status as i32) };
    status
}

/// Sets the status of all slots, or of those that were not tried. The pointer is as for
/// [`open_each`].
unsafe fn mark<S: Slot>(slots: *mut S, count: usize, all: bool, to: i32) -> pqseal_status {
    guard(|| {
        // SAFETY: by the caller's word.
        for slot in unsafe { array(slots, count) }? {
            let (_, _, len, status) = slot.result();
            if all || *status == UNTRIED {
                (*len, *status) = (0, to);
            }
        }
        Ok(())
    })
}

/// Writes the result of each message, of which none was written before.
pub(crate) fn write_all<S: Slot, E: Into<pqseal_status>>(
    slots: &mut [S],
    results: Vec<Result<Vec<u8>, E>>,
) -> Result<(), pqseal_status> {
    let results = results.into_iter();
    let results: Vec<_> = results.map(|result| result.map(Plaintext::new)).collect();
    let mut all = Ok(());
    for (slot, result) in slots.iter_mut().zip(results) {
        let (pt, capacity, len, status) = slot.result();
        let written = result.map_err(Into::into).and_then(|plaintext| {
            // SAFETY: by the header's rules.
            let out = unsafe { Output::new(pt, capacity, len) }?;
            out.write(plaintext.bytes())
        });
        *status = written.err().unwrap_or(PQSEAL_OK) as i32;
        all = all.and(written.map_err(|status| match status {
            PQSEAL_ERROR_INTERNAL => PQSEAL_ERROR_INTERNAL,
            _ => PQSEAL_ERROR_OPEN,
        }));
    }
    all
}

/// Returns the inputs of a message, whose pointers must be valid by the header's rules.
unsafe fn sealed<'a>(message: &pqseal_message) -> Result<Sealed<'a>, pqseal_status> {
    // SAFETY: by the header's rules.
    unsafe {
        Ok(Sealed {
            enc: slice(message.enc, message.enc_len)?,
            aad: slice(message.aad, message.aad_len)?,
            ct: slice(message.ct, message.ct_len)?,
        })
    }
}
