//! The same work at every position of the stack within a page, to check that its speed does not
//! depend on the caller's stack address. Prints the fastest, the median and the slowest position.
//!
//! Registers that the compiler saves on the stack may straddle two pages, which is slow, and a
//! stored value may have the same offset in its page as a constant that is loaded next.
//!
//! Noise comes in waves, so the positions alternate, and the fastest samples of each count. With a
//! number of points as an argument only this number is measured.

mod common;

use std::{env, hint::black_box};

use common::{points, processor_time};
use x25519_batch::Backend;

const SIZES: [usize; 3] = [1, 4, 64];
const PAGE: usize = 4096;
const ROUNDS: usize = 48;

fn main() {
    let asked: Vec<usize> = env::args().filter_map(|size| size.parse().ok()).collect();
    let sizes = if asked.is_empty() {
        SIZES.to_vec()
    } else {
        asked
    };
    println!("Microseconds a point, by the place of the stack.\n");
    println!("| back end | points | fastest | middle | slowest | slowest / middle | there |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for backend in Backend::ALL.iter().filter(|backend| backend.lanes() > 1) {
        for size in &sizes {
            if backend.is_available() {
                print(*backend, &points(*size));
            }
        }
    }
}

fn print(backend: Backend, points: &[[u8; 32]]) {
    let mut places = measure(|| drop(black_box(backend.x25519(&[0x55; 32], points))));
    places.sort_by(|a, b| f64::total_cmp(&a.1, &b.1));
    #[allow(clippy::cast_precision_loss)]
    let each = |place: usize| places[place].1 / points.len() as f64;
    let last = places.len() - 1;
    let (fastest, middle, slowest) = (each(0), each(last / 2), each(last));
    println!(
        "| {} | {} | {fastest:.2} | {middle:.2} | {slowest:.2} | {:.2} | {} |",
        backend.name(),
        points.len(),
        slowest / middle,
        places[last].0,
    );
}

/// Returns offsets in a page, and the time at each.
fn measure(mut run: impl FnMut()) -> Vec<(usize, f64)> {
    let mut timed = || {
        let start = processor_time();
        run();
        processor_time() - start
    };
    let frame = at_depth(0, &mut || 0.0).0 - at_depth(1, &mut || 0.0).0;
    let mut places = vec![(0, Vec::new()); PAGE / frame];
    for _ in 0..ROUNDS {
        for (depth, (place, samples)) in places.iter_mut().enumerate() {
            let (address, time) = at_depth(depth, &mut timed);
            *place = address % PAGE;
            samples.push(time);
        }
    }
    let fast = |samples: &mut Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        samples[samples.len() / 16]
    };
    places
        .iter_mut()
        .map(|(place, samples)| (*place, fast(samples)))
        .collect()
}

/// Calls `run` below `depth` more frames, and returns its stack address too.
#[inline(never)]
fn at_depth(depth: usize, run: &mut dyn FnMut() -> f64) -> (usize, f64) {
    let here = black_box([0_u8; 16]);
    let result = match depth {
        0 => (here.as_ptr().addr(), run()),
        _ => at_depth(depth - 1, run),
    };
    black_box(&here);
    result
}
