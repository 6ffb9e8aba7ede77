//! BIKE of liboqs, in C, with its randomness as an argument, for a test and a benchmark.

use std::{cell::Cell, ffi::CString, ptr, slice, sync::Once};

use oqs_sys::{
    common::{OQS_STATUS, OQS_init},
    kem::{OQS_KEM, OQS_KEM_decaps, OQS_KEM_encaps, OQS_KEM_free, OQS_KEM_keypair, OQS_KEM_new},
    rand::OQS_randombytes_custom_algorithm,
};
use pqseal_kem_pq::bike::Params;

/// The most bytes that one operation of BIKE draws.
const DRAW: usize = 64;

thread_local! {
    /// The next randomness for liboqs.
    static RANDOMNESS: Cell<[u8; DRAW]> = const { Cell::new([0; DRAW]) };
}

/// A level of BIKE in liboqs, on the best instructions of this machine, which liboqs detects at run
/// time.
pub struct Liboqs(*mut OQS_KEM);

impl Liboqs {
    /// Creates the level with these parameters.
    pub fn new(p: &Params) -> Self {
        static INIT: Once = Once::new();
        INIT.call_once(|| {
            // SAFETY: called once, before anything else of liboqs; the function satisfies liboqs's
            // contract.
            unsafe {
                OQS_init();
                OQS_randombytes_custom_algorithm(Some(draw));
            }
        });
        let name = CString::new(p.name).expect("a name has no zero");
        // SAFETY: the name ends in a zero and outlives the call.
        let kem = unsafe { OQS_KEM_new(name.as_ptr()) };
        assert!(!kem.is_null(), "this liboqs was built without {}", p.name);
        Self(kem)
    }

    /// Runs KeyGen. Returns the public and the private key in liboqs's format.
    pub fn keypair(&self, seed: &[u8; 64]) -> (Vec<u8>, Vec<u8>) {
        RANDOMNESS.set(*seed);
        let (mut pk, mut sk) = (
            vec![0; self.kem().length_public_key],
            vec![0; self.kem().length_secret_key],
        );
        // SAFETY: each buffer has the length that liboqs names.
        expect_success(unsafe { OQS_KEM_keypair(self.0, pk.as_mut_ptr(), sk.as_mut_ptr()) });
        (pk, sk)
    }

    /// Runs Encaps. Returns the ciphertext and the shared secret.
    pub fn encaps(&self, pk: &[u8], m: &[u8; 32]) -> (Vec<u8>, Vec<u8>) {
        assert_eq!(pk.len(), self.kem().length_public_key);
        RANDOMNESS.set(
            [m.as_slice(), &[0; 32]]
                .concat()
                .try_into()
                .expect("twice 32 bytes"),
        );
        let (mut c, mut ss) = (
            vec![0; self.kem().length_ciphertext],
            vec![0; self.kem().length_shared_secret],
        );
        // SAFETY: each buffer has the length that liboqs names.
        expect_success(unsafe {
            OQS_KEM_encaps(self.0, c.as_mut_ptr(), ss.as_mut_ptr(), pk.as_ptr())
        });
        (c, ss)
    }

    /// Runs Decaps. Returns the shared secret.
    pub fn decaps(&self, c: &[u8], sk: &[u8]) -> Vec<u8> {
        assert_eq!(
            (c.len(), sk.len()),
            (self.kem().length_ciphertext, self.kem().length_secret_key)
        );
        let mut ss = vec![0; self.kem().length_shared_secret];
        // SAFETY: each buffer has the length that liboqs names.
        expect_success(unsafe { OQS_KEM_decaps(self.0, ss.as_mut_ptr(), c.as_ptr(), sk.as_ptr()) });
        ss
    }

    fn kem(&self) -> &OQS_KEM {
        // SAFETY: made by `OQS_KEM_new`, not null, and only freed by `drop`.
        unsafe { &*self.0 }
    }
}

impl Drop for Liboqs {
    fn drop(&mut self) {
        // SAFETY: made by `OQS_KEM_new`, and not used again.
        unsafe { OQS_KEM_free(self.0) };
    }
}

fn expect_success(status: OQS_STATUS) {
    assert!(
        status == OQS_STATUS::OQS_SUCCESS,
        "liboqs failed: {status:?}"
    );
}

/// Returns the randomness that was set, from its beginning.
unsafe extern "C" fn draw(out: *mut u8, len: usize) {
    assert!(len <= DRAW, "BIKE draws no more than {DRAW} bytes at once");
    let randomness = RANDOMNESS.get();
    // SAFETY: liboqs passes a buffer of `len` bytes, which is not ours.
    unsafe { ptr::copy_nonoverlapping(randomness.as_ptr(), out, len) };
    // SAFETY: as above, and all of it is written.
    debug_assert_eq!(
        unsafe { slice::from_raw_parts(out, len) },
        &randomness[..len]
    );
}

/// Returns a private key in liboqs's format: the index lists of h0 and h1 (32 bits little-endian
/// each), h0, h1, the public key and sigma.
pub fn liboqs_private_key(p: &Params, h0_h1_sigma: &[u8], pk: &[u8]) -> Vec<u8> {
    let (h, sigma) = h0_h1_sigma.split_at(2 * p.n_pk());
    let indices = h.chunks(p.n_pk()).flat_map(|half| {
        (0..p.r)
            .filter(|i| half[i / 8] >> (i % 8) & 1 == 1)
            .flat_map(|i| u32::try_from(i).expect("below r").to_le_bytes())
    });
    indices.chain([h, pk, sigma].concat()).collect()
}
