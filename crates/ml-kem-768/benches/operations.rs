//! Time of each operation on each back end and in libcrux with AVX2, interleaved in one process.
//! Prints the medians in microseconds of processor time, and libcrux's divided by ours.
//!
//! Run it several times: a process may be unlucky with its addresses.

use std::hint::black_box;

use libcrux_ml_kem::{
    MlKemCiphertext, MlKemPrivateKey, MlKemPublicKey,
    mlkem768::avx2::{self, unpacked},
};
use ml_kem_768::{Backend, DecapsulationKey, MlKem768};
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 301;
const CALLS: u32 = 16;

fn main() {
    let back_ends: Vec<_> = Backend::ALL
        .iter()
        .filter_map(|backend| Some((backend.name(), MlKem768::new(*backend)?)))
        .collect();
    if back_ends.is_empty() {
        println!("This machine has no back end of ours.");
        return;
    }
    let fixture = Fixture::new();
    let mut candidates = fixture.libcrux();
    for (_, ml_kem) in &back_ends {
        candidates.extend(fixture.ours(*ml_kem));
    }
    let medians = measure(&mut candidates);
    let names: Vec<_> = back_ends.iter().map(|(name, _)| *name).collect();
    print(&names, &medians);
}

const OPERATIONS: [&str; 7] = [
    "decaps, key kept",
    "decaps, two a call, each",
    "encaps, key kept",
    "encaps, two a call, each",
    "key from dk, checked",
    "key from ek, checked",
    "keygen from a seed",
];

type Candidate<'a> = (Box<dyn FnMut() + 'a>, u32);

struct Fixture {
    seed: [u8; 64],
    dk: [u8; 2400],
    ek: [u8; 1184],
    ciphertexts: [[u8; 1088]; 2],
    key: unpacked::MlKem768KeyPairUnpacked,
}

impl Fixture {
    fn new() -> Self {
        let seed = [7; 64];
        let pair = avx2::generate_key_pair(seed);
        let mut key = unpacked::init_key_pair();
        unpacked::generate_key_pair_mut(seed, &mut key);
        let ciphertexts = [8, 9].map(|m| {
            let (c, _) = avx2::encapsulate(&MlKemPublicKey::from(*pair.pk()), [m; 32]);
            *c.as_slice()
        });
        Self {
            seed,
            dk: *pair.sk(),
            ek: *pair.pk(),
            ciphertexts,
            key,
        }
    }

    fn libcrux(&self) -> Vec<Candidate<'_>> {
        let c = MlKemCiphertext::from(self.ciphertexts[0]);
        let public = self.key.public_key();
        let decaps = move || {
            black_box(unpacked::decapsulate(&self.key, black_box(&c)));
        };
        let encaps = || {
            black_box(unpacked::encapsulate(public, black_box([8; 32])));
        };
        let dk = || {
            let dk = MlKemPrivateKey::from(*black_box(&self.dk));
            assert!(avx2::validate_private_key_only(&dk));
            let mut key = unpacked::init_key_pair();
            unpacked::key_pair_from_private_mut(&dk, &mut key);
            black_box(&key);
        };
        let ek = || {
            let ek = MlKemPublicKey::from(*black_box(&self.ek));
            assert!(avx2::validate_public_key(&ek));
            let mut key = unpacked::init_public_key();
            unpacked::unpacked_public_key(&ek, &mut key);
            black_box(&key);
        };
        let seed = || {
            let mut key = unpacked::init_key_pair();
            unpacked::generate_key_pair_mut(*black_box(&self.seed), &mut key);
            black_box(&key);
        };
        vec![
            (Box::new(decaps.clone()), 1),
            (Box::new(decaps), 1),
            (Box::new(encaps), 1),
            (Box::new(encaps), 1),
            (Box::new(dk), 1),
            (Box::new(ek), 1),
            (Box::new(seed), 1),
        ]
    }

    fn ours(&self, ml_kem: MlKem768) -> Vec<Candidate<'_>> {
        let key: &DecapsulationKey = Box::leak(Box::new(ml_kem.key_gen(&self.seed)));
        let [a, b] = &self.ciphertexts;
        let public = key.encapsulation_key();
        let decaps = move || key.decaps(black_box(a), black_box(&mut [0; 32]));
        let decaps_two = move || {
            let [mut k, mut l] = [[0; 32]; 2];
            key.decaps_two(black_box([a, b]), [&mut k, &mut l]);
            black_box((&k, &l));
        };
        let encaps = move || {
            let (mut c, mut k) = ([0; 1088], [0; 32]);
            public.encaps(black_box(&[8; 32]), &mut c, &mut k);
            black_box((&c, &k));
        };
        let encaps_two = move || {
            let ([mut c, mut d], [mut k, mut l]) = ([[0; 1088]; 2], [[0; 32]; 2]);
            let m = black_box([&[8; 32], &[9; 32]]);
            public.encaps_two(m, [&mut c, &mut d], [&mut k, &mut l]);
            black_box((&c, &d, &k, &l));
        };
        vec![
            (Box::new(decaps), 1),
            (Box::new(decaps_two), 2),
            (Box::new(encaps), 1),
            (Box::new(encaps_two), 2),
            (
                Box::new(move || drop(black_box(ml_kem.import(black_box(&self.dk))))),
                1,
            ),
            (
                Box::new(move || drop(black_box(ml_kem.unpack(black_box(&self.ek))))),
                1,
            ),
            (
                Box::new(move || drop(black_box(ml_kem.key_gen(black_box(&self.seed))))),
                1,
            ),
        ]
    }
}

/// Returns the median of each, in microseconds.
fn measure(candidates: &mut [Candidate<'_>]) -> Vec<f64> {
    let mut samples = vec![Vec::new(); candidates.len()];
    for _ in 0..ROUNDS {
        for ((run, messages), samples) in candidates.iter_mut().zip(&mut samples) {
            let start = processor_time();
            for _ in 0..CALLS {
                run();
            }
            samples.push((processor_time() - start) / f64::from(CALLS * *messages));
        }
    }
    let median = |samples: &mut Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        samples[samples.len() / 2]
    };
    samples.iter_mut().map(median).collect()
}

fn print(names: &[&str], medians: &[f64]) {
    let (libcrux, ours) = medians.split_at(OPERATIONS.len());
    let head: String = names
        .iter()
        .map(|name| format!(" {name} | libcrux / it |"))
        .collect();
    println!("| us | libcrux |{head}");
    println!("|---|---:|{}", "---:|---:|".repeat(names.len()));
    for (row, operation) in OPERATIONS.iter().enumerate() {
        print!("| {operation} | {:.2} |", libcrux[row]);
        for ours in ours.chunks(OPERATIONS.len()) {
            print!(" {:.2} | {:.2} |", ours[row], libcrux[row] / ours[row]);
        }
        println!();
    }
}

fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    #[allow(clippy::cast_precision_loss)]
    let microseconds = time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3;
    microseconds
}
