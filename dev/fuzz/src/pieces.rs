//! Splitters: for all sizes of pieces, the records are those of the whole input. The
//! fields of each record are written back without a change.

use pqseal_records::{
    Answer, Finder, Framing, Preset,
    detect::{Detected, detect},
    otlp,
    split::{self, Slot, SlotKind, Splitter},
};

use crate::samples::Input;

/// Reads the framing, the sizes of the pieces, and the input.
pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let framings = [
        Framing::Lines,
        Framing::Json,
        Framing::Sequence,
        Framing::Rows(b','),
    ];
    let framing = framings[input.below(framings.len())];
    let sizes = input.bytes(4);
    let stream = input.rest();
    let (whole, end) = split::all(stream, framing);
    let (pieces, end_of_pieces) = in_pieces(stream, framing, sizes);
    assert_eq!((&whole, end.is_ok()), (&pieces, end_of_pieces));
    assert_ne!(detect(stream, None, true), Detected::NeedMore);
    let paths = ["body", "attributes[\"*\"]"].map(|path| path.parse().expect("a path"));
    let otlp = otlp::rules(paths).expect("fields of OTLP");
    for rules in [Preset::Auto.rules(), otlp] {
        let finder = Finder::documents(&rules, false);
        for slot in whole.iter().filter(|slot| slot.kind == SlotKind::Record) {
            unchanged(&finder, &stream[slot.range.clone()]);
        }
    }
}

/// Splits an input in pieces, where a caller drops the bytes that are not needed any more.
fn in_pieces(stream: &[u8], framing: Framing, sizes: &[u8]) -> (Vec<Slot>, bool) {
    let (mut splitter, mut all) = (Splitter::new(framing, false), Vec::new());
    let (mut buffer, mut dropped, mut slots) = (Vec::new(), 0, Vec::new());
    let (mut rest, mut next) = (stream, 0);
    while !rest.is_empty() {
        let size = sizes
            .get(next % sizes.len().max(1))
            .map_or(usize::MAX, |size| usize::from(*size).max(1));
        next += 1;
        let (piece, later) = rest.split_at(size.min(rest.len()));
        let from = buffer.len();
        buffer.extend_from_slice(piece);
        rest = later;
        splitter.split(&buffer, from, usize::MAX, &mut slots);
        let keep = splitter
            .rebase(buffer.len(), &mut slots)
            .unwrap_or(buffer.len());
        all.extend(slots.drain(..).map(|slot: Slot| Slot {
            range: slot.range.start + dropped..slot.range.end + dropped,
            ..slot
        }));
        buffer.drain(..keep);
        dropped += keep;
    }
    let end = splitter.end(&buffer, &mut slots).is_ok();
    all.extend(slots.into_iter().map(|slot| Slot {
        range: slot.range.start + dropped..slot.range.end + dropped,
        ..slot
    }));
    (all, end)
}

/// Checks that a record whose fields are all empty is written as it is, unless an old status goes.
fn unchanged(finder: &Finder, record: &[u8]) {
    let found = finder.record(record);
    let answers = vec![Answer::Absent; found.count()];
    let mut out = Vec::new();
    let _ = finder.write(record, &found, &answers, &mut out);
    assert_eq!(out, record);
    // A result is JSON in the record, however deep it stands.
    let answers = vec![Answer::Opened(b"\"\\\n\xff"); found.count()];
    out.clear();
    if finder.write(record, &found, &answers, &mut out).is_ok() && !answers.is_empty() {
        assert!(pqseal_records::json::validate(&out).is_ok());
        let again = finder.record(&out);
        assert!(again.is_done() || again.count() >= answers.len());
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let streams = [
        "{}\n\n{\"encrypted_matched_data\":\"x\"}\r\nx",
        "\u{feff}{}\n\u{feff}{\"log\":\"{\\\"encrypted_matched_data\\\":\\\"x\\\"}\\n\"}\n",
        " [{\"a\":\"]\\\"\"}, [1,2] ,{\"key\":\"encrypted_matched_data\",\"value\":\"x\"}]\n",
        "\u{1e}{\n \"a\": [\n1]}\n\u{1e}{}\n",
        "\"a\n\",b\r\n\n\"c\"\"\n\n\nd\"e\nf,\"",
        "\0\0[1,2",
        "{\"scopeLogs\":[{\"logRecords\":[{\"body\":{},\"attributes\":[{\"key\":\"a\",\"value\":{}}]}]}]}",
        "[\n {\"a\":\"x},\n {\"a\":1, {\"b\":[1}, {}]\n",
    ];
    let headers = (0..4).map(|framing| vec![framing, 1, 7, 3, 90]);
    headers
        .flat_map(|header| streams.map(|stream| [&header, stream.as_bytes()].concat()))
        .collect()
}
