use pqseal_hpke::{ExportOnly, HkdfSha256, Kem, Mode, Suite, X25519HkdfSha256};

fn misuse(suite: Suite<X25519HkdfSha256, HkdfSha256, ExportOnly>, sk: <X25519HkdfSha256 as Kem>::PrivateKey) {
    let _ = suite.open(b"enc", &sk, b"info", Mode::Base, b"aad", b"message");
}

fn main() {}
