//! The text of age's keys: Bech32 (BIP 173) without its limit on length. Recipients are in lower
//! case, identities in upper case.

use bech32::{Bech32, Checksum, Hrp, primitives::decode::CheckedHrpstring};
use zeroize::Zeroizing;

use crate::KeyError;

/// Returns the bytes of a recipient.
pub(crate) fn read(prefix: &str, text: &str) -> Result<Vec<u8>, KeyError> {
    Ok(bytes(prefix, text, |c| !c.is_ascii_uppercase())?.to_vec())
}

/// Returns the bytes of an identity. `prefix` is in lower case.
pub(crate) fn read_secret(prefix: &str, text: &str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    bytes(prefix, text, |c| !c.is_ascii_lowercase())
}

/// Returns the prefix of a text with a valid checksum, in its original case.
pub(crate) fn prefix(text: &str) -> Result<String, KeyError> {
    let decoded = CheckedHrpstring::new::<LongBech32>(text).map_err(|_| KeyError::Bech32)?;
    Ok(decoded.hrp().to_string())
}

/// Returns the text of a recipient.
pub(crate) fn write(prefix: &str, bytes: &[u8]) -> String {
    let hrp = Hrp::parse_unchecked(prefix);
    bech32::encode_lower::<LongBech32>(hrp, bytes).expect("no length is too long")
}

/// Returns the text of an identity.
pub(crate) fn write_secret(prefix: &str, bytes: &[u8]) -> Zeroizing<String> {
    let hrp = Hrp::parse_unchecked(prefix);
    let text = bech32::encode_upper::<LongBech32>(hrp, bytes);
    Zeroizing::new(text.expect("no length is too long"))
}

fn bytes(
    prefix: &str,
    text: &str,
    case: impl Fn(u8) -> bool,
) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let decoded = CheckedHrpstring::new::<LongBech32>(text).map_err(|_| KeyError::Bech32)?;
    if decoded.hrp() != Hrp::parse_unchecked(prefix) || !text.bytes().all(case) {
        return Err(KeyError::Unknown);
    }
    // Growing would leave copies of a secret behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    bytes.extend(decoded.byte_iter());
    Ok(bytes)
}

/// Bech32 that is long enough for a recipient of 1,959 characters. Beyond 1,023 the checksum no
/// longer detects every small error, which age accepts.
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
