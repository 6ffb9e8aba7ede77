//! What is watched: operations on secrets, each of which a watcher runs with secrets of its choice.

use std::hint::black_box;

use hpke::{
    Secret,
    dhkem::{Dalek, Function, TablePoint},
};
use kem_pq::{
    Backend,
    bike::{Params, SecretKey, params},
};

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
    pub run: Box<dyn Fn(&dyn Watcher, u8)>,
}

/// Two that must be told from each other, so that a watcher that sees nothing is found out: the second depends on its secret.
pub fn self_tests() -> [Scenario; 2] {
    let scenario = |name: &str, of: fn(&[u8; 32]) -> u8| Scenario {
        name: name.to_owned(),
        run: Box::new(move |watcher, number| {
            let mut secret = bytes::<32>(number);
            watcher.secret(&mut secret);
            watcher.watch(&mut || vec![of(black_box(&secret))]);
        }),
    };
    [scenario("self-test: the sum of all bytes", sum), scenario("self-test: the place of a byte", place)]
}

fn sum(bytes: &[u8; 32]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

/// Leaves early, and so tells where. The result has a byte too, since memcheck does not follow what only a branch tells.
fn place(bytes: &[u8; 32]) -> u8 {
    let place = bytes.iter().position(|byte| black_box(*byte) > 200);
    bytes[0].wrapping_add(place.map_or(255, |place| u8::try_from(place).unwrap_or(255)))
}

/// X25519 by the ladder, and by the table of a prepared key. What AWS-LC has in assembly is not here.
pub fn x25519() -> [Scenario; 2] {
    [false, true].map(|prepared| Scenario {
        name: format!("X25519, {}", if prepared { "prepared key" } else { "ladder" }),
        run: Box::new(move |watcher, number| {
            let mut scalar = bytes::<32>(number);
            watcher.secret(&mut scalar);
            let mut point = TablePoint::from(BASE);
            if prepared {
                Dalek::prepare(&mut point);
            }
            watcher.watch(&mut || Dalek::multiply(&Secret::new(scalar), &point).to_vec());
        }),
    })
}

/// The u-coordinate 9: of the curve, so that there is a table.
const BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

/// BIKE at a level on a back end: KeyGen, Encaps, and Decaps of an honest ciphertext and of one that is rejected.
pub fn bike(p: &'static Params, backend: Backend) -> Vec<Scenario> {
    let scenario = |operation: &str, run: fn(&dyn Watcher, &'static Params, Backend, u8)| Scenario {
        name: format!("{} {operation}, {}", p.name, backend.name()),
        run: Box::new(move |watcher, number| run(watcher, p, backend, number)),
    };
    vec![
        scenario("KeyGen", keygen),
        scenario("Encaps", encaps),
        scenario("Decaps", |watcher, p, backend, number| decaps(watcher, p, backend, number, false)),
        scenario("Decaps, rejected", |watcher, p, backend, number| decaps(watcher, p, backend, number, true)),
    ]
}

/// Every level.
pub fn levels() -> [&'static Params; 3] {
    params::ALL
}

fn keygen(watcher: &dyn Watcher, p: &'static Params, backend: Backend, number: u8) {
    let mut seed = bytes::<64>(number);
    watcher.secret(&mut seed);
    watcher.watch(&mut || SecretKey::generate(p, backend, &seed).to_bytes().as_ref().to_vec());
}

fn encaps(watcher: &dyn Watcher, p: &'static Params, backend: Backend, number: u8) {
    let sk = SecretKey::generate(p, backend, &bytes(1));
    let mut m = bytes::<32>(number);
    watcher.secret(&mut m);
    watcher.watch(&mut || sk.public().encaps(&m).1.as_ref().to_vec());
}

/// The private key comes from a secret seed, so that all that it holds is secret.
fn decaps(watcher: &dyn Watcher, p: &'static Params, backend: Backend, number: u8, reject: bool) {
    let mut seed = bytes::<64>(number);
    watcher.secret(&mut seed);
    let sk = SecretKey::generate(p, backend, &seed);
    let (mut c, _) = sk.public().encaps(&bytes(number.wrapping_add(1)));
    watcher.public(&mut c);
    c[7] ^= u8::from(reject);
    watcher.watch(&mut || sk.decaps(&c).expect("a ciphertext of this length").as_ref().to_vec());
}

/// Bytes that look random, the same for the same number.
fn bytes<const N: usize>(number: u8) -> [u8; N] {
    let mut state = u64::from(number);
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[7]
    })
}
