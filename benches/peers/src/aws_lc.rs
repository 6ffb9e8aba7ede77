//! AWS-LC's own HPKE (EVP_HPKE), which has X25519 alone. The one place here with unsafe code: its interface is C.

use std::{hint::black_box, ptr::null};

use aws_lc_sys::{
    EVP_HPKE_AEAD, EVP_HPKE_CTX, EVP_HPKE_CTX_free, EVP_HPKE_CTX_new, EVP_HPKE_CTX_open, EVP_HPKE_CTX_seal,
    EVP_HPKE_CTX_setup_recipient, EVP_HPKE_CTX_setup_sender, EVP_HPKE_KEY, EVP_HPKE_KEY_init, EVP_HPKE_KEY_new,
    EVP_hpke_aes_128_gcm, EVP_hpke_chacha20_poly1305, EVP_hpke_hkdf_sha256, EVP_hpke_x25519_hkdf_sha256,
};

use crate::{Case, Record, Suite};

const NAME: &str = "AWS-LC EVP_HPKE";
/// Nt, in bytes.
const N_T: usize = 16;

/// A context, freed on drop.
struct Context(*mut EVP_HPKE_CTX);

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by EVP_HPKE_CTX_new, and freed once.
        unsafe { EVP_HPKE_CTX_free(self.0) }
    }
}

/// A private key, which lives as long as the program, and the AEAD to use it with.
#[derive(Clone, Copy)]
struct Peer {
    key: *const EVP_HPKE_KEY,
    aead: *const EVP_HPKE_AEAD,
}

impl Peer {
    fn new(record: &Record, aead: *const EVP_HPKE_AEAD) -> Self {
        // SAFETY: the key comes from EVP_HPKE_KEY_new, and the bytes are a slice's.
        let key = unsafe {
            let key = EVP_HPKE_KEY_new();
            assert_eq!(1, EVP_HPKE_KEY_init(key, EVP_hpke_x25519_hkdf_sha256(), record.sk.as_ptr(), record.sk.len()));
            key
        };
        Self { key, aead }
    }

    fn setup(self, enc: &[u8]) -> Context {
        // SAFETY: key and aead are AWS-LC's and live for ever; the bytes are a slice's; an empty info may be null.
        unsafe {
            let context = Context(EVP_HPKE_CTX_new());
            let (kdf, enc_len) = (EVP_hpke_hkdf_sha256(), enc.len());
            let done =
                EVP_HPKE_CTX_setup_recipient(context.0, self.key, kdf, self.aead, enc.as_ptr(), enc_len, null(), 0);
            assert_eq!(1, done);
            context
        }
    }

    fn open(self, enc: &[u8], ct: &[u8]) -> Vec<u8> {
        let context = self.setup(enc);
        let (mut out, mut len) = (vec![0; ct.len()], 0);
        // SAFETY: the pointers and lengths are those of live slices; an empty aad may be null.
        let done = unsafe {
            EVP_HPKE_CTX_open(context.0, out.as_mut_ptr(), &mut len, out.len(), ct.as_ptr(), ct.len(), null(), 0)
        };
        assert_eq!(1, done);
        out.truncate(len);
        out
    }

    fn seal(self, pk: &[u8], message: &[u8]) -> ([u8; 32], Vec<u8>) {
        let context = Context(
            // SAFETY: no arguments.
            unsafe { EVP_HPKE_CTX_new() },
        );
        let (mut enc, mut enc_len, mut out, mut len) = ([0; 32], 0, vec![0; message.len() + N_T], 0);
        // SAFETY: as in `open`.
        unsafe {
            let (kem, kdf) = (EVP_hpke_x25519_hkdf_sha256(), EVP_hpke_hkdf_sha256());
            let (enc, pk_len) = (enc.as_mut_ptr(), pk.len());
            let done = EVP_HPKE_CTX_setup_sender(
                context.0,
                enc,
                &mut enc_len,
                32,
                kem,
                kdf,
                self.aead,
                pk.as_ptr(),
                pk_len,
                null(),
                0,
            );
            assert_eq!(1, done);
            let (out_ptr, max) = (out.as_mut_ptr(), out.len());
            let done = EVP_HPKE_CTX_seal(context.0, out_ptr, &mut len, max, message.as_ptr(), message.len(), null(), 0);
            assert_eq!(1, done);
        }
        (enc, out)
    }
}

pub(crate) fn cases(record: &Record) -> Vec<Case> {
    // SAFETY: both give a pointer to a constant.
    let aead = unsafe {
        match record.suite {
            Suite::X25519ChaCha20 => EVP_hpke_chacha20_poly1305(),
            Suite::X25519Aes128 => EVP_hpke_aes_128_gcm(),
            Suite::XWingChaCha20 => return Vec::new(),
        }
    };
    let peer = Peer::new(record, aead);
    assert_eq!(peer.open(&record.enc, &record.ct), record.message);
    let (message, pk) = (record.message.clone(), record.pk.clone());
    let (enc, ct, other_enc) = (record.enc.clone(), record.ct.clone(), record.enc.clone());
    vec![
        record.case("seal", NAME, move || drop(black_box(peer.seal(&pk, black_box(&message))))),
        record.case("open", NAME, move || drop(black_box(peer.open(black_box(&enc), &ct)))),
        record.case("setup", NAME, move || drop(black_box(peer.setup(black_box(&other_enc))))),
    ]
}
