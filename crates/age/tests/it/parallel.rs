//! Several threads give the same bytes and the same errors as one.

use pqseal_age::{
    ChunkReader, ChunkWriter, Error, FileKey, Payload, PayloadError,
    parallel::{self, FileAt, Source, Stream},
};
use std::{
    fs::File,
    io::{self, Read, Seek, Write},
};

const BATCH: usize = 1 << 20;
const SEALED_BATCH: usize = 16 * (64 * 1024 + 16);

fn payload() -> Payload {
    Payload::new(&FileKey::new([1; 16]), [2; 16])
}

fn text(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

fn sealed(text: &[u8]) -> Vec<u8> {
    let mut writer = ChunkWriter::new(payload(), Vec::new());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

/// Returns a file that contains `before` and `bytes`.
fn file(before: &[u8], bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(before).unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

fn open(source: &impl Source, threads: usize) -> (Vec<u8>, Option<PayloadError>) {
    let mut out = Vec::new();
    let result = parallel::open(&payload(), source, &mut out, threads);
    let error = result.err().map(|error| match error {
        Error::Payload(error) => error,
        error => panic!("{error}"),
    });
    (out, error)
}

/// A reader that returns a few bytes at a time, as a pipe may.
struct Dripping<'a>(&'a [u8], usize);

impl Read for Dripping<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 = self.1 * 31 % 40_009;
        let count = out.len().min(self.1 + 1);
        self.0.read(&mut out[..count])
    }
}

#[test]
fn all_sizes_give_the_same_bytes_from_files_and_streams() {
    let sizes = [
        0,
        1,
        65_535,
        65_536,
        65_537,
        BATCH - 1,
        BATCH,
        BATCH + 1,
        3 * BATCH,
        3 * BATCH + 70_000,
    ];
    for len in sizes {
        let text = text(len);
        let expected = sealed(&text);
        for threads in [1, 2, 5] {
            let plain = file(b"", &text);
            let mut out = Vec::new();
            let source = FileAt::new(&plain, 0).unwrap();
            parallel::seal(&payload(), &source, &mut out, threads).unwrap();
            assert!(out == expected, "{len} bytes of a file, {threads} threads");
            out.clear();
            let source = Stream::new(Dripping(&text, 7));
            parallel::seal(&payload(), &source, &mut out, threads).unwrap();
            assert!(
                out == expected,
                "{len} bytes of a stream, {threads} threads"
            );

            let cipher = file(b"header", &expected);
            let source = FileAt::new(&cipher, 6).unwrap();
            assert!(open(&source, threads) == (text.clone(), None), "{len}");
            let source = Stream::new(Dripping(&expected, 7));
            assert!(open(&source, threads) == (text.clone(), None), "{len}");
        }
    }
}

/// The output before an error, and the error, are those of a single thread.
#[test]
fn damage_ends_as_on_one_thread() {
    let text = text(3 * BATCH + 100);
    let whole = sealed(&text);
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let cut = |len: usize| whole[..len].to_vec();
    let cases = [
        flipped(0),
        flipped(SEALED_BATCH + 5),
        flipped(2 * SEALED_BATCH - 1),
        flipped(whole.len() - 1),
        cut(0),
        cut(1),
        cut(SEALED_BATCH),
        cut(2 * SEALED_BATCH),
        cut(2 * SEALED_BATCH + 7),
        cut(2 * SEALED_BATCH + 65_552),
        [&whole[..], b"x"].concat(),
    ];
    for (number, bytes) in cases.iter().enumerate() {
        let mut out = Vec::new();
        let error = ChunkReader::new(payload(), &bytes[..]).read_to_end(&mut out);
        let Error::Payload(error) = Error::from(error.unwrap_err()) else {
            panic!("case {number}")
        };
        for threads in [1, 3] {
            let found = open(&Stream::new(&bytes[..]), threads);
            assert!(
                found == (out.clone(), Some(error)),
                "case {number}: {:?}",
                found.1
            );
            let file = file(b"", bytes);
            let found = open(&FileAt::new(&file, 0).unwrap(), threads);
            assert!(
                found == (out.clone(), Some(error)),
                "case {number}: {:?}",
                found.1
            );
        }
    }
}

#[test]
fn a_file_that_changes_meanwhile_is_an_error() {
    for (before, after) in [
        (2 * BATCH + 5, BATCH),
        (BATCH, BATCH + 1),
        (100, 50),
        (0, 1),
    ] {
        let plain = file(b"", &text(before));
        let source = FileAt::new(&plain, 0).unwrap();
        plain.set_len(after as u64).unwrap();
        let result = parallel::seal(&payload(), &source, Vec::new(), 2);
        let changed = matches!(result, Err(Error::Payload(PayloadError::Changed)));
        assert!(changed, "{before} to {after}: {result:?}");
    }
}

/// A full disk: the error is that of the output, and all threads end.
#[test]
fn an_output_that_fails_ends_the_run() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for threads in [1, 4] {
        let source = Stream::new(io::repeat(0).take(100 << 20));
        let result = parallel::seal(&payload(), &source, Full(3 * BATCH), threads);
        let full = matches!(&result, Err(Error::Io(e)) if e.kind() == io::ErrorKind::StorageFull);
        assert!(full, "{result:?}");
    }
}

/// The caller's input may panic. The other threads do not wait for it.
#[test]
fn a_panic_of_the_input_ends_the_run() {
    struct Panics(usize);
    impl Read for Panics {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(out.len()).expect("it panics here");
            Ok(out.len())
        }
    }
    for threads in [1, 3] {
        let run = || {
            let source = Stream::new(Panics(5 * BATCH));
            parallel::seal(&payload(), &source, io::sink(), threads)
        };
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
