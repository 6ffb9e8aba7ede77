//! `pqseal file decrypt`.

use std::{
    io::{self, IoSlice, Read, Seek, SeekFrom, Write},
    iter,
    path::PathBuf,
    str::FromStr,
};

use clap::Args;
use pqseal_age::{
    AnyHeader, ChunkReader, Chunked, ContentKey, Input, Payload,
    parallel::{self, FileAt, Stream},
};

use super::{
    Encrypted, Meter, PendingFile, Threads, file_failed,
    keys::{Identities, Keys},
    plan::{self, Job, Naming},
};
use crate::{
    binding::AllowExperimental,
    error::{Error, Exit},
    input::one_stdin,
    output::Target,
};

/// Decrypt files with identities or a passphrase
///
/// Files may be armored. For a file under a passphrase, the passphrase is asked for. Several files,
/// or a folder with everything in it, need -o FOLDER; each file is written there without `.age` or
/// `.pqseal`. Nothing is written before it is authenticated, and a file appears only when it is
/// complete. On a terminal, text with control characters is refused unless -o - is given.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A file", "pqseal file decrypt -i key.txt -o report.txt report.age"),
    ("All files of a folder, into another", "pqseal file decrypt -i key.txt -o reports/ encrypted"),
    ("The first 1000 bytes of a large file", "pqseal file decrypt -i key.txt --range 0-999 disk.age"),
]))]
pub(super) struct Decrypt {
    #[command(flatten)]
    identities: Identities,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// Decrypt only these bytes of the plaintext, as in HTTP: FIRST-LAST (from 0, the last
    /// included), FIRST- or -COUNT; the end of the file is authenticated too
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    range: Option<Range>,
    /// Write to this file, or into this folder if OUT is a folder or there are several inputs
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    threads: Threads,
    /// What to decrypt; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
}

impl Decrypt {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let read = super::sources(&self.inputs);
        one_stdin(read.iter().chain(self.identities.sources()))?;
        let identities = self.identities.read()?;
        let (jobs, errors) = plan::jobs(&self.inputs, self.output.as_ref(), Naming::Decrypted)?;
        jobs.iter()
            .try_for_each(|job| super::check_keys(&job.output, self.identities.sources()))?;
        let threads = self.threads.count()?;
        super::run_all(jobs, errors, json, |job| {
            self.one(job, &identities, threads)
        })
    }

    fn one(&self, job: &Job, identities: &Keys<'_>, threads: usize) -> Result<(), Error> {
        let overwrite = super::overwrite(self.force);
        let mut input = super::open_encrypted(&job.input)?;
        let header = AnyHeader::read(&mut input);
        let header = header.map_err(|error| file_failed(&job.input, &error))?;
        let policy = self.experimental.policy();
        let key = identities.open(&job.input, &header, &policy)?;
        let place = PendingFile::open(&job.output, overwrite)?;
        let is_shown = job.output.is_terminal();
        let meter = Meter::new(job.input.size(), is_shown);
        let is_checked = is_shown && self.output.is_none();
        let output = meter.over(Printable::new(place.file(), is_checked));
        let written = match key {
            ContentKey::Age(file_key) => Payload::read(&file_key, &mut input)
                .and_then(|payload| self.content(payload, input, output, threads)),
            ContentKey::Object { secret, cipher } => secret
                .payload(cipher)
                .and_then(|key| self.content(key, input, output, threads)),
        };
        super::finished(job, written.map(|()| place))
    }

    fn content(
        &self,
        key: impl Chunked,
        input: Encrypted,
        output: impl Write + Send,
        threads: usize,
    ) -> Result<(), pqseal_age::Error> {
        match self.range {
            Some(range) => part(range, key, input, output),
            None => match input {
                Input::Binary(reader) if super::is_regular(reader.get_ref()) => {
                    let file = reader.get_ref();
                    let buffered = reader.buffer().len() as u64;
                    let source = FileAt::new(file, super::position(file)? - buffered)?;
                    parallel::open(&key, &source, output, threads)
                }
                input => parallel::open(&key, &Stream::new(input), output, threads),
            },
        }
    }
}

fn part(
    range: Range,
    key: impl Chunked,
    input: Encrypted,
    mut output: impl Write,
) -> Result<(), pqseal_age::Error> {
    let reader = match input {
        Input::Binary(reader) if super::is_regular(reader.get_ref()) => reader,
        _ => {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "--range needs a file that is not armored; decrypt all of it, or write it to a file first",
            )
            .into());
        }
    };
    let mut input = ChunkReader::new(key, reader);
    let len = input.plaintext_len()?;
    let Some((first, count)) = range.within(len) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the range is beyond the plaintext, which has {len} bytes"),
        )
        .into());
    };
    input.seek(SeekFrom::Start(first))?;
    io::copy(&mut input.take(count), &mut output)?;
    Ok(())
}

/// An output that refuses control characters if they would reach a terminal.
struct Printable<W> {
    output: W,
    is_checked: bool,
    /// The last byte that was written, since a character may be split between two writes.
    last: u8,
}

impl<W> Printable<W> {
    /// Creates an output that refuses control characters if `is_checked`.
    fn new(output: W, is_checked: bool) -> Self {
        Self {
            output,
            is_checked,
            last: 0,
        }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_checked && has_control(self.last, bytes) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the decrypted data has control characters, which a terminal would interpret; add -o FILE, or -o - to write them anyway",
            ));
        }
        let count = self.output.write(bytes)?;
        self.last = *bytes[..count].last().unwrap_or(&self.last);
        Ok(count)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        if !self.is_checked {
            return self.output.write_vectored(slices);
        }
        let first = slices.iter().find(|slice| !slice.is_empty());
        self.write(first.map_or(&[][..], |slice| &slice[..]))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Reports whether UTF-8 contains a control character other than tab, line feed and carriage
/// return. `age` refuses the same ones. `last` is the byte before.
fn has_control(last: u8, bytes: &[u8]) -> bool {
    let before = iter::once(&last).chain(bytes);
    before.zip(bytes).any(|(before, byte)| {
        let is_c0 = byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
        is_c0 || (*before == 0xc2 && matches!(byte, 0x80..=0x9f))
    })
}

/// Bytes of the plaintext, the last included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// `FIRST-LAST`, or `FIRST-` to the end.
    From(u64, Option<u64>),
    /// `-COUNT`: the last bytes.
    Last(u64),
}

impl Range {
    /// Returns its beginning in a plaintext of `len` bytes, and its number of bytes there; `None`
    /// if it is empty.
    fn within(self, len: u64) -> Option<(u64, u64)> {
        let (first, end) = match self {
            Self::From(first, last) => (
                first,
                last.map_or(len, |last| len.min(last.saturating_add(1))),
            ),
            Self::Last(count) => (len.saturating_sub(count), len),
        };
        (first < end).then(|| (first, end - first))
    }
}

impl FromStr for Range {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "give FIRST-LAST, FIRST- or -COUNT, in bytes of the plaintext from 0";
        let (first, last) = text.split_once('-').ok_or(WRONG)?;
        let numbers = [first, last].map(|text| match text {
            "" => Ok(None),
            text => text.parse::<u64>().map(Some),
        });
        match numbers {
            [Ok(None), Ok(Some(count))] => Ok(Self::Last(count)),
            [Ok(Some(first)), Ok(Some(last))] if first > last => {
                Err("the first byte of the range is after its last")
            }
            [Ok(Some(first)), Ok(last)] => Ok(Self::From(first, last)),
            _ => Err(WRONG),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_passes_and_control_characters_do_not() {
        let mut shown = Printable::new(Vec::new(), true);
        let text = "a\tb\r\n\u{a0}é€\u{202e}".as_bytes();
        shown.write_all(text).unwrap();
        shown.write_all(b"\xff\xc3\x80\xc2").unwrap();
        for wrong in [&b"\x9b31m"[..], b"a\x1b[2J", b"\0", b"\x7f", b"\xc2\x80"] {
            assert!(shown.write_all(wrong).is_err(), "{wrong:?}");
        }
        shown.write_all(b"\xa0").unwrap();
        assert_eq!(shown.output, [text, b"\xff\xc3\x80\xc2\xa0"].concat());
        Printable::new(Vec::new(), false)
            .write_all(b"\x1b\0")
            .unwrap();
    }

    fn within(text: &str, len: u64) -> Option<(u64, u64)> {
        text.parse::<Range>().unwrap().within(len)
    }

    #[test]
    fn ranges_are_those_of_http() {
        assert_eq!(within("0-0", 10), Some((0, 1)));
        assert_eq!(within("3-5", 10), Some((3, 3)));
        assert_eq!(within("3-", 10), Some((3, 7)));
        assert_eq!(within("3-99", 10), Some((3, 7)));
        assert_eq!(within("-4", 10), Some((6, 4)));
        assert_eq!(within("-40", 10), Some((0, 10)));
        assert_eq!(within("10-", 10), None);
        assert_eq!(within("0-18446744073709551615", 10), Some((0, 10)));
        for text in ["", "-", "5", "5-3", "a-b", "1-2-3", "+1-2 "] {
            assert!(text.parse::<Range>().is_err(), "{text}");
        }
    }
}
