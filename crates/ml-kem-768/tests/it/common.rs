//! Back ends, and pseudorandom numbers for tests.

#[path = "../../src/tests/numbers.rs"]
mod numbers;

use ml_kem_768::{Backend, DecapsulationKey, EncapsulationKey, MlKem768};
pub(crate) use numbers::Numbers;

/// Returns ML-KEM-768 on each back end of the machine, with its name. WebAssembly has one.
pub(crate) fn each() -> impl Iterator<Item = (&'static str, MlKem768)> {
    let all = Backend::ALL.iter();
    assert!(!cfg!(target_arch = "wasm32") || Backend::Simd128.is_available());
    all.filter_map(|backend| Some((backend.name(), MlKem768::new(*backend)?)))
}

impl Numbers {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = u32::from_le_bytes(self.bytes());
        usize::try_from(number).expect("32 bits") % end
    }
}

/// Decapsulates, and returns the secret by value.
pub(crate) fn decaps(key: &DecapsulationKey, c: &[u8; 1088]) -> [u8; 32] {
    let mut k = [0; 32];
    key.decaps(c, &mut k);
    k
}

pub(crate) fn decaps_two(key: &DecapsulationKey, c: [&[u8; 1088]; 2]) -> [[u8; 32]; 2] {
    let [mut a, mut b] = [[0; 32]; 2];
    key.decaps_two(c, [&mut a, &mut b]);
    [a, b]
}

pub(crate) fn encaps(key: &EncapsulationKey, m: &[u8; 32]) -> ([u8; 1088], [u8; 32]) {
    let (mut c, mut k) = ([0; 1088], [0; 32]);
    key.encaps(m, &mut c, &mut k);
    (c, k)
}

pub(crate) fn encaps_two(key: &EncapsulationKey, m: [&[u8; 32]; 2]) -> [([u8; 1088], [u8; 32]); 2] {
    let [mut a, mut b] = [([0; 1088], [0; 32]); 2];
    key.encaps_two(m, [&mut a.0, &mut b.0], [&mut a.1, &mut b.1]);
    [a, b]
}
