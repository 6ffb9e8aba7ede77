//! One scalar, many points: our back ends compared with the serial X25519 of AWS-LC and
//! x25519-dalek. Prints medians and ratios as a table.
//!
//! Noise comes in waves, so the candidates alternate, with a short sample each, many times. Times
//! are those for which the thread had a processor: this is less noisy than the clock if processes
//! share one.
//!
//! With a size as an argument only this size is measured: `cargo bench -p x25519-batch --bench
//! batch -- 64`.

mod common;

use std::{env, hint::black_box};

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use common::{points, processor_time};
use x25519_batch::Backend;

const SIZES: [usize; 5] = [1, 4, 8, 64, 4096];

/// A name and a function that computes X25519 of all points.
type Candidate = (&'static str, Box<dyn Fn(&[[u8; 32]])>);

fn main() {
    let scalar = [0x55; 32];
    let candidates = candidates(scalar);
    let names: Vec<&str> = candidates.iter().map(|(name, _)| *name).collect();
    let ratios: Vec<String> = names[1..]
        .iter()
        .map(|name| format!("{name} / {}", names[0]))
        .collect();
    println!(
        "Microseconds a point, and how many times as long as {}.\n",
        names[0]
    );
    println!(
        "| points | {} | {} |",
        names.join(" | "),
        ratios.join(" | ")
    );
    println!("|---:|{}", "---:|".repeat(names.len() + ratios.len()));
    let points = points(*SIZES.last().expect("sizes"));
    for size in sizes() {
        let times = measure(&candidates, &points[..size]);
        let ratios = times[1..].iter().map(|time| time / times[0]);
        let cells: Vec<String> = times
            .iter()
            .copied()
            .chain(ratios)
            .map(|cell| format!("{cell:.2}"))
            .collect();
        println!("| {size} | {} |", cells.join(" | "));
    }
}

fn sizes() -> Vec<usize> {
    let asked: Vec<usize> = env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    if asked.is_empty() {
        SIZES.to_vec()
    } else {
        asked
    }
}

/// Lists our back ends, the fastest first, and the others. The portable back end is x25519-dalek.
fn candidates(scalar: [u8; 32]) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for backend in Backend::ALL
        .iter()
        .rev()
        .filter(|backend| backend.is_available())
    {
        let name = if *backend == Backend::Portable {
            "dalek"
        } else {
            backend.name()
        };
        candidates.push((
            name,
            Box::new(move |points| drop(black_box(backend.x25519(&scalar, points)))),
        ));
    }
    let key = PrivateKey::from_private_key(&X25519, &scalar).expect("a private key");
    candidates.insert(1, ("aws-lc", Box::new(move |points| aws_lc(&key, points))));
    candidates
}

fn aws_lc(key: &PrivateKey, points: &[[u8; 32]]) {
    for point in points {
        let shared = agree(key, UnparsedPublicKey::new(&X25519, point), (), |shared| {
            shared.try_into().map_err(|_| ())
        });
        let shared: [u8; 32] = shared.expect("no point of low order");
        black_box(shared);
    }
}

/// Measures the median of each candidate, in microseconds per point.
fn measure(candidates: &[Candidate], points: &[[u8; 32]]) -> Vec<f64> {
    let mut samples = vec![Vec::new(); candidates.len()];
    for _ in 0..(4000 / points.len()).clamp(5, 101) {
        for ((_, run), samples) in candidates.iter().zip(&mut samples) {
            let start = processor_time();
            run(black_box(points));
            #[allow(clippy::cast_precision_loss)]
            samples.push((processor_time() - start) / points.len() as f64);
        }
    }
    samples.iter_mut().map(|samples| median(samples)).collect()
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
