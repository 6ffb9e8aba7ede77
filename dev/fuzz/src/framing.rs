//! Records in the batches of a pipeline: for all sizes of its pieces, no byte is lost and the records
//! are the same. `pieces` looks at the splitters alone.

use std::io::{self, Read};

use pqseal_pipeline::{
    Error, Failure, FieldValue, Framing, Limits, Observer, Outcome, Pipeline, Reason, Stats,
    Transform,
};
use pqseal_records::{Rule, Rules};

use crate::samples::Input;

/// Reads the framing, a limit, the sizes of the pieces, and the stream.
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
    let rules = Rules {
        rules: vec![Rule::field("s".parse().expect("a path"))],
        ..Rules::default()
    };
    let pipeline = Pipeline::new(Prefix, rules, 1).expect("a thread");
    let pipeline = pipeline.framed(framing, limits);
    let whole = ran(&pipeline, stream, &[]);
    let pieces = ran(&pipeline, stream, sizes);
    // Binary data is recognised by the bytes that are available at first, so a piece may be
    // recognised differently.
    if whole.is_refused || pieces.is_refused {
        return;
    }
    // A table may have no valid header, and a status of an earlier run is replaced.
    let may_shrink = stream.windows(8).any(|at| at == b"decrypt_");
    if !may_shrink && !matches!(framing, Framing::Rows(_)) {
        let zeros = stream.iter().filter(|byte| **byte == 0).count();
        assert!(
            whole.out.len() + zeros >= stream.len(),
            "bytes that are lost"
        );
    }
    assert_eq!(whole, pieces);
}

/// A transform that opens `open:` and a text to that text.
struct Prefix;

impl Transform for Prefix {
    fn chunk(&self, records: &[FieldValue<'_>]) -> Vec<Outcome> {
        records
            .iter()
            .map(|record| match record.text {
                None | Some(b"") => Outcome::Absent,
                Some(text) => match text.strip_prefix(b"open:") {
                    Some(plaintext) => Outcome::Opened {
                        plaintext: plaintext.to_vec(),
                        key: 0,
                    },
                    None => Outcome::Failed(Failure::new(Reason::Blob(
                        pqseal_matched_data::Error::NoKeyOpens,
                    ))),
                },
            })
            .collect()
    }
}

/// An observer that keeps dead letters.
#[derive(Default)]
struct Letters(Vec<u8>);

impl Observer for Letters {
    fn batch(&mut self, _stats: &Stats) {}

    fn dead_letter(&mut self, letter: &[u8]) -> std::io::Result<()> {
        self.0.extend(letter);
        Ok(())
    }

    fn wants_letters(&self) -> bool {
        true
    }
}

/// The results of a stream.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    out: Vec<u8>,
    /// Each record that failed, with its number.
    letters: Vec<u8>,
    stats: Stats,
    /// `true` if the format is not supported. Then there is no output.
    is_refused: bool,
}

fn ran(pipeline: &Pipeline<Prefix>, stream: &[u8], sizes: &[u8]) -> Ran {
    let reader = Pieces {
        stream,
        sizes,
        next: 0,
    };
    let (mut out, mut letters) = (Vec::new(), Letters::default());
    // The error for an array without an end comes after all of its records.
    let end = pipeline.run(reader, &mut out, "input", &mut letters);
    let is_refused = matches!(&end, Err(Error::Input(error)) if error.is_unsupported());
    assert!(!is_refused || out.is_empty());
    Ran {
        out,
        letters: letters.0,
        stats: end.unwrap_or_default(),
        is_refused,
    }
}

/// A reader that returns as many bytes at a time as its sizes say, in turn; all of them if it has
/// none.
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
