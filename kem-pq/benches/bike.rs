//! What BIKE costs: `cargo bench -p pqseal-kem-pq --bench bike`, on every back end that this machine has.
//!
//! Rounds take the back ends in turn, so that a busy moment hits all of them. Medians and minima, in microseconds of wall time.

use std::{hint::black_box, time::Instant};

use kem_pq::{
    Backend,
    bike::{SecretKey, params},
};

const OPERATIONS: [&str; 3] = ["KeyGen", "Encaps", "Decaps"];
/// Rounds, by level.
const ROUNDS: [u8; 3] = [201, 101, 51];

fn main() {
    // `cargo test --benches` passes no `--bench`: then the bench only has to run.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let (here, missing): (Vec<_>, Vec<_>) = Backend::ALL.iter().copied().partition(|backend| backend.is_available());
    missing.iter().for_each(|backend| println!("not on this machine: {}", backend.name()));
    for (p, rounds) in params::ALL.into_iter().zip(ROUNDS) {
        let mut times = vec![[const { Vec::new() }; OPERATIONS.len()]; here.len()];
        for round in 0..if quick { 1 } else { rounds } {
            for (backend, times) in here.iter().zip(&mut times) {
                let (sk, keygen) = timed(|| SecretKey::generate(p, *backend, &[round; 64]));
                let ((c, sent), encaps) = timed(|| sk.public().encaps(&[round; 32]));
                let (received, decaps) = timed(|| sk.decaps(&c).expect("a ciphertext"));
                assert!(sent == received, "{} {backend:?} {round}", p.name);
                times.iter_mut().zip([keygen, encaps, decaps]).for_each(|(times, time)| times.push(time));
            }
        }
        for (backend, times) in here.iter().zip(&mut times) {
            for (operation, times) in OPERATIONS.iter().zip(times) {
                times.sort_by(f64::total_cmp);
                let (median, least) = (times[times.len() / 2], times[0]);
                println!("{} {:8} {operation}: median {median:9.1}, minimum {least:9.1}", p.name, backend.name());
            }
        }
    }
}

/// The result, and how long it took in microseconds.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = black_box(run());
    (result, start.elapsed().as_secs_f64() * 1e6)
}
