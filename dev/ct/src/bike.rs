//! BIKE: KeyGen, Encaps, and Decaps of an honest ciphertext and of one that is rejected.

use pqseal_kem_pq::{
    Backend,
    bike::{Params, SecretKey},
};

use crate::{Group, Scenario, Watcher, bytes};

pub(crate) fn groups(levels: &[&'static Params]) -> Vec<Group> {
    Backend::ALL
        .iter()
        .map(|backend| Group {
            algorithm: "BIKE",
            backend: backend.name(),
            available: backend.is_available(),
            scenarios: levels
                .iter()
                .flat_map(|p| operations(p, *backend))
                .collect(),
        })
        .collect()
}

fn operations(p: &'static Params, backend: Backend) -> Vec<Scenario> {
    let operations: [(&str, Operation); 4] = [
        ("KeyGen", keygen),
        ("Encaps", encaps),
        ("Decaps", |watcher, p, backend, number| {
            decaps(watcher, p, backend, number, false)
        }),
        ("Decaps, rejected", |watcher, p, backend, number| {
            decaps(watcher, p, backend, number, true)
        }),
    ];
    operations
        .into_iter()
        .map(|(operation, run)| Scenario {
            name: format!("{} {operation}, {}", p.name, backend.name()),
            run: Box::new(move |watcher, number| run(watcher, p, backend, number)),
        })
        .collect()
}

type Operation = fn(&dyn Watcher, &'static Params, Backend, u8);

fn keygen(watcher: &dyn Watcher, p: &'static Params, backend: Backend, number: u8) {
    let mut seed = bytes::<64>(number);
    watcher.secret(&mut seed);
    watcher.watch(&mut || {
        SecretKey::generate(p, backend, &seed)
            .to_bytes()
            .as_ref()
            .to_vec()
    });
}

fn encaps(watcher: &dyn Watcher, p: &'static Params, backend: Backend, number: u8) {
    let sk = SecretKey::generate(p, backend, &bytes(1));
    let mut m = bytes::<32>(number);
    watcher.secret(&mut m);
    watcher.watch(&mut || sk.public().encaps(&m).1.as_ref().to_vec());
}

/// Watches Decaps. The private key comes from a secret seed, so that all of it is secret.
fn decaps(watcher: &dyn Watcher, p: &'static Params, backend: Backend, number: u8, reject: bool) {
    let mut seed = bytes::<64>(number);
    watcher.secret(&mut seed);
    let sk = SecretKey::generate(p, backend, &seed);
    let (mut c, _) = sk.public().encaps(&bytes(number.wrapping_add(1)));
    watcher.public(&mut c);
    c[7] ^= u8::from(reject);
    watcher.watch(&mut || {
        sk.decaps(&c)
            .expect("a ciphertext of this length")
            .as_ref()
            .to_vec()
    });
}
