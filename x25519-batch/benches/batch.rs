//! One scalar, many points: our back ends beside AWS-LC's and x25519-dalek's serial X25519. Prints medians and ratios as a table.
//!
//! Noise comes in waves, so the candidates take turns, a short sample each, many times over.
//!
//! A size given as an argument is measured alone: `cargo bench -p x25519-batch -- 64`.

use std::{env, hint::black_box, time::Instant};

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use x25519_batch::Backend;

const SIZES: [usize; 5] = [1, 4, 8, 64, 4096];
/// How many samples a candidate has of each size. The largest takes a tenth of a second for one.
const SAMPLES: usize = 41;

/// Something that computes on all points.
type Candidate = (&'static str, Box<dyn Fn(&[[u8; 32]])>);

fn main() {
    let scalar = [0x55; 32];
    let candidates = candidates(scalar);
    let names: Vec<&str> = candidates.iter().map(|(name, _)| *name).collect();
    let ratios: Vec<String> = names[1..].iter().map(|name| format!("{name} / {}", names[0])).collect();
    println!("Microseconds a point, and how many times as long as {}.\n", names[0]);
    println!("| points | {} | {} |", names.join(" | "), ratios.join(" | "));
    println!("|---:|{}", "---:|".repeat(names.len() + ratios.len()));
    let points = points(*SIZES.last().expect("sizes"));
    for size in sizes() {
        let times = measure(&candidates, &points[..size]);
        let cells = times.iter().chain(&times[1..].iter().map(|time| time / times[0]).collect::<Vec<_>>()).copied();
        println!("| {size} | {} |", cells.map(|cell: f64| format!("{cell:.2}")).collect::<Vec<_>>().join(" | "));
    }
}

fn sizes() -> Vec<usize> {
    let asked: Vec<usize> = env::args().filter_map(|argument| argument.parse().ok()).collect();
    if asked.is_empty() { SIZES.to_vec() } else { asked }
}

/// Ours, the fastest first; the portable one is x25519-dalek.
fn candidates(scalar: [u8; 32]) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for backend in Backend::ALL.iter().rev().filter(|backend| backend.is_available()) {
        let name = if *backend == Backend::Portable { "dalek" } else { backend.name() };
        candidates.push((name, Box::new(move |points| drop(black_box(backend.x25519(&scalar, points))))));
    }
    let key = PrivateKey::from_private_key(&X25519, &scalar).expect("a private key");
    candidates.insert(1, ("aws-lc", Box::new(move |points| aws_lc(&key, points))));
    candidates
}

fn aws_lc(key: &PrivateKey, points: &[[u8; 32]]) {
    for point in points {
        let shared = agree(key, UnparsedPublicKey::new(&X25519, point), (), |shared| shared.try_into().map_err(|_| ()));
        let shared: [u8; 32] = shared.expect("no point of low order");
        black_box(shared);
    }
}

/// Points that a point leads to.
fn points(count: usize) -> Vec<[u8; 32]> {
    let mut points = vec![[9; 32]; count];
    for start in (0..count).step_by(8) {
        let end = count.min(start + 8);
        let seed = u8::try_from(start % 251).expect("less than 251");
        let shared = x25519_batch::x25519(&[seed; 32], &std::array::from_fn::<_, 8, _>(|i| [i as u8 + 2; 32]));
        points[start..end].copy_from_slice(&shared.as_bytes()[..end - start]);
    }
    points
}

/// The median of each candidate, in microseconds a point.
fn measure(candidates: &[Candidate], points: &[[u8; 32]]) -> Vec<f64> {
    let mut samples = vec![Vec::new(); candidates.len()];
    // A sample is not shorter than about a millisecond.
    let repeats = 64_usize.div_ceil(points.len());
    for _ in 0..SAMPLES {
        for ((_, run), samples) in candidates.iter().zip(&mut samples) {
            let start = Instant::now();
            (0..repeats).for_each(|_| run(black_box(points)));
            #[allow(clippy::cast_precision_loss)]
            samples.push(start.elapsed().as_secs_f64() * 1e6 / (repeats * points.len()) as f64);
        }
    }
    samples.iter_mut().map(|samples| median(samples)).collect()
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
