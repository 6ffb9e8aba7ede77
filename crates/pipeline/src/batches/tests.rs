//! Records in a stream: however the input is split, the records are the same and no byte is lost.

use std::io::{self, Read};

use proptest::prelude::*;

use pqseal_records::split::{Slot, SlotKind};

use super::{Batches, Framing, Limits, READ};

/// A reader that returns pieces of these sizes.
struct Pieces<'a>(&'a [u8], Vec<usize>);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self
            .1
            .pop()
            .unwrap_or(usize::MAX)
            .clamp(1, buffer.len())
            .min(self.0.len());
        buffer[..size].copy_from_slice(&self.0[..size]);
        self.0 = &self.0[size..];
        Ok(size)
    }
}

/// Returns every record with its number, empty if it was too large, and all bytes.
fn records(
    input: &[u8],
    sizes: Vec<usize>,
    framing: Framing,
    limits: Limits,
) -> (Vec<(u64, Vec<u8>)>, Vec<u8>) {
    let mut batches = Batches::new(Pieces(input, sizes), framing, limits);
    let (mut records, mut all) = (Vec::new(), Vec::new());
    // An unterminated array is an error after all of its items.
    while let Ok(Some(batch)) = batches.next_batch() {
        let record = |slot: &Slot| match slot.kind {
            SlotKind::Record => batch.bytes[slot.range.clone()].to_vec(),
            _ => Vec::new(),
        };
        let slots = batch.slots.iter().filter(|slot| slot.is_record());
        records.extend(slots.map(|slot| (slot.number, record(slot))));
        all.extend(batch.bytes);
    }
    (records, all)
}

fn whole(input: &str, framing: Framing) -> Vec<(u64, String)> {
    let (records, all) = records(input.as_bytes(), vec![], framing, Limits::default());
    assert_eq!(all, input.as_bytes());
    records
        .into_iter()
        .map(|(number, record)| (number, String::from_utf8(record).unwrap()))
        .collect()
}

#[test]
fn lines_and_values_are_distinguished() {
    let numbered = |records: &[(u64, &str)]| {
        records
            .iter()
            .map(|(n, text)| (*n, (*text).to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        whole("{}\n\n{\"a\":1}\r\nx", Framing::Auto),
        numbered(&[(1, "{}"), (3, "{\"a\":1}\r"), (4, "x")])
    );
    assert_eq!(whole("\u{feff}{}\n", Framing::Auto), numbered(&[(1, "{}")]));
    assert_eq!(
        whole(" [{\"a\":\"]\\\"\"}, [1,2] ,3]\n", Framing::Auto),
        numbered(&[(1, "{\"a\":\"]\\\"\"}"), (2, "[1,2]"), (3, "3")])
    );
    assert_eq!(
        whole("{\n \"a\": [\n1]}\n{}\n", Framing::Auto),
        numbered(&[(1, "{\n \"a\": [\n1]}"), (2, "{}")])
    );
    assert_eq!(
        whole("[1]\n[2]\n", Framing::Lines),
        numbered(&[(1, "[1]"), (2, "[2]")])
    );
    assert_eq!(
        whole(
            "\u{feff}\"a\n\",b\r\n\n\"c\"\"\n\n\nd\"e\nf,\"",
            Framing::CSV
        ),
        numbered(&[(1, "\"a\n\",b\r"), (4, "\"c\"\"\n\n\nd\"e"), (8, "f,\"")])
    );
    assert_eq!(whole("", Framing::Auto), []);
    assert_eq!(whole("\n \n", Framing::Auto), []);
}

#[test]
fn what_is_too_large_passes_in_pieces() {
    let limits = Limits {
        record: 10,
        batch_bytes: 64,
        ..Limits::default()
    };
    for framing in [Framing::Lines, Framing::Json, Framing::CSV] {
        let long = format!("\"{}\"", "x".repeat(1_000_000));
        let input = format!("\"a\"\n{long}\n\"b\"\n");
        let (records, all) = records(input.as_bytes(), vec![], framing, limits);
        assert!(all == input.as_bytes());
        assert_eq!(
            records,
            [(1, b"\"a\"".to_vec()), (2, vec![]), (3, b"\"b\"".to_vec())]
        );
    }
}

/// The damage shows only at the next brace, when the value may have been passed on.
#[test]
fn white_space_after_a_damaged_value_counts_for_its_size() {
    let limits = Limits {
        record: 5,
        ..Limits::default()
    };
    for sizes in [vec![], vec![1; 8]] {
        let (records, _) = records(b"{\"a\"\n\n{}", sizes, Framing::Json, limits);
        assert_eq!(records, [(1, vec![]), (2, b"{}".to_vec())]);
    }
}

/// The format of the input is not known yet.
#[test]
fn white_space_is_not_kept() {
    let limits = Limits {
        batch_bytes: READ,
        ..Limits::default()
    };
    let input = "\n".repeat(10 * READ) + "{}";
    let mut batches = Batches::new(Pieces(input.as_bytes(), vec![]), Framing::Auto, limits);
    let (mut size, mut numbers) = (0, Vec::new());
    while let Some(batch) = batches.next_batch().unwrap() {
        assert!(batch.bytes.len() <= 2 * READ);
        size += batch.bytes.len();
        numbers.extend(batch.slots.iter().map(|slot| slot.number));
    }
    assert_eq!((size, numbers), (input.len(), vec![10 * READ as u64 + 1]));
}

/// A reader that returns its parts one by one, including errors of these kinds.
struct Parts(Vec<Result<&'static [u8], io::ErrorKind>>);

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let part = self.0.remove(0)?;
        buffer[..part.len()].copy_from_slice(part);
        Ok(part.len())
    }
}

/// Returns the bytes of each batch, and the error that follows them.
fn batches(
    parts: Vec<Result<&'static [u8], io::ErrorKind>>,
    framing: Framing,
) -> (Vec<String>, Option<String>) {
    let mut batches = Batches::new(Parts(parts), framing, Limits::default());
    let mut texts = Vec::new();
    loop {
        match batches.next_batch() {
            Ok(Some(batch)) => texts.push(String::from_utf8(batch.bytes).unwrap()),
            Ok(None) => return (texts, None),
            Err(error) => {
                assert!(
                    batches.next_batch().unwrap().is_none(),
                    "an error is the end"
                );
                return (texts, Some(error.to_string()));
            }
        }
    }
}

#[test]
fn a_pause_gives_what_is_complete() {
    let pause = Err(io::ErrorKind::WouldBlock);
    let parts = vec![
        Ok(&b"{"[..]),
        pause,
        Ok(b"}\n{\"a\""),
        pause,
        pause,
        Ok(b":1}\nx"),
    ];
    let (texts, error) = batches(parts, Framing::Auto);
    assert_eq!(
        (texts, error),
        (
            ["", "{}\n", "", "{\"a\":1}\nx"].map(str::to_owned).to_vec(),
            None
        )
    );
    let parts = vec![
        Ok(&b"[{},{}"[..]),
        pause,
        Ok(b",{\"b\":"),
        pause,
        Ok(b"1}]"),
    ];
    let (texts, error) = batches(parts, Framing::Auto);
    assert_eq!(
        (texts, error),
        (
            ["[{},{}", ",", "{\"b\":1}]"].map(str::to_owned).to_vec(),
            None
        )
    );
}

#[test]
fn records_before_an_error_come_first() {
    let broken = Err(io::ErrorKind::InvalidInput);
    for framing in [Framing::Lines, Framing::Auto, Framing::CSV] {
        let (texts, error) = batches(vec![Ok(b"{}\n{}\n{\"a"), broken], framing);
        assert_eq!(texts, ["{}\n{}\n"], "{framing:?}");
        assert_eq!(error.as_deref(), Some("invalid input parameter"));
    }
    let (texts, error) = batches(vec![Ok(b"{"), broken], Framing::Auto);
    assert_eq!((texts, error.is_some()), (vec![], true));
}

#[test]
fn an_array_must_end() {
    let whole = [
        "[]",
        "[1,2]",
        "[1]\n",
        "[1] [2]",
        "[[1],{\"a\":[\"]\"]}]",
        "1 2",
        "{\"a\":[",
    ];
    for text in whole {
        let (_, all) = records(text.as_bytes(), vec![], Framing::Json, Limits::default());
        assert_eq!(all, text.as_bytes());
    }
    for text in [
        "[",
        "[1",
        "[1,",
        "[1,\n",
        "[{}",
        "[{},{\"a\":[1]",
        "[\"]",
        "[1] [2",
    ] {
        let (texts, error) = batches(vec![Ok(text.as_bytes())], Framing::Json);
        assert_eq!(texts.concat(), text);
        assert!(
            error.is_some_and(|error| error.contains("has no end")),
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn pieces_do_not_matter(
        parts in prop::collection::vec(prop_oneof![
            Just("{\"a\":\"x]}\\\"\"}"), Just("["), Just("]"), Just(","), Just("\n"), Just(" "), Just("12"), Just("\"s\\\\\""), Just("{\"b\":[1,{}]}"),
        ], 0..40),
        sizes in prop::collection::vec(1_usize..9, 0..200),
        framing in prop_oneof![Just(Framing::Lines), Just(Framing::Json), Just(Framing::CSV)],
        prompt in any::<bool>(),
        record in 5_usize..40,
    ) {
        let input = parts.concat();
        let limits = Limits { record, batch_records: 3, batch_bytes: 20, prompt };
        let (in_pieces, all) = records(input.as_bytes(), sizes, framing, limits);
        prop_assert_eq!(all, input.as_bytes());
        let at_once = records(input.as_bytes(), vec![], framing, Limits { record, ..Limits::default() }).0;
        prop_assert_eq!(in_pieces, at_once);
    }
}
