//! Dependence of the speed on the place of the caller's stack: the same work at every place within
//! a page. Prints the fastest, the middle and the slowest place.
//!
//! Noise comes in waves, so the places take turns, and the fastest samples of each count.

use std::hint::black_box;

use ml_kem_768::{Backend, MlKem768};
use rustix::time::{ClockId, clock_gettime};

const PAGE: usize = 4096;
const ROUNDS: usize = 96;
const CALLS: u32 = 8;

fn main() {
    println!("Microseconds a call, by the place of the stack.\n");
    println!("| back end | operation | fastest | middle | slowest | slowest / middle |");
    println!("|---|---|---:|---:|---:|---:|");
    for backend in Backend::ALL {
        let Some(ml_kem) = MlKem768::new(*backend) else {
            continue;
        };
        let key = ml_kem.key_gen(&[7; 64]);
        let public = key.encapsulation_key();
        let (mut c, [mut k, mut l]) = ([0; 1088], [[0; 32]; 2]);
        public.encaps(&[8; 32], &mut c, &mut k);
        let (name, mut other) = (backend.name(), c);
        print(name, "decaps", || key.decaps(&c, black_box(&mut k)));
        print(name, "decaps, two", || {
            key.decaps_two([&c, &c], black_box([&mut k, &mut l]));
        });
        print(name, "encaps", || {
            public.encaps(&[8; 32], black_box(&mut other), black_box(&mut k));
        });
        print(name, "keygen", || drop(black_box(ml_kem.key_gen(&[7; 64]))));
    }
}

fn print(backend: &str, operation: &str, run: impl FnMut()) {
    let mut places = measure(run);
    places.sort_by(f64::total_cmp);
    let last = places.len() - 1;
    let (fastest, middle, slowest) = (places[0], places[last / 2], places[last]);
    println!(
        "| {backend} | {operation} | {fastest:.2} | {middle:.2} | {slowest:.2} | {:.2} |",
        slowest / middle,
    );
}

/// Returns the time at each place in a page.
fn measure(mut run: impl FnMut()) -> Vec<f64> {
    let mut timed = || {
        let start = processor_time();
        (0..CALLS).for_each(|_| run());
        (processor_time() - start) / f64::from(CALLS)
    };
    let frame = at_depth(0, &mut || 0.0).0 - at_depth(1, &mut || 0.0).0;
    let mut places = vec![Vec::new(); PAGE / frame];
    for _ in 0..ROUNDS {
        for (depth, samples) in places.iter_mut().enumerate() {
            samples.push(at_depth(depth, &mut timed).1);
        }
    }
    let fast = |samples: &mut Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        samples[samples.len() / 16]
    };
    places.iter_mut().map(fast).collect()
}

/// Runs `run` below `depth` frames, and returns its place on the stack with the result.
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

fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    #[allow(clippy::cast_precision_loss)]
    let microseconds = time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3;
    microseconds
}
