//! Compressed inputs: complete, in pieces, damaged, and followed by other data.

use std::io::{self, Read, Write};

use flate2::{Compression, write::GzEncoder};
use pqseal_pipeline::{Error, Framing, Input, InputError, Observer, Stats, Warning};
use proptest::prelude::*;

use crate::common::{self, accounted, fields, pipeline};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 0).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Returns lines that do not compress to almost nothing.
fn lines(count: u64) -> Vec<u8> {
    let line = |n: u64| format!("{{\"n\":{}}}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (0..count).map(line).collect::<String>().into_bytes()
}

#[derive(Default)]
struct News {
    stats: Stats,
    warnings: Vec<Warning>,
    read: u64,
}

impl Observer for News {
    fn batch(&mut self, stats: &Stats) {
        self.stats.add(stats);
    }

    fn progress(&mut self, bytes: u64) {
        self.read += bytes;
    }

    fn warning(&mut self, _source: &str, warning: &Warning) {
        self.warnings.push(warning.clone());
    }
}

fn run(input: &[u8]) -> (Vec<u8>, News, Result<Stats, Error>) {
    let (mut out, mut news) = (Vec::new(), News::default());
    let pipeline = pipeline(fields(&["s"]), Framing::Auto);
    let ran = Input::decompressed(input)
        .map_err(Error::Read)
        .and_then(|input| pipeline.run_framed(input, Framing::Auto, &mut out, "test", &mut news));
    accounted(&news.stats);
    (out, news, ran)
}

#[test]
fn whole_inputs() {
    let text = lines(5000);
    let two = [gzip(&text[..1000]), gzip(b""), gzip(&text[1000..])].concat();
    for input in [text.clone(), gzip(&text), zstd(&text), two] {
        let (out, news, ran) = run(&input);
        assert!(out == text);
        assert_eq!((ran.unwrap().records, news.warnings), (5000, vec![]));
        assert_eq!(news.read, input.len() as u64);
    }
    assert_eq!(run(&gzip(b"")).2.unwrap(), Stats::default());
}

/// Wherever the data is damaged or truncated, the output has the first records, all are counted,
/// and the error reports the damage.
#[test]
fn records_before_damage_are_written_and_counted() {
    let text = lines(20_000);
    for (name, whole) in [("gzip", gzip(&text)), ("Zstandard", zstd(&text))] {
        for part in 1..16 {
            let place = whole.len() * part / 16;
            let mut flipped = whole.clone();
            flipped[place] ^= 0x55;
            let cut = whole[..place].to_vec();
            for (damaged, is_cut, lost) in [(flipped, false, 300_000), (cut, true, 200_000)] {
                let (out, news, ran) = run(&damaged);
                assert!(text.starts_with(&out) || !is_cut);
                // What damage makes of a record may be blank.
                let blank = |line: &&[u8]| line.trim_ascii().is_empty();
                let written = out.split(|byte| *byte == b'\n').filter(|line| !blank(line));
                assert_eq!(written.count() as u64, news.stats.records);
                // At most a block of the format, and one step of the decompressor.
                assert!(
                    out.len() + lost > text.len() * part / 16,
                    "{name} at {part}/16"
                );
                let Err(Error::Input(error)) = ran else {
                    panic!("{name}, damaged at {place}, was read")
                };
                assert!(error.to_string().contains(name), "{error}");
            }
        }
    }
}

/// The part of a gzip after its last complete step is returned, too.
#[test]
fn a_wrong_checksum_comes_after_the_records() {
    let text = lines(2000);
    let mut wrong = gzip(&text);
    let checksum = wrong.len() - 8;
    wrong[checksum] ^= 1;
    let (out, news, ran) = run(&wrong);
    assert!(out == text && news.stats.records == 2000);
    assert!(matches!(ran, Err(Error::Input(InputError::Damaged { .. }))));
}

#[test]
fn zeros_after_a_gzip_are_ignored_with_a_warning() {
    let text = lines(10);
    for zeros in [1, 512, 300_000] {
        let padded = [gzip(&text), vec![0; zeros]].concat();
        let (out, news, ran) = run(&padded);
        assert!(out == text && ran.is_ok());
        assert_eq!(news.warnings.len(), 1);
        let count = zeros as u64;
        assert_eq!(news.warnings[0], Warning::TrailingZeros { count });
        assert!(
            news.warnings[0]
                .to_string()
                .starts_with(&format!("{zeros} zero bytes"))
        );
        assert_eq!(news.warnings[0].rule(), None);
    }
    for after in [&b"\0\0x"[..], b"x", b"\0\x1f\x8b"] {
        let (out, _, ran) = run(&[&gzip(&text)[..], after].concat());
        let Err(Error::Input(error)) = ran else {
            panic!("{after:?} was ignored")
        };
        assert!(out == text && matches!(error, InputError::AfterGzip));
    }
}

/// A pipe that stays open: each record is output although no other follows.
#[test]
fn a_live_input_does_not_wait() {
    let (mut input, writer) = io::pipe().map(|(reader, writer)| (writer, reader)).unwrap();
    let (mut output, mut sink) = io::pipe().unwrap();
    let running = std::thread::spawn(move || {
        let live = Input::decompressed(writer).unwrap().live().unwrap();
        let pipeline = pipeline(fields(&["s"]), Framing::Auto);
        pipeline
            .run_framed(live, Framing::Auto, &mut sink, "test", &mut News::default())
            .unwrap()
    });
    for line in lines(3).split_inclusive(|byte| *byte == b'\n') {
        input.write_all(line).unwrap();
        let mut answer = vec![0; line.len()];
        output.read_exact(&mut answer).unwrap();
        assert_eq!(answer, line);
    }
    drop(input);
    assert_eq!(running.join().unwrap().records, 3);
}

proptest! {
    /// The size of the pieces in which the input is read does not matter.
    #[test]
    fn pieces_do_not_matter(sizes in prop::collection::vec(1_usize..70_000, 1..20), count in 0_u64..6000) {
        let text = lines(count);
        let packed = [gzip(&text[..text.len() / 3]), gzip(&text[text.len() / 3..])].concat();
        let mut input: Input<'_> = Input::decompressed(packed.as_slice()).unwrap();
        let (mut out, mut buffer) = (Vec::new(), vec![0; 70_000]);
        for size in sizes.iter().cycle() {
            match input.read(&mut buffer[..*size]).unwrap() {
                0 => break,
                read => out.extend_from_slice(&buffer[..read]),
            }
        }
        prop_assert!(out == text);
    }
}

/// Returns a skippable frame.
fn skipped(number: u8, size: u32) -> Vec<u8> {
    let head = [&[0x50 + number, 0x2a, 0x4d, 0x18], &size.to_le_bytes()[..]].concat();
    [head, vec![7; size.try_into().unwrap()]].concat()
}

/// Skippable frames as pzstd writes them, and others.
#[test]
fn frames_that_are_skipped_may_stand_anywhere() {
    let text = lines(500);
    let (a, b) = (zstd(&text[..1000]), zstd(&text[1000..]));
    for number in [0, 7, 15] {
        for size in [0, 4, 300_000] {
            let skipped = || skipped(number, size);
            let input = [
                skipped(),
                skipped(),
                a.clone(),
                skipped(),
                b.clone(),
                skipped(),
            ];
            let (out, _, ran) = run(&input.concat());
            assert!(out == text, "{number} {size}");
            assert_eq!(ran.unwrap().records, 500);
        }
    }
    let (out, ..) = run(&skipped(0, 4));
    assert!(out.is_empty());
}

/// A decompressor's limit is not damage.
#[test]
fn what_zstandard_can_have_and_is_not_supported_is_named() {
    let text = lines(5000);
    let wide = || {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.long_distance_matching(true).unwrap();
        encoder.window_log(28).unwrap();
        encoder.write_all(&text).unwrap();
        encoder.finish().unwrap()
    };
    // An empty frame that names one.
    let with_dictionary = || vec![0x28, 0xb5, 0x2f, 0xfd, 0x21, 1, 0, 1, 0, 0];
    let twice = || gzip(&zstd(&text));
    let tar = || gzip(&[&[b'a'; 257][..], b"ustar\0", &text].concat());
    for (input, advice) in [
        (wide(), "zstd -dc --long=31"),
        ([zstd(b"{}\n"), wide()].concat(), "zstd -dc --long=31"),
        (with_dictionary(), "zstd -dc -D"),
        (twice(), "zstd -dc"),
        (tar(), "tar -xO"),
    ] {
        match run(&input).2 {
            Err(Error::Input(error)) => {
                assert!(error.is_unsupported(), "{error:?}");
                assert!(error.to_string().contains(advice), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn zeros_between_records_are_left_out() {
    for (input, framing) in [
        ("\0\0{\"n\":1}\n\0\0\0{\"n\":2}\n\0", Framing::Auto),
        ("\0\0{\"n\":1}\n\0\0\0{\"n\":2}\n\0", Framing::Lines),
        ("\0[{\"n\":1}\n,\0\0\0{\"n\":2}]\n\0\0", Framing::Json),
        ("\x00n,s\n\x00\x001,\n2,\n\0\0\0", Framing::CSV),
    ] {
        let (mut out, mut news) = (Vec::new(), News::default());
        let pipeline = pipeline(fields(&["x"]), framing);
        let ran = pipeline.run(input.as_bytes(), &mut out, "test", &mut news);
        assert_eq!(ran.unwrap().records, 2, "{input:?}");
        assert_eq!(String::from_utf8(out).unwrap(), input.replace('\0', ""));
        let zeros = input.matches('\0').count().try_into().unwrap();
        assert!(news.warnings.contains(&Warning::Zeros { count: zeros }));
        assert_eq!(news.stats.failures(), 0, "{input:?}");
    }
    // More than are read at once, before and between records.
    let many = "\0".repeat(1_000_000);
    let (out, news, ran) = run(format!("{many}{{}}\n{many}{{}}\n").as_bytes());
    assert_eq!(
        (ran.unwrap().records, out.as_slice()),
        (2, &b"{}\n{}\n"[..])
    );
    assert!(news.warnings.contains(&Warning::Zeros { count: 2_000_000 }));
}

/// A single line of binary data does not make the input binary.
#[test]
fn binary_data_is_what_has_no_records() {
    let junk = "\u{1}junk\n";
    let (_, news, ran) = run(format!("{junk}{{\"n\":1}}\n{{\"n\":2}}\n").as_bytes());
    assert_eq!(ran.unwrap().records, 3);
    assert_eq!(news.stats.failed, [("bad_json", 1)].into());
    let (out, _, ran) = run(junk.repeat(1000).as_bytes());
    assert!(matches!(ran, Err(Error::Input(InputError::Unsupported(_)))));
    assert!(out.is_empty());
    // So is an input whose framing was set to lines.
    let pipeline = pipeline(fields(&["s"]), Framing::Lines);
    let ran = pipeline.run(
        junk.as_bytes(),
        &mut Vec::new(),
        "test",
        &mut News::default(),
    );
    assert!(matches!(ran, Err(Error::Input(InputError::Unsupported(_)))));
    // A table may have anything in its cells, but not in its header.
    let table = |input: &[u8]| {
        let pipeline = crate::common::pipeline(fields(&["s"]), Framing::CSV);
        let ran = pipeline.run(input, &mut Vec::new(), "test", &mut News::default());
        ran.is_ok()
    };
    assert!(table(b"s,n\n\x01,\xff\n") && table(b"s,\xe9\na,b\n"));
    for input in [
        &b"s,\x01\na,b\n"[..],
        b"(\xb5/\xfd\x04",
        b"P*M\x18\x04,\n",
        b"\xe9,n\n\x01",
    ] {
        assert!(!table(input), "{}", input.escape_ascii());
    }
}

#[test]
fn marks_before_records_and_text_sequences() {
    let mark = "\u{feff}";
    let line = r#"{"s":"open:x"}"#;
    let opened = r#"{"s":"open:x","decrypted_s":"x"}"#;
    let run = |input: &str, framing| {
        let (out, stats) = common::run(input, framing, fields(&[".s"])).unwrap();
        accounted(&stats);
        (String::from_utf8(out).unwrap(), stats.opened)
    };
    for (input, expected, framing) in [
        // Concatenated files have a mark each.
        (
            format!("{mark}{line}\n{mark}{line}\r\n\n{mark}\n"),
            format!("{mark}{opened}\n{mark}{opened}\r\n\n{mark}\n"),
            Framing::Auto,
        ),
        (
            format!("[{line}]{mark}[{line}]"),
            format!("[{opened}]{mark}[{opened}]"),
            Framing::Auto,
        ),
        (
            format!("{mark}s\nopen:x\n{mark}\"open:x\"\n"),
            format!(
                "{mark}s,decrypted_s,decrypt_status\nopen:x,x,opened\n{mark}\"open:x\",x,opened\n"
            ),
            Framing::CSV,
        ),
        // RFC 7464, one text over several lines. Damage ends at the next separator.
        (
            format!("\x1e{line}\n\x1e{{\n\"s\":\"open:x\"}}\n"),
            format!("\x1e{opened}\n\x1e{{\n\"s\":\"open:x\",\"decrypted_s\":\"x\"}}\n"),
            Framing::Auto,
        ),
        (
            format!("\x1e{line}\n\x1e{line}\n"),
            format!("\x1e{opened}\n\x1e{opened}\n"),
            Framing::Lines,
        ),
    ] {
        assert_eq!(run(&input, framing), (expected, 2), "{input}");
    }
    let cut = format!("\x1e{{\"s\":\n\x1e{line}\n");
    let (out, opened_count) = run(&cut, Framing::Auto);
    assert_eq!(
        (out, opened_count),
        (format!("\x1e{{\"s\":\n\x1e{opened}\n"), 1)
    );
}
