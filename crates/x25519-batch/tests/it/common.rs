//! Helpers of the tests.
use std::io::Write;

use data_encoding::HEXLOWER;
use x25519_batch::Backend;

/// Lists the back ends of this machine; prints the others, past the capture of test
/// output.
pub(crate) fn backends() -> impl Iterator<Item = Backend> {
    let (has, lacks): (Vec<Backend>, Vec<Backend>) = Backend::ALL
        .iter()
        .partition(|backend| backend.is_available());
    let mut out = std::io::stdout();
    writeln!(out, "back ends: has {has:?}, lacks {lacks:?}").unwrap();
    has.into_iter()
}

pub(crate) fn array(bytes: &[u8]) -> [u8; 32] {
    bytes.try_into().expect("32 bytes")
}

pub(crate) fn hex(text: &str) -> [u8; 32] {
    array(&HEXLOWER.decode(text.as_bytes()).expect("hex"))
}

/// Computes the reference result.
pub(crate) fn dalek(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    x25519_dalek::StaticSecret::from(*scalar)
        .diffie_hellman(&(*point).into())
        .to_bytes()
}
