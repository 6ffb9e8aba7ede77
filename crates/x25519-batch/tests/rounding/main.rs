//! A program of its own: it changes the floating-point mode of threads, which others inherit.
//!
//! A host program may have changed how its threads round (interval arithmetic), flush (audio) or
//! trap (`feenableexcept`). X25519 gives the same bytes in all of these modes, and leaves the mode
//! as it is.
#![cfg(all(target_arch = "x86_64", not(miri)))]

#[allow(dead_code, reason = "this program uses a part")]
#[path = "../it/common.rs"]
mod common;
mod mxcsr;

use common::{backends, dalek};
use x25519_batch::Backend;

/// Flags that stay set once it happened: invalid, subnormal operand, division by zero, overflow,
/// underflow.
const ALL_BUT_INEXACT: u32 = 0x1f;
/// The sixth: a result was rounded.
const INEXACT: u32 = 1 << 5;

const SCALAR: [u8; 32] = [0x5a; 32];

/// Generates points of many kinds, including points of low order and unreduced ones.
fn points(count: u8) -> Vec<[u8; 32]> {
    (0..count)
        .map(|i| match i {
            0..3 => [i; 32],
            3 => [0xff; 32],
            _ => dalek(&[i; 32], &[9; 32]),
        })
        .collect()
}

/// Computes each point alone, and all in a batch.
fn results(backend: Backend, points: &[[u8; 32]]) -> [Vec<[u8; 32]>; 2] {
    let one = |point| *backend.x25519_one(&SCALAR, point);
    [
        points.iter().map(one).collect(),
        backend.x25519(&SCALAR, points).as_bytes().to_vec(),
    ]
}

#[test]
fn every_mode_gives_the_same_bytes_and_stays() {
    for backend in backends() {
        for count in [1, 2, 3, 4, 8, 9, 35] {
            let points = points(count);
            let expected: Vec<_> = points.iter().map(|point| dalek(&SCALAR, point)).collect();
            for mode in mxcsr::harmless().into_iter().chain(mxcsr::harmful()) {
                let (results, after) = mxcsr::run_in(mode, || results(backend, &points));
                assert_eq!(
                    after & !(ALL_BUT_INEXACT | INEXACT),
                    mode,
                    "{backend:?} left another mode"
                );
                for results in results {
                    assert!(
                        results == expected,
                        "{backend:?}, MXCSR {mode:04x}, {count} points"
                    );
                }
            }
        }
    }
}

/// The threads of a pool that a host starts in its mode keep it for life.
#[test]
fn a_thread_that_inherits_a_mode_gives_the_same_bytes() {
    let points = points(35);
    let expected: Vec<_> = points.iter().map(|point| dalek(&SCALAR, point)).collect();
    for backend in backends() {
        for mode in mxcsr::harmful() {
            let ((inherited, results), _) = mxcsr::run_in(mode, || {
                std::thread::scope(|scope| {
                    let thread = scope.spawn(|| (mxcsr::get(), results(backend, &points)));
                    thread.join().expect("the thread ends")
                })
            });
            assert!(results.iter().all(|results| *results == expected));
            if cfg!(target_os = "linux") {
                assert_eq!(inherited, mode);
            }
        }
    }
}

/// Subnormal values and these exceptions do not occur, so FTZ and DAZ change nothing, and the
/// vectors remain in use.
#[test]
fn no_back_end_meets_a_subnormal_number() {
    for backend in backends() {
        for mode in mxcsr::harmless() {
            let ((here, results), after) = mxcsr::run_in(mode, || {
                (backend.in_this_thread(), results(backend, &points(35)))
            });
            assert_eq!(here, backend);
            assert_eq!(after & ALL_BUT_INEXACT, 0, "{backend:?}");
            // That there are flags to see: its doubles are rounded.
            assert!(backend != Backend::Avx2 || after & INEXACT != 0);
            assert_eq!(results[0], results[1]);
        }
    }
}

#[test]
fn other_modes_are_left_to_integers() {
    for backend in backends() {
        for mode in mxcsr::harmful() {
            let (here, _) = mxcsr::run_in(mode, || backend.in_this_thread());
            let computes_with_doubles = backend == Backend::Avx2;
            let expected = if computes_with_doubles {
                Backend::Portable
            } else {
                backend
            };
            assert_eq!(here, expected, "MXCSR {mode:04x}");
        }
    }
}
