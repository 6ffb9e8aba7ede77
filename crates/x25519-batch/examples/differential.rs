//! Every back end of this machine compared with AWS-LC, on random private keys and points: all
//! batch sizes up to a few vectors, so that every way to split a batch is tested.
//!
//! ```sh
//! cargo run --release -p x25519-batch --example differential -- 10000000 [BACKEND...]
//! cargo run --release -p x25519-batch --example differential -- 10000000..100000000 avx2
//! ```
//!
//! The points are numbered, and the same in every run, so the second command continues where the
//! first ended. Progress is written to standard error. The last line is `N passed, N failed`.
//! AWS-LC takes two thirds of the time: 10,000,000 points take about seven minutes of a processor
//! with AVX2, and fifteen with the portable back end.
//!
//! `answers` instead of back ends writes AWS-LC's results to standard output, 96 bytes per point:
//! private key, point, result. `crates/x25519-simd128/differential.sh` compares WebAssembly with
//! them.

use std::{
    env,
    io::{self, BufWriter, Write},
    ops::Range,
    process::ExitCode,
};

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use x25519_batch::Backend;

/// The largest batch: two groups in lockstep, a single group and a remainder, with vectors of
/// eight.
const LARGEST: usize = 2 * 8 + 8 + 7;

/// The number of points that come from one seed, which is the number of the first point.
const STAGE: usize = 100_000;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let points = arguments.next().and_then(|points| parsed(&points));
    let names: Vec<String> = arguments.collect();
    let Some(points) = points else {
        eprintln!(
            "differential: say how many points, such as 10000000, or which, such as \
             10000000..20000000, both multiples of {STAGE}"
        );
        return ExitCode::from(2);
    };
    if names == ["answers"] {
        return match write_answers(points) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("differential: {error}");
                ExitCode::FAILURE
            }
        };
    }
    if let Some(name) = names.iter().find(|name| Backend::from_name(name).is_none()) {
        eprintln!("differential: no back end {name}");
        return ExitCode::from(2);
    }
    compare(&points, &names)
}

/// Parses `10000000`, or `10000000..20000000`.
fn parsed(points: &str) -> Option<Range<usize>> {
    let (start, end) = points.split_once("..").unwrap_or(("0", points));
    let range: Range<usize> = start.parse().ok()?..end.parse().ok()?;
    let is_of_stages = [range.start, range.end]
        .iter()
        .all(|end| end.is_multiple_of(STAGE));
    (is_of_stages && !range.is_empty()).then_some(range)
}

/// Compares these back ends, or all if none is named.
fn compare(points: &Range<usize>, names: &[String]) -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    for backend in Backend::ALL {
        let is_asked_for = names.iter().any(|name| name == backend.name());
        if !is_asked_for && !names.is_empty() {
            continue;
        }
        if !backend.is_available() {
            println!("{}: not tested, this machine lacks it", backend.name());
            failed += usize::from(is_asked_for);
            continue;
        }
        let differences = differences(*backend, points.clone());
        let Range { start, end } = points;
        println!(
            "{}: points {start} to {end}, {differences} differ",
            backend.name()
        );
        passed += usize::from(differences == 0);
        failed += usize::from(differences > 0);
    }
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0 || passed == 0))
}

/// Counts the results that differ from AWS-LC's.
fn differences(backend: Backend, points: Range<usize>) -> usize {
    let mut differences = 0;
    for start in points.step_by(STAGE) {
        for (scalar, points) in batches(start) {
            let key = private_key(&scalar);
            let results = backend.x25519(&scalar, &points);
            for (point, result) in points.iter().zip(results.as_bytes()) {
                differences += usize::from(expected(&key, point) != *result);
            }
        }
        let reached = start + STAGE;
        if reached.is_multiple_of(10 * STAGE) {
            eprintln!("{}: {reached} points, {differences} differ", backend.name());
        }
    }
    differences
}

fn write_answers(points: Range<usize>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for start in points.step_by(STAGE) {
        for (scalar, points) in batches(start) {
            let key = private_key(&scalar);
            for point in points {
                out.write_all([scalar, point, expected(&key, &point)].as_flattened())?;
            }
        }
    }
    out.flush()
}

/// Generates the private keys and the points of a stage, in all batch sizes in turn.
fn batches(start: usize) -> impl Iterator<Item = ([u8; 32], Vec<[u8; 32]>)> {
    let mut state = start as u64;
    let (mut sizes, mut left) = ((1..=LARGEST).cycle(), STAGE);
    std::iter::from_fn(move || {
        let size = sizes.next()?.min(left);
        left -= size;
        let scalar = random(&mut state);
        (size > 0).then(|| (scalar, (0..size).map(|_| random(&mut state)).collect()))
    })
}

fn private_key(scalar: &[u8; 32]) -> PrivateKey {
    PrivateKey::from_private_key(&X25519, scalar).expect("a private key")
}

/// Computes AWS-LC's result: all zero for a point of low order, which AWS-LC refuses.
fn expected(key: &PrivateKey, point: &[u8; 32]) -> [u8; 32] {
    let shared = agree(key, UnparsedPublicKey::new(&X25519, point), (), |shared| {
        shared.try_into().map_err(|_| ())
    });
    shared.unwrap_or_default()
}

/// Returns the next output of SplitMix64. One of 64 is near 2^256, so that numbers from p on and
/// bit 255 occur.
fn random(state: &mut u64) -> [u8; 32] {
    let words: [[u8; 8]; 4] = std::array::from_fn(|_| {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31).to_le_bytes()
    });
    let mut bytes: [u8; 32] = words.as_flattened().try_into().expect("32 bytes");
    if bytes[0] < 4 {
        bytes[1..].fill(0xff);
        bytes[0] |= 0xec;
    }
    bytes
}
