//! Many scalars and one point: public keys and shared secrets by [`Multiples`], compared with
//! AWS-LC and x25519-dalek one by one. Prints medians in microseconds of processor time per scalar;
//! the candidates alternate, as in `batch.rs`.

mod common;

use std::hint::black_box;

use aws_lc_rs::agreement::{PrivateKey, X25519};
use common::{points, processor_time};
use x25519_batch::{Backend, Multiples};

const SIZES: [usize; 7] = [1, 2, 4, 8, 16, 64, 256];

/// A name and a function that computes with all scalars.
type Candidate = (String, Box<dyn Fn(&[[u8; 32]])>);

fn main() {
    let candidates = candidates();
    let names: Vec<&str> = candidates.iter().map(|(name, _)| name.as_str()).collect();
    println!("| scalars | {} |", names.join(" | "));
    println!("|---:|{}", "---:|".repeat(names.len()));
    let scalars = points(*SIZES.last().expect("sizes"));
    for size in SIZES {
        let times = measure(&candidates, &scalars[..size]);
        let cells: Vec<String> = times.iter().map(|time| format!("{time:.2}")).collect();
        println!("| {size} | {} |", cells.join(" | "));
    }
}

/// Lists our back ends with and without the time for a table, the fastest first, and the others'
/// public keys.
fn candidates() -> Vec<Candidate> {
    // A public key: not every point of `points` is on the curve.
    let point = Backend::Portable.public_keys(&[[7; 32]])[0];
    let mut candidates: Vec<Candidate> = Vec::new();
    for backend in Backend::ALL.iter().rev().copied() {
        let name = backend.name();
        let Some(multiples) = Multiples::with_backend(backend, &point) else {
            continue;
        };
        candidates.push((
            format!("{name}: public keys"),
            Box::new(move |scalars| drop(black_box(backend.public_keys(scalars)))),
        ));
        candidates.push((
            format!("{name}: one point"),
            Box::new(move |scalars| drop(black_box(multiples.x25519(scalars)))),
        ));
        let Some(of_agree) = Multiples::with_backend(backend, &point) else {
            continue;
        };
        candidates.push((
            format!("{name}: agree by table"),
            Box::new(move |scalars| {
                for scalar in scalars {
                    drop(black_box(of_agree.agree(scalar)));
                }
            }),
        ));
        candidates.push((
            format!("{name}: agree"),
            Box::new(move |scalars| {
                for scalar in scalars {
                    drop(black_box(backend.agree(scalar, &point)));
                }
            }),
        ));
        candidates.push((
            format!("{name}: with its table"),
            Box::new(move |scalars| {
                let multiples = Multiples::with_backend(backend, black_box(&point));
                drop(black_box(
                    multiples.map(|multiples| multiples.x25519(scalars)),
                ));
            }),
        ));
    }
    let dalek = |scalars: &[[u8; 32]]| drop(black_box(Backend::Portable.public_keys(scalars)));
    candidates.push(("AWS-LC: public keys".into(), Box::new(aws_lc)));
    candidates.push(("dalek: public keys".into(), Box::new(dalek)));
    candidates
}

fn aws_lc(scalars: &[[u8; 32]]) {
    for scalar in scalars {
        let key = PrivateKey::from_private_key(&X25519, scalar).expect("a private key");
        drop(black_box(key.compute_public_key().expect("a public key")));
    }
}

/// Measures the median of each candidate, in microseconds per scalar.
fn measure(candidates: &[Candidate], scalars: &[[u8; 32]]) -> Vec<f64> {
    let mut samples = vec![Vec::new(); candidates.len()];
    for _ in 0..101 {
        for ((_, run), samples) in candidates.iter().zip(&mut samples) {
            let start = processor_time();
            run(black_box(scalars));
            #[allow(clippy::cast_precision_loss)]
            samples.push((processor_time() - start) / scalars.len() as f64);
        }
    }
    let median = |samples: &mut Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        samples[samples.len() / 2]
    };
    samples.iter_mut().map(median).collect()
}
