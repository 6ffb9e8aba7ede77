//! Measurement of implementations of BIKE in turn. Prints medians, minima and ratios.
//!
//! A busy moment affects all of them. Times are wall-clock times in microseconds.

use std::{hint::black_box, time::Instant};

use pqseal_kem_pq::{
    Backend,
    bike::{Params, SecretKey, params},
};

const OPERATIONS: [&str; 3] = ["KeyGen", "Encaps", "Decaps"];
/// The number of rounds, by level.
const ROUNDS: [u8; 3] = [201, 101, 51];

/// One implementation of one level.
pub(crate) struct Candidate {
    pub(crate) name: &'static str,
    /// Returns the times of KeyGen, Encaps and Decaps, with randomness derived from a number.
    pub(crate) round: Box<dyn FnMut(u8) -> [f64; OPERATIONS.len()]>,
}

/// Measures the candidates of each level. Ratios are the first one's time divided by another's:
/// above 1 the other is faster.
pub(crate) fn main(candidates: impl Fn(&'static Params) -> Vec<Candidate>) {
    // `cargo test --benches` passes no `--bench`: then the benchmark only has to run.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    Backend::ALL
        .iter()
        .filter(|b| !b.is_available())
        .for_each(|b| println!("not on this machine: {}", b.name()));
    println!(
        "level     operation  implementation   median, us  minimum, us  ratio of medians  of minima"
    );
    for (p, rounds) in params::ALL.into_iter().zip(ROUNDS) {
        let mut candidates = candidates(p);
        let mut times = vec![[const { Vec::new() }; OPERATIONS.len()]; candidates.len()];
        for round in 0..if quick { 1 } else { rounds } {
            for (candidate, times) in candidates.iter_mut().zip(&mut times) {
                times
                    .iter_mut()
                    .zip((candidate.round)(round))
                    .for_each(|(times, time)| times.push(time));
            }
        }
        print(p, &candidates, &mut times);
    }
}

fn print(p: &Params, candidates: &[Candidate], times: &mut [[Vec<f64>; OPERATIONS.len()]]) {
    for (column, operation) in OPERATIONS.iter().enumerate() {
        let mut first = None;
        for (candidate, times) in candidates.iter().zip(times.iter_mut()) {
            let times = &mut times[column];
            times.sort_by(f64::total_cmp);
            let (median, least) = (times[times.len() / 2], times[0]);
            let (of_medians, of_minima) = *first.get_or_insert((median, least));
            let (name, ratios) = (candidate.name, (of_medians / median, of_minima / least));
            println!(
                "{}   {operation}     {name:14} {median:12.1} {least:12.1} {:17.2} {:10.2}",
                p.name, ratios.0, ratios.1
            );
        }
    }
}

/// Returns every back end that this machine has.
pub(crate) fn ours(p: &'static Params) -> Vec<Candidate> {
    let here = Backend::ALL.iter().filter(|backend| backend.is_available());
    here.map(|backend| Candidate {
        name: backend.name(),
        round: Box::new(move |round| ours_once(p, *backend, round)),
    })
    .collect()
}

fn ours_once(p: &'static Params, backend: Backend, round: u8) -> [f64; 3] {
    let (sk, keygen) = timed(|| SecretKey::generate(p, backend, &[round; 64]));
    let ((c, sent), encaps) = timed(|| sk.public().encaps(&[round; 32]));
    let (received, decaps) = timed(|| sk.decaps(&c).expect("a ciphertext"));
    assert!(sent == received, "{} {backend:?} {round}", p.name);
    [keygen, encaps, decaps]
}

/// Returns the result, and its time in microseconds.
pub(crate) fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = black_box(run());
    (result, start.elapsed().as_secs_f64() * 1e6)
}
