use pqseal_hpke::{Aes128Gcm, HkdfSha256, Kem, Mode, P256HkdfSha256, Suite, X25519HkdfSha256};

fn misuse(suite: Suite<X25519HkdfSha256, HkdfSha256, Aes128Gcm>, sk: <P256HkdfSha256 as Kem>::PrivateKey) {
    let _ = suite.setup_r(b"enc", &sk, b"info", Mode::Base);
}

fn main() {}
