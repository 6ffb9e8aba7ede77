//! Records in a stream: in whatever pieces it comes, no byte is lost and the records are the same.

use std::io::{self, Read};

use siem::frame::{Batches, Framing, Limits};

use crate::input::Input;

/// The framing, a limit, the sizes of the pieces, and the stream.
pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let framings = [
        Framing::Auto,
        Framing::Lines,
        Framing::Json,
        Framing::CSV,
        Framing::TSV,
    ];
    let framing = framings[input.below(framings.len())];
    let limits = Limits {
        record: input.byte().into(),
        batch_bytes: 64,
        batch_records: 5,
        ..Limits::default()
    };
    let sizes = input.bytes(4);
    let stream = input.rest();
    let whole = records(stream, &[], framing, limits);
    let pieces = records(stream, sizes, framing, limits);
    // What is binary is told by the beginning that is there, so a piece may say something else.
    if whole.is_refused || pieces.is_refused {
        return;
    }
    assert_eq!(whole.all, stream, "bytes that are lost");
    assert_eq!(whole, pieces);
}

#[derive(Debug, PartialEq, Eq)]
struct Records {
    /// Each with its number.
    records: Vec<(u64, Vec<u8>)>,
    /// All bytes.
    all: Vec<u8>,
    /// Whether it is a format that is not supported. Then nothing came out.
    is_refused: bool,
}

fn records(stream: &[u8], sizes: &[u8], framing: Framing, limits: Limits) -> Records {
    let (mut records, mut all) = (Vec::new(), Vec::new());
    let reader = Pieces {
        stream,
        sizes,
        next: 0,
    };
    let mut batches = Batches::new(reader, framing, limits);
    // An array without an end is an error after all of it.
    let end = loop {
        match batches.next_batch() {
            Ok(Some(batch)) => {
                let slots = batch.slots.iter();
                records.extend(
                    slots.map(|slot| (slot.number, batch.bytes[slot.range.clone()].to_vec())),
                );
                all.extend(batch.bytes);
            }
            end => break end,
        }
    };
    let is_refused = end.is_err_and(|error| error.kind() == io::ErrorKind::Unsupported);
    assert!(!is_refused || all.is_empty());
    Records {
        records,
        all,
        is_refused,
    }
}

/// A reader that gives as many bytes at a time as its sizes say, in turn; all of them without any.
struct Pieces<'a> {
    stream: &'a [u8],
    sizes: &'a [u8],
    next: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = match self.sizes {
            [] => usize::MAX,
            sizes => usize::from(sizes[self.next % sizes.len()]).max(1),
        };
        self.next += 1;
        let (now, later) = self
            .stream
            .split_at(size.min(buffer.len()).min(self.stream.len()));
        buffer[..now.len()].copy_from_slice(now);
        self.stream = later;
        Ok(now.len())
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let streams = [
        "{}\n\n{\"a\":1}\r\nx",
        "\u{feff}{}\n",
        " [{\"a\":\"]\\\"\"}, [1,2] ,3]\n",
        "{\n \"a\": [\n1]}\n{}\n",
        "\"a\n\",b\r\n\n\"c\"\"\n\n\nd\"e\nf,\"",
        "[1,2",
    ];
    let headers = (0..5).map(|framing| vec![framing, 200, 1, 7, 3, 90]);
    headers
        .flat_map(|header| streams.map(|stream| [&header, stream.as_bytes()].concat()))
        .collect()
}
