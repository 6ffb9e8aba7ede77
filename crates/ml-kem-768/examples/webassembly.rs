//! ML-KEM-768 of this crate and of libcrux in one module, for `benches/webassembly.mjs`.

#![cfg(target_arch = "wasm32")]

use std::{cell::OnceCell, hint::black_box};

use libcrux_ml_kem::{
    MlKemCiphertext, MlKemPrivateKey, MlKemPublicKey,
    mlkem768::portable::{self, unpacked},
};
use ml_kem_768::{Backend, DecapsulationKey, MlKem768};

thread_local! {
    static FIXTURE: OnceCell<Fixture> = const { OnceCell::new() };
}

struct Fixture {
    ml_kem: MlKem768,
    seed: [u8; 64],
    dk: [u8; 2400],
    ek: [u8; 1184],
    c: [u8; 1088],
    key: DecapsulationKey,
    theirs: Box<unpacked::MlKem768KeyPairUnpacked>,
}

impl Fixture {
    fn new() -> Self {
        let seed = [7; 64];
        let pair = portable::generate_key_pair(seed);
        let mut theirs = Box::new(unpacked::init_key_pair());
        unpacked::generate_key_pair_mut(seed, &mut theirs);
        let (c, _) = portable::encapsulate(&MlKemPublicKey::from(*pair.pk()), [8; 32]);
        let ml_kem = MlKem768::new(Backend::Simd128).expect("every engine has it");
        Self {
            ml_kem,
            seed,
            dk: *pair.sk(),
            ek: *pair.pk(),
            c: *c.as_slice(),
            key: ml_kem.key_gen(&seed),
            theirs,
        }
    }

    /// Runs one operation: those of libcrux are even, ours odd.
    fn run(&self, operation: u32) {
        let public = self.key.encapsulation_key();
        match operation {
            0 => {
                let c = MlKemCiphertext::from(*black_box(&self.c));
                black_box(unpacked::decapsulate(&self.theirs, &c));
            }
            1 => self.key.decaps(black_box(&self.c), black_box(&mut [0; 32])),
            2 => {
                let key = self.theirs.public_key();
                black_box(unpacked::encapsulate(key, black_box([8; 32])));
            }
            3 => {
                let (mut c, mut k) = ([0; 1088], [0; 32]);
                public.encaps(black_box(&[8; 32]), &mut c, &mut k);
                black_box((c, k));
            }
            4 => {
                let dk = MlKemPrivateKey::from(*black_box(&self.dk));
                assert!(portable::validate_private_key_only(&dk));
                let mut key = unpacked::init_key_pair();
                unpacked::key_pair_from_private_mut(&dk, &mut key);
                black_box(&key);
            }
            5 => drop(black_box(self.ml_kem.import(black_box(&self.dk)))),
            6 => {
                let ek = MlKemPublicKey::from(*black_box(&self.ek));
                assert!(portable::validate_public_key(&ek));
                let mut key = unpacked::init_public_key();
                unpacked::unpacked_public_key(&ek, &mut key);
                black_box(&key);
            }
            7 => drop(black_box(self.ml_kem.unpack(black_box(&self.ek)))),
            8 => {
                let mut key = unpacked::init_key_pair();
                unpacked::generate_key_pair_mut(*black_box(&self.seed), &mut key);
                black_box(&key);
            }
            _ => drop(black_box(self.ml_kem.key_gen(black_box(&self.seed)))),
        }
    }
}

/// Runs an operation `count` times, `depth` calls below the caller: engines do not align the stack
/// to the vectors that they spill, so the time depends on its position.
#[expect(unsafe_code, reason = "the module has no other export of this name")]
#[unsafe(no_mangle)]
pub extern "C" fn run(operation: u32, count: u32, depth: u32) {
    FIXTURE.with(|fixture| {
        let fixture = fixture.get_or_init(Fixture::new);
        below(depth, &|| (0..count).for_each(|_| fixture.run(operation)));
    });
}

#[inline(never)]
fn below(depth: u32, run: &dyn Fn()) {
    if black_box(depth) == 0 {
        run();
    } else {
        below(depth - 1, run);
    }
    // Keeps this frame below the next.
    black_box(depth);
}
