//! Strict, line-by-line reading of a header, whose encoding is unique.

use base64ct::{Base64Unpadded, Encoding};
use std::io::{BufRead, Read};
use zeroize::Zeroizing;

use super::{FOOTER, Header, INTRO, MAX_HEADER};
use crate::{ArmorError, Error, HeaderError, Stanza, armor::utf16, stanza::COLUMNS};

/// The prefix of a stanza.
const STANZA: &[u8] = b"-> ";
/// The prefix of every version of age.
const FAMILY: &[u8] = b"age-encryption.org/";

impl Header {
    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    /// [`Error::Header`], [`Error::Io`], and [`Error::Armor`] from an [`ArmorReader`].
    ///
    /// [`ArmorReader`]: crate::ArmorReader
    pub fn read(input: &mut impl BufRead) -> Result<Self, Error> {
        let mut lines = Lines::new(input);
        lines.intro()?;
        let mut stanzas = Vec::new();
        loop {
            let line = lines.next()?;
            if let Some(start) = line.strip_prefix(STANZA) {
                let (kind, args) = arguments(start)?;
                let body = lines.body()?;
                stanzas.push(Stanza { kind, args, body });
                continue;
            }
            let mac = line.strip_prefix(FOOTER.as_bytes());
            let mac = mac.and_then(|mac| mac.strip_prefix(b" "));
            let mac = mac.ok_or(HeaderError::Malformed)?;
            if stanzas.is_empty() {
                return Err(HeaderError::Malformed.into());
            }
            let mac = base64(mac)?.as_slice().try_into();
            let mac = mac.map_err(|_| HeaderError::Malformed)?;
            return Ok(Self { stanzas, mac });
        }
    }
}

/// Reads one stanza outside a header, as plugins send them.
pub(crate) fn stanza(input: &mut impl BufRead) -> Result<Stanza, Error> {
    let mut lines = Lines::new(input);
    let start = lines.next()?.strip_prefix(STANZA);
    let (kind, args) = arguments(start.ok_or(HeaderError::Malformed)?)?;
    let body = lines.body()?;
    Ok(Stanza { kind, args, body })
}

/// A reader of lines without their line breaks, with a limit on their total length.
struct Lines<'a, R> {
    input: &'a mut R,
    left: usize,
    /// The current line, which may contain a plugin's secret.
    line: Zeroizing<Vec<u8>>,
}

impl<'a, R: BufRead> Lines<'a, R> {
    fn new(input: &'a mut R) -> Self {
        Self {
            input,
            left: MAX_HEADER,
            line: Zeroizing::new(Vec::with_capacity(128)),
        }
    }

    fn next(&mut self) -> Result<&[u8], Error> {
        self.line.clear();
        let mut limited = self.input.take(self.left as u64);
        self.left -= limited.read_until(b'\n', &mut self.line)?;
        match self.line.split_last() {
            Some((b'\n', line)) => Ok(line),
            _ if self.left == 0 => Err(HeaderError::TooLong.into()),
            _ => Err(HeaderError::Truncated.into()),
        }
    }

    /// Reads the first line. Of another file, no more is read than necessary to detect
    /// that.
    fn intro(&mut self) -> Result<(), Error> {
        let mut limited = self.input.take(INTRO.len() as u64 + 1);
        self.left -= limited.read_until(b'\n', &mut self.line)?;
        if self.line.strip_suffix(b"\n") == Some(INTRO.as_bytes()) {
            return Ok(());
        }
        Err(match () {
            () if INTRO.as_bytes().starts_with(&self.line) && !self.line.is_empty() => {
                HeaderError::Truncated
            }
            () if self.line.strip_prefix(INTRO.as_bytes()) == Some(b"\r") => {
                HeaderError::LineBreaks
            }
            () if self.line.starts_with(FAMILY) => HeaderError::Version,
            () if utf16(&self.line, b"age") => HeaderError::Utf16,
            () if utf16(&self.line, b"---") => return Err(ArmorError::Utf16.into()),
            () => HeaderError::NotAge,
        }
        .into())
    }

    /// Reads full lines of base64, then a shorter one, which may be empty.
    fn body(&mut self) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        loop {
            let line = self.next()?;
            if line.len() > COLUMNS {
                return Err(HeaderError::Malformed.into());
            }
            body.extend_from_slice(&base64(line)?);
            if line.len() < COLUMNS {
                return Ok(body);
            }
        }
    }
}

/// Splits the kind and the arguments at single spaces.
fn arguments(line: &[u8]) -> Result<(String, Vec<String>), HeaderError> {
    let text = str::from_utf8(line).map_err(|_| HeaderError::Malformed)?;
    let mut args = text.split(' ').map(|arg| {
        match !arg.is_empty() && arg.bytes().all(|c| c.is_ascii_graphic()) {
            true => Ok(arg.to_owned()),
            false => Err(HeaderError::Malformed),
        }
    });
    let kind = args.next().ok_or(HeaderError::Malformed)??;
    Ok((kind, args.collect::<Result<_, _>>()?))
}

/// Decodes canonical base64 without padding.
fn base64(text: &[u8]) -> Result<Zeroizing<Vec<u8>>, HeaderError> {
    let text = str::from_utf8(text).map_err(|_| HeaderError::Base64)?;
    let bytes = Base64Unpadded::decode_vec(text).map_err(|_| HeaderError::Base64)?;
    Ok(Zeroizing::new(bytes))
}
