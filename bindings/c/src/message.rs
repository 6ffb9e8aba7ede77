//! Single messages, each with its own encapsulated key.

use getrandom::SysRng;

use crate::{
    params::Params,
    pqseal_params, pqseal_private_key, pqseal_public_key, pqseal_status, pqseal_suite,
    raw::{Output, guard, reference, slice},
};

/// Seals one message. `enc` requires Nenc bytes, `ct` requires Nt bytes more than the plaintext.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_seal(
    suite: *const pqseal_suite,
    public_key: *const pqseal_public_key,
    params: *const pqseal_params,
    aad: *const u8,
    aad_len: usize,
    pt: *const u8,
    pt_len: usize,
    enc: *mut u8,
    enc_capacity: usize,
    enc_len: *mut usize,
    ct: *mut u8,
    ct_capacity: usize,
    ct_len: *mut usize,
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
        let (aad, pt) = unsafe { (slice(aad, aad_len)?, slice(pt, pt_len)?) };
        // SAFETY: by the header's rules.
        let (enc, ct) = unsafe {
            (
                Output::new(enc, enc_capacity, enc_len)?,
                Output::new(ct, ct_capacity, ct_len)?,
            )
        };
        let rooms = (
            enc.reserve(suite.0.kem().info().n_enc),
            ct.reserve(pt.len().saturating_add(suite.tag_len())),
        );
        rooms.0.and(rooms.1)?;
        let mode = params.sender()?;
        let sealed = suite
            .0
            .seal(&key.0, params.info, mode, aad, pt, &mut SysRng)?;
        enc.write(&sealed.0)?;
        ct.write(&sealed.1)
    })
}

/// Opens the one message that was sealed under `enc`. `pt` requires Nt bytes less than the
/// ciphertext.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_open(
    suite: *const pqseal_suite,
    private_key: *const pqseal_private_key,
    params: *const pqseal_params,
    enc: *const u8,
    enc_len: usize,
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
        let (suite, key, params) = unsafe {
            (
                reference(suite)?,
                reference(private_key)?,
                Params::new(params)?,
            )
        };
        // SAFETY: by the header's rules.
        let (enc, aad, ct) = unsafe {
            (
                slice(enc, enc_len)?,
                slice(aad, aad_len)?,
                slice(ct, ct_len)?,
            )
        };
        // SAFETY: by the header's rules.
        let out = unsafe { Output::new(pt, pt_capacity, pt_len) }?;
        out.reserve(ct.len().saturating_sub(suite.tag_len()))?;
        let mode = params.recipient()?;
        out.write_secret(suite.0.open(enc, &key.0, params.info, mode, aad, ct)?)
    })
}
