//! The text forms of age's post-quantum keys: Bech32 without its limit of length.

use bech32::{Bech32, Checksum, Hrp, primitives::decode::CheckedHrpstring};

const IDENTITY: &str = "age-secret-key-pq-";
const RECIPIENT: &str = "age1pq";

/// The seed in an identity.
pub(crate) fn seed(identity: &str) -> Vec<u8> {
    decode(IDENTITY, identity)
}

/// The public key in a recipient.
pub(crate) fn public_key(recipient: &str) -> Vec<u8> {
    decode(RECIPIENT, recipient)
}

/// The identity of a seed.
pub(crate) fn identity(seed: &[u8]) -> String {
    bech32::encode_upper::<LongBech32>(Hrp::parse_unchecked(IDENTITY), seed).unwrap()
}

fn decode(prefix: &str, text: &str) -> Vec<u8> {
    let decoded =
        CheckedHrpstring::new::<LongBech32>(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(decoded.hrp(), Hrp::parse_unchecked(prefix));
    decoded.byte_iter().collect()
}

/// Bech32 for a recipient of 1,959 characters. Beyond 1,023 the checksum no longer finds every
/// small error, which age accepts.
enum LongBech32 {}

impl Checksum for LongBech32 {
    type MidstateRepr = <Bech32 as Checksum>::MidstateRepr;
    type CorrectionField = <Bech32 as Checksum>::CorrectionField;
    const ROOT_GENERATOR: Self::CorrectionField = Bech32::ROOT_GENERATOR;
    const ROOT_EXPONENTS: std::ops::RangeInclusive<usize> = Bech32::ROOT_EXPONENTS;
    const CODE_LENGTH: usize = usize::MAX;
    const CHECKSUM_LENGTH: usize = Bech32::CHECKSUM_LENGTH;
    const GENERATOR_SH: [Self::MidstateRepr; 5] = Bech32::GENERATOR_SH;
    const TARGET_RESIDUE: Self::MidstateRepr = Bech32::TARGET_RESIDUE;
}
