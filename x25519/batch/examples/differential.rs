//! Every back end of this machine next to AWS-LC, on random private keys and points: all sizes of a
//! batch up to a few vectors, so that every way of cutting it and every left-over is taken.
//!
//! ```sh
//! cargo run --release -p x25519-batch --example differential -- 10000000 [BACKEND...]
//! ```
//!
//! The number is that of the points on each back end; after each million of them standard error says
//! what has been reached. The last line is `N passed, N failed`. 10,000,000 points take some ten minutes
//! with AVX2, and 100,000,000 are a run overnight.

use std::{env, process::ExitCode};

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use x25519_batch::Backend;

/// Two groups in lockstep, a group alone and what is left over, of vectors of eight.
const LARGEST: usize = 2 * 8 + 8 + 7;

/// After so many points it says how far it is.
const STAGE: usize = 1_000_000;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let count: Option<usize> = arguments.next().and_then(|count| count.parse().ok());
    let names: Vec<String> = arguments.collect();
    let Some(count) = count.filter(|count| *count > 0) else {
        eprintln!("differential: how many points? Example: differential 10000000");
        return ExitCode::from(2);
    };
    let known = |name: &String| Backend::ALL.iter().any(|backend| backend.name() == name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        eprintln!("differential: no back end {name}");
        return ExitCode::from(2);
    }
    let (mut passed, mut failed) = (0, 0);
    for backend in Backend::ALL {
        let is_asked_for = names.is_empty() || names.iter().any(|name| name == backend.name());
        if !is_asked_for {
            continue;
        }
        if !backend.is_available() {
            println!("{}: not tested, this machine lacks it", backend.name());
            failed += usize::from(!names.is_empty());
            continue;
        }
        let differences = differences(*backend, count);
        println!("{}: {count} points, {differences} differ", backend.name());
        passed += usize::from(differences == 0);
        failed += usize::from(differences > 0);
    }
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0 || passed == 0))
}

/// How many results are not AWS-LC's.
fn differences(backend: Backend, count: usize) -> usize {
    let (mut state, mut done, mut differences) = (count as u64, 0, 0);
    let mut sizes = (1..=LARGEST).cycle();
    while done < count {
        let size = sizes.next().map_or(1, |size| size.min(count - done));
        let scalar = random(&mut state);
        let points: Vec<[u8; 32]> = (0..size).map(|_| random(&mut state)).collect();
        let key = PrivateKey::from_private_key(&X25519, &scalar).expect("a private key");
        let results = backend.x25519(&scalar, &points);
        for (point, result) in points.iter().zip(results.as_bytes()) {
            differences += usize::from(expected(&key, point) != *result);
        }
        if done / STAGE < (done + size) / STAGE {
            let name = backend.name();
            eprintln!("{name}: {} points, {differences} differ", done + size);
        }
        done += size;
    }
    differences
}

/// All zero for a point of low order, which AWS-LC refuses.
fn expected(key: &PrivateKey, point: &[u8; 32]) -> [u8; 32] {
    let shared = agree(key, UnparsedPublicKey::new(&X25519, point), (), |shared| {
        shared.try_into().map_err(|_| ())
    });
    shared.unwrap_or_default()
}

/// SplitMix64; one of 64 is near 2^256, so that numbers from p on and bit 255 occur.
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
