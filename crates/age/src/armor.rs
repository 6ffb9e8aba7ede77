//! ASCII armor (C2SP age.md, "ASCII armor"): strict PEM, read and written line by line.

mod reader;

use base64ct::{Base64, Encoding};
use std::io::{self, BufRead, Read, Write};

use reader::ArmorDecoder;
pub use reader::ArmorReader;

use crate::Error;

const BEGIN: &str = "-----BEGIN AGE ENCRYPTED FILE-----";
const END: &str = "-----END AGE ENCRYPTED FILE-----";
/// The number of characters per line, and of the bytes that they encode.
const COLUMNS: usize = 64;
const BYTES: usize = 48;

/// The byte order mark that some editors write first.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Reports whether a file that begins with this byte is armored.
fn is_armor(first: u8) -> bool {
    first == b'-' || first == BOM[0] || first.is_ascii_whitespace()
}

/// Reports whether a file begins with these characters in UTF-16, of either byte order, possibly
/// after a byte order mark.
pub(crate) fn utf16(file: &[u8], text: &[u8]) -> bool {
    let marks: [&[u8]; 2] = [&[0xff, 0xfe], &[0xfe, 0xff]];
    let mark = marks.iter().find_map(|mark| file.strip_prefix(*mark));
    [0, 1].into_iter().any(|first: usize| {
        let units = mark.unwrap_or(file).chunks_exact(2).take(text.len());
        let units = units.map(|unit| (unit[first], unit[1 - first]));
        units.eq(text.iter().map(|c| (*c, 0)))
    })
}

/// A reader of an encrypted file that removes the armor, if there is one.
pub enum Input<R: BufRead> {
    /// An input without armor.
    Binary(R),
    /// An input with armor.
    Armored(ArmorReader<R>),
}

impl<R: BufRead> Input<R> {
    /// Detects from the first byte whether the input is armored.
    ///
    /// # Errors
    /// The errors of the input.
    pub fn new(mut input: R) -> io::Result<Self> {
        let first = input.fill_buf()?.first().copied();
        Ok(match first.is_some_and(is_armor) {
            true => Self::Armored(ArmorReader::new(input)),
            false => Self::Binary(input),
        })
    }
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Binary(input) => input.read(out),
            Self::Armored(input) => input.read(out),
        }
    }
}

impl<R: BufRead> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Binary(input) => input.fill_buf(),
            Self::Armored(input) => input.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match self {
            Self::Binary(input) => input.consume(count),
            Self::Armored(input) => input.consume(count),
        }
    }
}

/// A decoder that removes the armor, if there is one, from a file that arrives in pieces. After an
/// error every call returns the same error.
///
/// ```
/// use pqseal_age::{Header, InputDecoder};
///
/// let mut input = InputDecoder::default();
/// let mut beginning = Vec::new();
/// input.push(b"-----BEGIN AGE ENCRYPTED FILE-----\nYWdl", &mut beginning)?;
/// assert!(input.is_armored() && beginning.is_empty());
/// # Ok::<(), pqseal_age::Error>(())
/// ```
#[derive(Default)]
pub struct InputDecoder(Option<InputFormat>);

impl InputDecoder {
    /// Decodes the next piece of the file, and appends it to `out` without the armor.
    ///
    /// # Errors
    /// [`Error::Armor`].
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(first) = piece.first() else {
            return Ok(());
        };
        let format = self.0.get_or_insert_with(|| match is_armor(*first) {
            true => InputFormat::Armored(ArmorDecoder::new()),
            false => InputFormat::Binary,
        });
        match format {
            InputFormat::Binary => out.extend_from_slice(piece),
            InputFormat::Armored(decoder) => decoder.push(piece, out)?,
        }
        Ok(())
    }

    /// Ends the file. An incomplete armor is an error.
    ///
    /// # Errors
    /// [`Error::Armor`].
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        match &mut self.0 {
            Some(InputFormat::Armored(decoder)) => Ok(decoder.finish(out)?),
            Some(InputFormat::Binary) | None => Ok(()),
        }
    }

    /// Reports whether the file is armored, which is known after its first byte.
    pub fn is_armored(&self) -> bool {
        matches!(self.0, Some(InputFormat::Armored(_)))
    }
}

/// The format that the first byte indicates.
enum InputFormat {
    Binary,
    Armored(ArmorDecoder),
}

/// A writer of an encrypted file, with armor or without.
pub enum Output<W: Write> {
    /// An output without armor.
    Binary(W),
    /// An output with armor.
    Armored(ArmorWriter<W>),
}

impl<W: Write> Output<W> {
    /// Creates a writer, and writes the first line of the armor if `armored` is set.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn new(output: W, armored: bool) -> io::Result<Self> {
        Ok(match armored {
            true => Self::Armored(ArmorWriter::new(output)?),
            false => Self::Binary(output),
        })
    }

    /// Returns the output, for example to take the bytes written so far from a `Vec`.
    pub fn get_mut(&mut self) -> &mut W {
        match self {
            Self::Binary(output) => output,
            Self::Armored(armor) => armor.get_mut(),
        }
    }

    /// Ends the armor and returns the output.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Binary(output) => Ok(output),
            Self::Armored(armor) => armor.finish(),
        }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Binary(output) => output.write(bytes),
            Self::Armored(armor) => armor.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Binary(output) => output.flush(),
            Self::Armored(armor) => armor.flush(),
        }
    }
}

/// A writer that adds armor. Call [`finish`](ArmorWriter::finish) to write its end.
///
/// ```
/// use std::io::{Read, Write};
/// use pqseal_age::{ArmorWriter, Decryptor, Encryptor, Input, X25519Identity};
///
/// let identity = X25519Identity::generate()?;
/// let armor = ArmorWriter::new(Vec::new())?;
/// let mut encryptor = Encryptor::new(&[&identity.recipient()], armor)?;
/// encryptor.write_all(b"hello")?;
/// let armored = encryptor.finish()?.finish()?;
/// assert!(armored.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----"));
///
/// let mut text = String::new();
/// Decryptor::new(&[&identity], Input::new(&armored[..])?)?.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ArmorWriter<W: Write> {
    output: W,
    /// The bytes of an incomplete line.
    rest: Vec<u8>,
    text: Vec<u8>,
}

impl<W: Write> ArmorWriter<W> {
    /// Creates a writer, and writes the first line of the armor.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn new(mut output: W) -> io::Result<Self> {
        writeln!(output, "{BEGIN}")?;
        Ok(Self {
            output,
            rest: Vec::with_capacity(BYTES),
            text: Vec::new(),
        })
    }

    /// Writes the last lines and returns the output.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(mut self) -> io::Result<W> {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.line(&rest);
        }
        self.output.write_all(&self.text)?;
        writeln!(self.output, "{END}")?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// Returns the output, which does not contain the bytes of an incomplete line yet.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    fn line(&mut self, bytes: &[u8]) {
        let mut text = [0; COLUMNS];
        let text = Base64::encode(bytes, &mut text).expect("48 bytes are 64 characters");
        self.text.extend(text.as_bytes());
        self.text.push(b'\n');
    }
}

impl<W: Write> Write for ArmorWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (first, others) = bytes.split_at(bytes.len().min(BYTES - self.rest.len()));
        self.rest.extend(first);
        if self.rest.len() < BYTES {
            return Ok(bytes.len());
        }
        let mut full = std::mem::take(&mut self.rest);
        self.line(&full);
        full.clear();
        let lines = others.chunks_exact(BYTES);
        full.extend(lines.remainder());
        lines.for_each(|line| self.line(line));
        self.rest = full;
        self.output.write_all(&self.text)?;
        self.text.clear();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
