//! Runs every target on stable Rust, with its seeds and small changes of them, as a fuzzer
//! begins. Inputs that once crashed a target are in `seeds/`. Runs a tenth of the changes, or all
//! with `PQSEAL_LONG=1`.

use std::{env, fs, path::Path};

use fuzz_targets::{TARGETS, Target};

/// Runs all inputs of a target. A panic shows the target's name and the input's bytes.
fn replay(name: &str) {
    let target = Target::of(name).expect("a target of this name");
    let mut inputs = (target.seeds)();
    assert!(!inputs.is_empty());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(name);
    for file in fs::read_dir(&folder).into_iter().flatten() {
        inputs.push(fs::read(file.unwrap().path()).unwrap());
    }
    inputs.push(Vec::new());
    inputs.iter().for_each(|input| (target.run)(input));
    let mut random = Random(1);
    let changes = target.replayed.saturating_sub(inputs.len());
    let part = env::var_os("PQSEAL_LONG").map_or(10, |_| 1);
    for round in 0..changes.div_ceil(part) {
        let input = random.changed(&inputs[round % inputs.len()]);
        (target.run)(&input);
    }
}

/// A random number generator (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) >> 33).unwrap() % end.max(1)
    }

    /// Returns the input with one to three changes.
    fn changed(&mut self, input: &[u8]) -> Vec<u8> {
        let mut out = input.to_vec();
        for _ in 0..=self.below(3) {
            let place = self.below(out.len());
            let byte = u8::try_from(self.below(256)).unwrap();
            match self.below(5) {
                0 => out.truncate(place),
                1 => out.insert(place, byte),
                2 => out.extend_from_within(place..(place + 8).min(out.len())),
                3 => drop(out.drain(place..(place + 4).min(out.len()))),
                _ => out
                    .iter_mut()
                    .skip(place)
                    .take(1)
                    .for_each(|old| *old = byte),
            }
        }
        out
    }
}

/// Defines a test for each target, and checks that none is missing.
macro_rules! replay {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_replayed() {
            let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

replay! { blob keys calendar base64 json csv age_header age_payload age_keys ssh pkcs8 plugin object jwe cose ohttp framing pieces path open contexts bike backends rules request sealed wasm }
