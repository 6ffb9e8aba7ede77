//! Search of the stack below the caller for words of secrets, which no operation may leave there.

use std::{fs::File, hint::black_box, os::unix::fs::FileExt, thread};

use ml_kem_768::{DecapsulationKey, MlKem768};
use sha3::{Digest, Sha3_256, Sha3_512};
use shake::{ExtendableOutput, Shake256, Update, XofReader};

use super::common::each;

/// The bytes of the stack that are searched: more than any operation here uses.
const STACK: usize = 192 << 10;

/// The inputs and outputs of an operation, on the heap.
struct Work {
    ml_kem: MlKem768,
    seed: [u8; 64],
    key: DecapsulationKey,
    m: [[u8; 32]; 2],
    c: [[u8; 1088]; 2],
    k: [[u8; 32]; 2],
}

/// An operation: its name and its code.
type Operation = (&'static str, fn(&mut Work));

const OPERATIONS: [Operation; 7] = [
    ("encaps", |w| {
        let public = w.key.encapsulation_key();
        public.encaps(&w.m[0], &mut w.c[0], &mut w.k[0]);
    }),
    ("encaps of two", |w| {
        let ([c0, c1], [k0, k1]) = (&mut w.c, &mut w.k);
        let public = w.key.encapsulation_key();
        public.encaps_two(w.m.each_ref(), [c0, c1], [k0, k1]);
    }),
    ("decaps", |w| w.key.decaps(&w.c[0], &mut w.k[0])),
    ("decaps of two", |w| {
        w.key.decaps_two(w.c.each_ref(), w.k.each_mut());
    }),
    ("decaps, rejected", |w| {
        w.c[1][5] ^= 1;
        w.key.decaps(&w.c[1], &mut w.k[1]);
    }),
    ("keygen", |w| w.key = w.ml_kem.key_gen(&w.seed)),
    ("a copy that nobody wipes", |w| {
        black_box([w.seed; 64]);
    }),
];

#[test]
fn no_word_of_a_secret_is_left_on_the_stack() {
    for (name, ml_kem) in each() {
        for (operation, run) in OPERATIONS {
            let found = thread::Builder::new()
                .stack_size(4 << 20)
                .spawn(move || found_after(ml_kem, run))
                .expect("a thread")
                .join()
                .expect("no panic");
            let planted = operation.starts_with("a copy");
            assert_eq!(!found.is_empty(), planted, "{name}, {operation}: {found:?}");
        }
    }
}

/// Returns the names of secrets of which a word is found.
fn found_after(ml_kem: MlKem768, run: fn(&mut Work)) -> Vec<&'static str> {
    let seed = core::array::from_fn(|i| u8::try_from(i * 7 % 251).expect("below 251"));
    let mut work = Box::new(Work {
        ml_kem,
        seed,
        key: ml_kem.key_gen(&seed),
        m: [[0x5a; 32], [0xa5; 32]].map(|m| Sha3_256::digest(m).into()),
        c: [[0; 1088]; 2],
        k: [[0; 32]; 2],
    });
    let secrets = secrets(&mut work);
    let memory = File::open("/proc/self/mem").expect("own memory can be read");
    let mut stack = vec![0; STACK];
    overwrite();
    run(&mut work);
    read_below(&memory, &mut stack);
    let mut found: Vec<_> = stack
        .windows(8)
        .filter_map(|word| {
            let secret = secrets.iter().find(|(_, secret)| secret == word);
            secret.map(|(name, _)| *name)
        })
        .collect();
    found.dedup();
    found
}

#[inline(never)]
fn overwrite() {
    black_box(&mut [0_u8; STACK]);
}

#[inline(never)]
fn read_below(memory: &File, stack: &mut [u8]) {
    let here = black_box([0_u8; 8]);
    let from = std::ptr::from_ref(black_box(&here)).addr() - STACK;
    let from = u64::try_from(from).expect("an address has 64 bits");
    memory.read_exact_at(stack, from).expect("mapped");
}

/// Returns the words of all secrets, with their names. Fills in the ciphertexts.
fn secrets(work: &mut Work) -> Vec<(&'static str, [u8; 8])> {
    let public = work.key.encapsulation_key();
    let [c0, c1] = &mut work.c;
    public.encaps(&work.m[0], c0, &mut work.k[0]);
    public.encaps(&work.m[1], c1, &mut work.k[1]);
    let mut secrets = Vec::new();
    let mut add = |name, bytes: &[u8]| {
        secrets.extend(
            bytes
                .chunks_exact(8)
                .map(|word| (name, word.try_into().expect("eight"))),
        );
    };
    add("seed", &work.seed);
    let g = Sha3_512::new()
        .chain_update(&work.seed[..32])
        .chain_update([3]);
    let rho_and_sigma = g.finalize();
    add("sigma", &rho_and_sigma[32..]);
    add("noise of the key", &prf(&rho_and_sigma[32..]));
    let h = Sha3_256::digest(public.bytes());
    for m in &work.m {
        add("m", m);
        let k_and_r = Sha3_512::new().chain_update(m).chain_update(h).finalize();
        add("shared secret", &k_and_r[..32]);
        add("r", &k_and_r[32..]);
        add("noise", &prf(&k_and_r[32..]));
    }
    let mut rejected = work.c[1];
    rejected[5] ^= 1;
    for c in [work.c[0], work.c[1], rejected] {
        let mut j = [0; 32];
        let hash = Shake256::default().chain(&work.seed[32..]).chain(c);
        hash.finalize_xof().read(&mut j);
        add("secret of a rejection", &j);
    }
    secrets
}

fn prf(seed: &[u8]) -> Vec<u8> {
    let of = |nonce: u8| {
        let mut words = [0; 128];
        let hash = Shake256::default().chain(seed).chain([nonce]);
        hash.finalize_xof().read(&mut words);
        words
    };
    (0..7).flat_map(of).collect()
}
