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
    let mark = |from: i32, to: i32| {
        guard(|| {
            // SAFETY: by the header's rules.
            let messages = unsafe { array(messages, count) }?;
            for message in messages
                .iter_mut()
                .filter(|message| from == ANY || message.status == from)
            {
                (message.status, message.pt_len) = (to, 0);
            }
            Ok(())
        })
    };
    // The caller may have set the status to PQSEAL_OK.
    let marked = mark(ANY, UNTRIED);
    if marked != PQSEAL_OK {
        return marked;
    }
    let status = guard(|| {
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
        open_all(unsafe { array(messages, count) }?, |inputs| {
            recipient.open_batch(inputs)
        })
    });
    mark(UNTRIED, status as i32);
    status
}

/// A marker that is not a [`pqseal_status`].
const ANY: i32 = i32::MIN;
const UNTRIED: i32 = i32::MAX;

fn open_all(
    messages: &mut [pqseal_message],
    open: impl FnOnce(&[Sealed<'_>]) -> Vec<Result<Vec<u8>, pqseal_hpke::Error>>,
) -> Result<(), pqseal_status> {
    let mut inputs = Vec::with_capacity(messages.len());
    for message in messages.iter() {
        // SAFETY: by the header's rules.
        inputs.push(unsafe { sealed(message) }?);
    }
    let results = open(&inputs).into_iter();
    let results: Vec<_> = results.map(|result| result.map(Plaintext::new)).collect();
    let mut all = Ok(());
    for (message, result) in messages.iter_mut().zip(results) {
        let written = result.map_err(pqseal_status::from).and_then(|plaintext| {
            let len = &raw mut message.pt_len;
            // SAFETY: by the header's rules.
            let out = unsafe { Output::new(message.pt, message.pt_capacity, len) }?;
            out.write(plaintext.bytes())
        });
        message.status = written.err().unwrap_or(PQSEAL_OK) as i32;
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
