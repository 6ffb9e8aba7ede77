//! Keys as COSE_Key. Without the feature `cose`, such a file is recognised and refused.

#[cfg(feature = "cose")]
mod supported;
#[cfg(not(feature = "cose"))]
mod unsupported;

#[cfg(feature = "cose")]
pub use supported::{read_private, read_public, write_private, write_public};
#[cfg(not(feature = "cose"))]
pub use unsupported::{read_private, read_public, write_private, write_public};

/// Reports whether a file is CBOR whose first item is a map, like a COSE_Key. No text
/// begins so, and the smallest one has 40 bytes, so 32 raw bytes are not one.
pub fn detect(file: &[u8]) -> bool {
    matches!(file, [0xa1..=0xbf, rest @ ..] if rest.len() >= 39)
}
