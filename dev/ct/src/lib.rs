//! The watched operations on secrets. A watcher runs each with secrets of its choice.

mod bike;
mod ml_kem;
mod x25519;

use std::hint::black_box;

use pqseal_kem_pq::bike::Params;

/// A tool that watches operations. [`Self::secret`] and [`Self::public`] do nothing unless it
/// follows memory.
pub trait Watcher {
    /// Marks these bytes as secret.
    fn secret(&self, bytes: &mut [u8]);
    /// Marks these bytes as public.
    fn public(&self, bytes: &mut [u8]);
    /// Watches `operation`, whose result must depend on the secrets.
    fn watch(&self, operation: &mut dyn FnMut() -> Vec<u8>);
}

/// An operation to watch. The number chooses the secrets.
pub struct Scenario {
    pub name: String,
    pub run: Box<Run>,
}

type Run = dyn Fn(&dyn Watcher, u8);

/// The scenarios of one back end of an algorithm.
pub struct Group {
    pub algorithm: &'static str,
    pub backend: &'static str,
    /// `true` if this machine can run it.
    pub available: bool,
    pub scenarios: Vec<Scenario>,
}

/// Returns all scenarios except [`key_generation`]: BIKE at these levels, ML-KEM on the chosen back
/// end, X25519 in Rust.
pub fn groups(levels: &[&'static Params]) -> Vec<Group> {
    let mut groups = bike::groups(levels);
    groups.extend(ml_kem::groups());
    groups.extend(x25519::groups());
    groups
}

/// Returns ML-KEM's KeyGen, for memcheck with `matrix.supp`: the public matrix is sampled from the
/// public seed on a path that depends on it.
pub fn key_generation() -> Vec<Group> {
    ml_kem::key_generation()
}

/// Returns scenarios that detect a watcher that sees nothing. The second leaks its secret by a
/// branch, and the third by an address, which the trace does not see.
pub fn self_tests() -> [Scenario; 3] {
    type Function = fn(&[u8; 32]) -> u8;
    let tests: [(&str, Function); 3] = [
        ("self-test: the sum of all bytes", sum),
        ("self-test: the place of a byte", place),
        ("self-test: a byte at a secret place", looked_up),
    ];
    tests.map(|(name, of)| Scenario {
        name: name.to_owned(),
        run: Box::new(move |watcher, number| {
            let mut secret = bytes::<32>(number);
            watcher.secret(&mut secret);
            watcher.watch(&mut || vec![of(black_box(&secret))]);
        }),
    })
}

fn sum(bytes: &[u8; 32]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

/// Leaks the place of a byte by an early exit. The result contains a byte too, since memcheck does
/// not follow a dependence by branches only.
fn place(bytes: &[u8; 32]) -> u8 {
    let place = bytes.iter().position(|byte| black_box(*byte) > 200);
    bytes[0].wrapping_add(place.map_or(255, |place| u8::try_from(place).unwrap_or(255)))
}

/// Looks up the place that the first byte gives.
fn looked_up(bytes: &[u8; 32]) -> u8 {
    let table: [u8; 256] = black_box(std::array::from_fn(|place| place.to_le_bytes()[0]));
    bytes[1].wrapping_add(table[usize::from(bytes[0])])
}

/// Returns bytes that look random, the same for the same number.
fn bytes<const N: usize>(number: u8) -> [u8; N] {
    let mut state = u64::from(number);
    std::array::from_fn(|_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[7]
    })
}
