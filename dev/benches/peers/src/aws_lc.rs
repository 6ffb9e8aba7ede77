//! AWS-LC's own HPKE (EVP_HPKE), which supports only X25519. Only this module has unsafe code,
//! because the interface is C.

use std::{hint::black_box, ptr::null, rc::Rc};

use aws_lc_sys::{
    EVP_HPKE_AEAD, EVP_HPKE_CTX, EVP_HPKE_CTX_free, EVP_HPKE_CTX_new, EVP_HPKE_CTX_open,
    EVP_HPKE_CTX_seal, EVP_HPKE_CTX_setup_recipient, EVP_HPKE_CTX_setup_sender, EVP_HPKE_KEY,
    EVP_HPKE_KEY_init, EVP_HPKE_KEY_new, EVP_hpke_aes_128_gcm, EVP_hpke_chacha20_poly1305,
    EVP_hpke_hkdf_sha256, EVP_hpke_x25519_hkdf_sha256,
};

use crate::peer::{Case, Peer, Record, Suite};

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

/// A private key, which lives as long as the program, the public key, and the AEAD to use with
/// them.
struct AwsLc {
    key: *const EVP_HPKE_KEY,
    pk: Vec<u8>,
    aead: *const EVP_HPKE_AEAD,
}

pub(crate) fn cases(record: &Record) -> Vec<Case> {
    AwsLc::new(record).map_or_else(Vec::new, |peer| record.cases(NAME, peer))
}

/// Returns the cases of a batch, whose records are opened one by one.
pub(crate) fn batch(records: &[Record]) -> Vec<Case> {
    AwsLc::new(&records[0]).map_or_else(Vec::new, |peer| {
        Record::one_by_one(NAME, &Rc::new(peer), &records.into())
    })
}

impl AwsLc {
    /// Returns `None` for a suite that AWS-LC does not support.
    fn new(record: &Record) -> Option<Self> {
        // SAFETY: both give a pointer to a constant.
        let aead = unsafe {
            match record.suite {
                Suite::X25519ChaCha20 => EVP_hpke_chacha20_poly1305(),
                Suite::X25519Aes128 => EVP_hpke_aes_128_gcm(),
                Suite::XWingChaCha20 => return None,
            }
        };
        // SAFETY: the key comes from EVP_HPKE_KEY_new, and the bytes are a slice's.
        let key = unsafe {
            let key = EVP_HPKE_KEY_new();
            assert_eq!(
                1,
                EVP_HPKE_KEY_init(
                    key,
                    EVP_hpke_x25519_hkdf_sha256(),
                    record.sk.as_ptr(),
                    record.sk.len()
                )
            );
            key
        };
        Some(Self {
            key,
            pk: record.pk.clone(),
            aead,
        })
    }

    fn recipient(&self, enc: &[u8]) -> Context {
        // SAFETY: key and aead are AWS-LC's and live forever; the bytes are a slice's; an empty
        // info may be null.
        unsafe {
            let context = Context(EVP_HPKE_CTX_new());
            let (kdf, enc, len) = (EVP_hpke_hkdf_sha256(), enc.as_ptr(), enc.len());
            let done = EVP_HPKE_CTX_setup_recipient(
                context.0,
                self.key,
                kdf,
                self.aead,
                enc,
                len,
                null(),
                0,
            );
            assert_eq!(1, done);
            context
        }
    }

    fn sender(&self) -> Context {
        let (mut enc, mut enc_len, pk) = ([0_u8; 32], 0, &self.pk);
        // SAFETY: the pointers and lengths are those of live slices; the aead lives forever; an
        // empty info may be null.
        unsafe {
            let context = Context(EVP_HPKE_CTX_new());
            let (kem, kdf, aead) = (
                EVP_hpke_x25519_hkdf_sha256(),
                EVP_hpke_hkdf_sha256(),
                self.aead,
            );
            let (out, pk, pk_len) = (enc.as_mut_ptr(), pk.as_ptr(), pk.len());
            let done = EVP_HPKE_CTX_setup_sender(
                context.0,
                out,
                &mut enc_len,
                32,
                kem,
                kdf,
                aead,
                pk,
                pk_len,
                null(),
                0,
            );
            assert_eq!(1, done);
            black_box(enc);
            context
        }
    }
}

impl Context {
    fn seal(&self, message: &[u8], out: &mut [u8]) {
        let mut len = 0;
        // SAFETY: the pointers and lengths are those of live slices; an empty aad may be null.
        let done = unsafe {
            let (out, max) = (out.as_mut_ptr(), out.len());
            EVP_HPKE_CTX_seal(
                self.0,
                out,
                &mut len,
                max,
                message.as_ptr(),
                message.len(),
                null(),
                0,
            )
        };
        assert_eq!(1, done);
    }
}

impl Peer for AwsLc {
    fn seal(&self, message: &[u8]) {
        let mut out = vec![0; message.len() + N_T];
        self.sender().seal(message, &mut out);
        black_box(out);
    }

    fn open(&self, enc: &[u8], ct: &[u8]) -> Vec<u8> {
        let context = self.recipient(enc);
        let (mut out, mut len) = (vec![0; ct.len()], 0);
        // SAFETY: as in `Context::seal`.
        let done = unsafe {
            EVP_HPKE_CTX_open(
                context.0,
                out.as_mut_ptr(),
                &mut len,
                out.len(),
                ct.as_ptr(),
                ct.len(),
                null(),
                0,
            )
        };
        assert_eq!(1, done);
        out.truncate(len);
        out
    }

    fn set_up(&self, enc: &[u8]) {
        drop(black_box(self.recipient(enc)));
    }

    /// Returns a function that seals into an existing buffer, not in place.
    fn stream(&self) -> Option<Box<dyn FnMut(&mut [u8])>> {
        let (context, mut out) = (self.sender(), Vec::new());
        Some(Box::new(move |message| {
            out.resize(message.len() + N_T, 0);
            context.seal(message, &mut out);
        }))
    }
}
