//! Contexts: a sequence of messages under one encapsulated key, and exports.

use std::{
    process,
    sync::{Mutex, MutexGuard, PoisonError},
};

use getrandom::SysRng;
use pqseal_hpke::{AnyAead, DynKdf, Error, RecipientContext, Secret, SenderContext};

use crate::{
    params::Params,
    pqseal_params, pqseal_private_key, pqseal_public_key,
    pqseal_status::{self, PQSEAL_ERROR_PROCESS},
    pqseal_suite,
    raw::{Output, Place, array, free, guard, reference, slice},
};

/// The sender's side of a context. It seals only in the process that created it, since after a fork
/// both processes would seal under the same nonces.
pub struct pqseal_sender {
    context: Mutex<SenderContext<DynKdf, AnyAead>>,
    tag_len: usize,
    process: u32,
}

impl pqseal_sender {
    /// Refuses another process. This precedes locking the context, since after a fork a thread of
    /// the first process may hold the lock forever in the copy.
    fn check_process(&self) -> Result<(), pqseal_status> {
        match self.process == process::id() {
            true => Ok(()),
            false => Err(PQSEAL_ERROR_PROCESS),
        }
    }

    /// Seals the next message and returns its number. A message that does not fit takes no number.
    fn seal(&self, aad: &[u8], pt: &[u8], out: &Output) -> Result<(u64, Vec<u8>), pqseal_status> {
        self.check_process()?;
        out.reserve(pt.len().saturating_add(self.tag_len))?;
        Ok(lock(&self.context).seal_with_sequence(aad, pt)?)
    }
}

/// The recipient's side of a context.
pub struct pqseal_recipient(Mutex<RecipientContext<DynKdf, AnyAead>>, usize);

/// SetupS: writes a fresh encapsulated key of Nenc bytes to `enc`, and creates the context that
/// seals under it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_sender_new(
    suite: *const pqseal_suite,
    public_key: *const pqseal_public_key,
    params: *const pqseal_params,
    enc: *mut u8,
    enc_capacity: usize,
    enc_len: *mut usize,
    sender: *mut *mut pqseal_sender,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (suite, key, params) = unsafe {
            (
                reference(suite)?,
                reference(public_key)?,
                Params::new(params)?,
            )
        };
        // SAFETY: by the header's rules.
        let (out, place) = unsafe {
            (
                Output::new(enc, enc_capacity, enc_len)?,
                Place::new(sender)?,
            )
        };
        out.reserve(suite.0.kem().info().n_enc)?;
        let (enc, context) = suite
            .0
            .setup_s(&key.0, params.info, params.sender()?, &mut SysRng)?;
        out.write(&enc)?;
        place.give(pqseal_sender {
            context: Mutex::new(context),
            tag_len: suite.tag_len(),
            process: process::id(),
        });
        Ok(())
    })
}

/// Seals the next message. `ct` requires Nt bytes more than the plaintext. Fails with
/// PQSEAL_ERROR_PROCESS in a process other than the one that created the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_sender_seal(
    sender: *const pqseal_sender,
    aad: *const u8,
    aad_len: usize,
    pt: *const u8,
    pt_len: usize,
    ct: *mut u8,
    ct_capacity: usize,
    ct_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (sender, aad, pt) =
            unsafe { (reference(sender)?, slice(aad, aad_len)?, slice(pt, pt_len)?) };
        // SAFETY: by the header's rules.
        let out = unsafe { Output::new(ct, ct_capacity, ct_len) }?;
        let (_, ct) = sender.seal(aad, pt, &out)?;
        out.write(&ct)
    })
}

/// Seals the next message, as pqseal_sender_seal, and writes its number, from 0, for
/// pqseal_recipient_open_at. Threads that share a context learn only so which message got which.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_sender_seal_with_sequence(
    sender: *const pqseal_sender,
    aad: *const u8,
    aad_len: usize,
    pt: *const u8,
    pt_len: usize,
    ct: *mut u8,
    ct_capacity: usize,
    ct_len: *mut usize,
    sequence: *mut u64,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (sender, aad, pt) =
            unsafe { (reference(sender)?, slice(aad, aad_len)?, slice(pt, pt_len)?) };
        // SAFETY: by the header's rules.
        let (out, place) =
            unsafe { (Output::new(ct, ct_capacity, ct_len)?, Place::new(sequence)?) };
        let (number, ct) = sender.seal(aad, pt, &out)?;
        out.write(&ct)?;
        place.set(number);
        Ok(())
    })
}

/// Writes the number of the next message, from 0. Fails with PQSEAL_ERROR_PROCESS in a process other
/// than the one that created the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_sender_sequence(
    sender: *const pqseal_sender,
    sequence: *mut u64,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (sender, place) = unsafe { (reference(sender)?, Place::new(sequence)?) };
        sender.check_process()?;
        place.set(lock(&sender.context).sequence());
        Ok(())
    })
}

/// Exports `len` secret bytes to `out`, which the recipient can export too. Fails with
/// PQSEAL_ERROR_PROCESS in a process other than the one that created the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_sender_export(
    sender: *const pqseal_sender,
    exporter_context: *const u8,
    exporter_context_len: usize,
    out: *mut u8,
    len: usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let sender = unsafe { reference(sender) }?;
        sender.check_process()?;
        // SAFETY: by the header's rules.
        unsafe {
            exported(
                |context| lock(&sender.context).export(context, len),
                exporter_context,
                exporter_context_len,
                out,
                len,
            )
        }
    })
}

/// Frees a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_sender_free(sender: *mut pqseal_sender) {
    // SAFETY: by the header's rules.
    unsafe { free(sender) }
}

/// SetupR: creates the context that opens messages sealed under `enc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_recipient_new(
    suite: *const pqseal_suite,
    private_key: *const pqseal_private_key,
    params: *const pqseal_params,
    enc: *const u8,
    enc_len: usize,
    recipient: *mut *mut pqseal_recipient,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (suite, key, params) = unsafe {
            (
                reference(suite)?,
                reference(private_key)?,
                Params::new(params)?,
            )
        };
        // SAFETY: by the header's rules.
        let (enc, place) = unsafe { (slice(enc, enc_len)?, Place::new(recipient)?) };
        let context = suite
            .0
            .setup_r(enc, &key.0, params.info, params.recipient()?)?;
        place.give(pqseal_recipient(Mutex::new(context), suite.tag_len()));
        Ok(())
    })
}

/// Opens the next message. After a failure the same message is still the next. `pt` requires Nt
/// bytes less than the ciphertext.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_recipient_open(
    recipient: *const pqseal_recipient,
    aad: *const u8,
    aad_len: usize,
    ct: *const u8,
    ct_len: usize,
    pt: *mut u8,
    pt_capacity: usize,
    pt_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (recipient, aad, ct) = unsafe {
            (
                reference(recipient)?,
                slice(aad, aad_len)?,
                slice(ct, ct_len)?,
            )
        };
        // SAFETY: by the header's rules.
        let out = unsafe { Output::new(pt, pt_capacity, pt_len) }?;
        out.reserve(ct.len().saturating_sub(recipient.1))?;
        out.write_secret(lock(&recipient.0).open(aad, ct)?)
    })
}

/// Opens the message with this sequence number, in any order, without changing the context's own
/// sequence number. The caller must detect replays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_recipient_open_at(
    recipient: *const pqseal_recipient,
    sequence: u64,
    aad: *const u8,
    aad_len: usize,
    ct: *const u8,
    ct_len: usize,
    pt: *mut u8,
    pt_capacity: usize,
    pt_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (recipient, aad, ct) = unsafe {
            (
                reference(recipient)?,
                slice(aad, aad_len)?,
                slice(ct, ct_len)?,
            )
        };
        // SAFETY: by the header's rules.
        let out = unsafe { Output::new(pt, pt_capacity, pt_len) }?;
        out.reserve(ct.len().saturating_sub(recipient.1))?;
        out.write_secret(lock(&recipient.0).open_at(sequence, aad, ct)?)
    })
}

/// Exports the same bytes as pqseal_sender_export.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_recipient_export(
    recipient: *const pqseal_recipient,
    exporter_context: *const u8,
    exporter_context_len: usize,
    out: *mut u8,
    len: usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let recipient = unsafe { reference(recipient) }?;
        // SAFETY: by the header's rules.
        unsafe {
            exported(
                |context| lock(&recipient.0).export(context, len),
                exporter_context,
                exporter_context_len,
                out,
                len,
            )
        }
    })
}

/// Writes the number of the next message, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_recipient_sequence(
    recipient: *const pqseal_recipient,
    sequence: *mut u64,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (recipient, place) = unsafe { (reference(recipient)?, Place::new(sequence)?) };
        place.set(lock(&recipient.0).sequence());
        Ok(())
    })
}

/// Frees a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_recipient_free(recipient: *mut pqseal_recipient) {
    // SAFETY: by the header's rules.
    unsafe { free(recipient) }
}

/// Exports to `out`. The pointers must be valid by the header's rules.
unsafe fn exported(
    export: impl FnOnce(&[u8]) -> Result<Secret, Error>,
    exporter_context: *const u8,
    exporter_context_len: usize,
    out: *mut u8,
    len: usize,
) -> Result<(), pqseal_status> {
    // SAFETY: by the header's rules.
    let context = unsafe { slice(exporter_context, exporter_context_len)? };
    // Exporting comes first, since it refuses a length that no buffer has.
    let secret = export(context)?;
    // SAFETY: by the header's rules.
    unsafe { array(out, len)? }.copy_from_slice(secret.as_ref());
    Ok(())
}

/// Locks a context. A poisoned one can be used, since no operation leaves it in an inconsistent
/// state.
fn lock<T>(context: &Mutex<T>) -> MutexGuard<'_, T> {
    context.lock().unwrap_or_else(PoisonError::into_inner)
}
