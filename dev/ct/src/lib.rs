//! What is watched: operations on secrets, each of which a watcher runs with secrets of its choice.

mod bike;
mod ml_kem;
mod x25519;

use std::hint::black_box;

use kem_pq::bike::Params;

/// Who watches. Both do nothing unless it looks at memory.
pub trait Watcher {
    /// These bytes are secret from here on.
    fn secret(&self, bytes: &mut [u8]);
    /// These bytes are known to everyone from here on.
    fn public(&self, bytes: &mut [u8]);
    /// What happens in `operation` is watched. Its result must depend on the secrets.
    fn watch(&self, operation: &mut dyn FnMut() -> Vec<u8>);
}

/// Something to watch. The number chooses the secrets.
pub struct Scenario {
    pub name: String,
    pub run: Box<Run>,
}

type Run = dyn Fn(&dyn Watcher, u8);

/// What one back end of an algorithm has to show.
pub struct Group {
    pub algorithm: &'static str,
    pub backend: &'static str,
    /// Whether this machine can run it.
    pub available: bool,
    pub scenarios: Vec<Scenario>,
}

/// Everything that is watched but [`key_generation`]: BIKE at these levels, ML-KEM on the back ends that
/// are left by the choice of the process, X25519 in Rust.
pub fn groups(levels: &[&'static Params]) -> Vec<Group> {
    let mut groups = bike::groups(levels);
    groups.extend(ml_kem::groups());
    groups.extend(x25519::groups());
    groups
}

/// ML-KEM's KeyGen, for memcheck with `matrix.supp`: the public matrix, which comes of the seed, takes
/// a path of its own for each.
pub fn key_generation() -> Vec<Group> {
    ml_kem::key_generation()
}

/// What must be told apart, so that a watcher that sees nothing is found out: the second leaks its
/// secret by a branch, and the third by an address, which the trace does not see.
pub fn self_tests() -> [Scenario; 3] {
    let scenario = |name: &str, of: fn(&[u8; 32]) -> u8| Scenario {
        name: name.to_owned(),
        run: Box::new(move |watcher, number| {
            let mut secret = bytes::<32>(number);
            watcher.secret(&mut secret);
            watcher.watch(&mut || vec![of(black_box(&secret))]);
        }),
    };
    [
        scenario("self-test: the sum of all bytes", sum),
        scenario("self-test: the place of a byte", place),
        scenario("self-test: a byte at a secret place", looked_up),
    ]
}

fn sum(bytes: &[u8; 32]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

/// Leaves early, and so tells where. The result has a byte too, since memcheck does not follow what
/// only a branch tells.
fn place(bytes: &[u8; 32]) -> u8 {
    let place = bytes.iter().position(|byte| black_box(*byte) > 200);
    bytes[0].wrapping_add(place.map_or(255, |place| u8::try_from(place).unwrap_or(255)))
}

/// The place is the first byte.
fn looked_up(bytes: &[u8; 32]) -> u8 {
    let table: [u8; 256] = black_box(std::array::from_fn(|place| place.to_le_bytes()[0]));
    bytes[1].wrapping_add(table[usize::from(bytes[0])])
}

/// Bytes that look random, the same for the same number.
fn bytes<const N: usize>(number: u8) -> [u8; N] {
    let mut state = u64::from(number);
    std::array::from_fn(|_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[7]
    })
}
