//! `pqseal-c`: the operations of a program in C. Each plaintext goes to a buffer of ours, which is
//! wiped.

use std::ptr::{null, null_mut};

use pqseal::*;
use pqseal_hpke::Status;
use zeroize::Zeroizing;

use crate::world::{AAD, INFO, Kind, World};

/// A suite and the private key, as C holds them.
struct Handles(*mut pqseal_suite, *mut pqseal_private_key);

impl Handles {
    fn new(world: &World) -> Self {
        let (mut suite, mut key) = (null_mut(), null_mut());
        let id = world.choice.suite().id();
        let bytes = world.choice.kem.serialize_private_key(&world.private());
        let bytes = bytes.expect("it has a seed");
        let (key_bytes, len) = (bytes.as_ref().as_ptr(), bytes.as_ref().len());
        let policy = pqseal_policy::PQSEAL_POLICY_EXPERIMENTAL as i32;
        // SAFETY: lengths are those of the slices, and the places are ours.
        unsafe {
            ok(pqseal_suite_new(
                id.kem,
                id.kdf,
                id.aead,
                policy,
                &raw mut suite,
            ));
            ok(pqseal_private_key_deserialize(
                suite,
                key_bytes,
                len,
                &raw mut key,
            ));
        }
        Self(suite, key)
    }
}

impl Drop for Handles {
    fn drop(&mut self) {
        // SAFETY: they came from this library and are no longer used.
        unsafe {
            pqseal_private_key_free(self.1);
            pqseal_suite_free(self.0);
        }
    }
}

fn ok(status: pqseal_status) {
    assert_eq!(status as i32, 0);
}

const fn params() -> pqseal_params {
    pqseal_params {
        info: INFO.as_ptr(),
        info_len: INFO.len(),
        psk: null(),
        psk_len: 0,
        psk_id: null(),
        psk_id_len: 0,
        sender_private_key: null(),
        sender_public_key: null(),
    }
}

/// Returns `enc` and `ct` of the HPKE message.
fn message(world: &World) -> (&[u8], &[u8]) {
    let found = world
        .carried
        .iter()
        .find(|one| one.kind == Kind::Hpke)
        .expect("it was made");
    found.bytes.split_at(world.choice.kem.info().n_enc)
}

/// Calls with a buffer for the plaintext and a place for its length, and compares the result.
fn opens(call: impl FnOnce(*mut u8, usize, *mut usize) -> pqseal_status) {
    let (expected, mut len) = (World::plaintext(), 0);
    let mut out = Zeroizing::new(vec![0; 2048]);
    ok(call(out.as_mut_ptr(), out.len(), &raw mut len));
    assert!(out[..len] == **expected);
}

pub(super) fn open(world: &World) {
    let (handles, (enc, ct)) = (Handles::new(world), message(world));
    // SAFETY: lengths are those of the slices.
    opens(|pt, capacity, len| unsafe {
        pqseal_open(
            handles.0,
            handles.1,
            &params(),
            enc.as_ptr(),
            enc.len(),
            AAD.as_ptr(),
            AAD.len(),
            ct.as_ptr(),
            ct.len(),
            pt,
            capacity,
            len,
        )
    });
}

pub(super) fn contexts(world: &World) {
    let (handles, (enc, ct)) = (Handles::new(world), message(world));
    let mut context = null_mut();
    let (aad, aad_len) = (AAD.as_ptr(), AAD.len());
    let (bytes, ct_len) = (ct.as_ptr(), ct.len());
    // SAFETY: lengths are those of the slices.
    unsafe {
        let (key, enc_len) = (handles.1, enc.len());
        let place = &raw mut context;
        ok(pqseal_recipient_new(
            handles.0,
            key,
            &params(),
            enc.as_ptr(),
            enc_len,
            place,
        ));
        opens(|pt, capacity, len| {
            pqseal_recipient_open_at(context, 0, aad, aad_len, bytes, ct_len, pt, capacity, len)
        });
        opens(|pt, capacity, len| {
            pqseal_recipient_open(context, aad, aad_len, bytes, ct_len, pt, capacity, len)
        });
        pqseal_recipient_free(context);
    }
}

pub(super) fn open_batch(world: &World) {
    let (handles, (enc, ct)) = (Handles::new(world), message(world));
    // The second has no room.
    let mut buffers = [Zeroizing::new(vec![0; 2048]), Zeroizing::new(vec![0; 1])];
    let mut messages = buffers.each_mut().map(|buffer| pqseal_message {
        enc: enc.as_ptr(),
        enc_len: enc.len(),
        aad: AAD.as_ptr(),
        aad_len: AAD.len(),
        ct: ct.as_ptr(),
        ct_len: ct.len(),
        pt: buffer.as_mut_ptr(),
        pt_capacity: buffer.len(),
        pt_len: 0,
        status: 0,
    });
    let (first, count) = (messages.as_mut_ptr(), messages.len());
    // SAFETY: lengths are those of the slices.
    let status = unsafe { pqseal_open_batch(handles.0, handles.1, &params(), first, count) };
    assert_eq!(status as i32, pqseal_status::PQSEAL_ERROR_OPEN as i32);
    assert!(messages[0].status == 0 && messages[1].status != 0);
}

pub(super) fn matched_data(world: &World) {
    // No policy can be given.
    if world.choice.kem.info().status == Status::Experimental {
        return;
    }
    let handles = Handles::new(world);
    let blob = &world
        .carried
        .iter()
        .find(|one| one.kind == Kind::Blob)
        .expect("it was made")
        .bytes;
    let mut ring = null_mut();
    // SAFETY: lengths are those of the slices.
    unsafe {
        ok(pqseal_key_ring_new(&raw mut ring));
        ok(pqseal_key_ring_add(ring, handles.1));
        opens(|pt, capacity, len| {
            let (info, aad) = (INFO.as_ptr(), AAD.as_ptr());
            let (bytes, blob_len) = (blob.as_ptr(), blob.len());
            pqseal_matched_data_open(
                ring,
                info,
                INFO.len(),
                aad,
                AAD.len(),
                bytes,
                blob_len,
                pt,
                capacity,
                len,
            )
        });
        pqseal_key_ring_free(ring);
    }
}
