//! SSH's wire format (RFC 4251, section 5): strings with a length of 4 bytes before them.

use crate::SshError;

/// A reader of the parts. It checks each length against the remaining bytes.
pub(super) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    fn take(&mut self, len: usize) -> Result<&'b [u8], SshError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(SshError::Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<u32, SshError> {
        let bytes = self.take(4)?.try_into().expect("4 bytes");
        Ok(u32::from_be_bytes(bytes))
    }

    pub(super) fn string(&mut self) -> Result<&'b [u8], SshError> {
        let len = self.number()?;
        self.take(usize::try_from(len).map_err(|_| SshError::Malformed)?)
    }

    /// Reads a positive integer (`mpint`) without its sign: big-endian, with a nonzero first byte.
    pub(super) fn positive(&mut self) -> Result<&'b [u8], SshError> {
        let number = self.string()?;
        match number {
            [0, 0x80..=0xff, ..] => Ok(&number[1..]),
            [1..0x80, ..] => Ok(number),
            _ => Err(SshError::Malformed),
        }
    }

    /// Returns the remaining bytes.
    pub(super) fn rest(self) -> &'b [u8] {
        self.0
    }

    pub(super) fn end(self) -> Result<(), SshError> {
        match self.0 {
            [] => Ok(()),
            _ => Err(SshError::Malformed),
        }
    }
}

/// Writes strings, none of which is secret.
pub(super) fn write(strings: &[&[u8]]) -> Vec<u8> {
    let string = |bytes: &&[u8]| {
        let length = u32::try_from(bytes.len()).expect("a part of a key has less than 4 GiB");
        [&length.to_be_bytes(), *bytes].concat()
    };
    strings.iter().flat_map(string).collect()
}

/// The integers of an RSA private key (RFC 8017, section 3.2), in SSH's order.
#[cfg_attr(not(feature = "aws-lc"), expect(dead_code, reason = "RSA is refused"))]
pub(super) struct RsaIntegers<'b> {
    pub(super) n: &'b [u8],
    pub(super) e: &'b [u8],
    pub(super) d: &'b [u8],
    pub(super) q_inv: &'b [u8],
    pub(super) p: &'b [u8],
    pub(super) q: &'b [u8],
}
