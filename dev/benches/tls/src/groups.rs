//! Measures the steps of a key exchange without TLS: `tls-bench groups`.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use pqseal_tls::groups;
use rustls::crypto::{SupportedKxGroup, aws_lc_rs::kx_group as aws};

use crate::{
    Result,
    measure::{microseconds, turn},
};

const ROUNDS: usize = 300;
/// A size larger than the second-level caches, so that code and data come from the third.
const EVICTED: usize = 4 << 20;

/// Prints the median of each step in microseconds: of consecutive runs, and after other data
/// filled the caches, as in a server with other work.
pub(crate) fn run() -> Result<()> {
    let all: [(&str, &'static dyn SupportedKxGroup); 7] = [
        ("X25519 of rustls", aws::X25519),
        ("X25519MLKEM768", &groups::X25519MLKEM768),
        ("X25519MLKEM768 of rustls", aws::X25519MLKEM768),
        ("SecP256r1MLKEM768", &groups::SECP256R1MLKEM768),
        ("SecP256r1MLKEM768 of rustls", aws::SECP256R1MLKEM768),
        ("MLKEM768 of rustls", aws::MLKEM768),
        ("x25519_bikel1", &groups::X25519_BIKEL1),
    ];
    let mut other = vec![0_u8; EVICTED];
    let mut samples = vec![[const { Vec::new() }; 6]; all.len()];
    for round in 0..ROUNDS {
        for at in turn(round, all.len()) {
            for (hot, offset) in [(false, 3), (true, 0)] {
                let mut before = || {
                    if !hot {
                        other.iter_mut().step_by(64).for_each(|byte| *byte ^= 1);
                        black_box(&other);
                    }
                };
                for (step, time) in exchange(all[at].1, &mut before)?.into_iter().enumerate() {
                    samples[at][offset + step].push(time);
                }
            }
        }
    }
    println!("group\tclient's share\tserver's share\tclient's secret\tand with cold caches");
    for ((name, _), samples) in all.iter().zip(samples) {
        let medians = samples.map(|times| format!("{:.1}", microseconds(median(times))));
        println!("{name}\t{}", medians.join("\t"));
    }
    Ok(())
}

fn exchange(group: &dyn SupportedKxGroup, before: &mut dyn FnMut()) -> Result<[Duration; 3]> {
    before();
    let start = Instant::now();
    let client = group.start()?;
    let share = start.elapsed();
    before();
    let start = Instant::now();
    let server = group.start_and_complete(client.pub_key())?;
    let answer = start.elapsed();
    before();
    let start = Instant::now();
    black_box(client.complete(&server.pub_key)?);
    Ok([share, answer, start.elapsed()])
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
