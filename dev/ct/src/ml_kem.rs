//! ML-KEM (libcrux, and ml-kem-768 with AVX2): Encaps, Decaps of an honest ciphertext and of one
//! that is rejected, and KeyGen.

use pqseal_hpke::{Error, Kem};
use pqseal_kem_pq::{Backend, MlKem512, MlKem768, MlKem1024};

use crate::{Group, Scenario, Watcher, bytes};

/// A parameter set: the expanded private key of a seed, and its import.
struct Row<K: Kem + 'static> {
    kem: &'static K,
    expanded: fn([u8; 64]) -> Vec<u8>,
    import: fn(&K, &[u8]) -> Result<K::PrivateKey, Error>,
}

macro_rules! row {
    ($kem:ident, $set:ident) => {
        Row {
            kem: &$kem,
            expanded: |seed| {
                libcrux_ml_kem::$set::generate_key_pair(seed)
                    .private_key()
                    .as_slice()
                    .to_vec()
            },
            import: |kem, dk| kem.import_expanded(dk),
        }
    };
}

/// Returns Encaps and Decaps.
pub(crate) fn groups() -> Vec<Group> {
    each(|backend| {
        let mut scenarios = row!(MlKem768, mlkem768).scenarios(backend);
        if backend != Backend::Avx512 {
            scenarios.extend(row!(MlKem512, mlkem512).scenarios(backend));
            scenarios.extend(row!(MlKem1024, mlkem1024).scenarios(backend));
        }
        scenarios
    })
}

pub(crate) fn key_generation() -> Vec<Group> {
    each(|backend| {
        let mut scenarios = vec![key_gen(&MlKem768, backend)];
        if backend != Backend::Avx512 {
            scenarios.push(key_gen(&MlKem512, backend));
            scenarios.push(key_gen(&MlKem1024, backend));
        }
        scenarios
    })
}

/// Makes the group of the back end that the process has chosen.
fn each(scenarios: impl Fn(Backend) -> Vec<Scenario>) -> Vec<Group> {
    let backends: &[_] = match Backend::chosen() {
        Backend::Portable => &[Backend::Portable],
        _ => &[Backend::Avx2, Backend::Avx512],
    };
    backends
        .iter()
        .map(|backend| Group {
            algorithm: "ML-KEM",
            backend: backend.name(),
            available: backend.is_available(),
            scenarios: scenarios(*backend),
        })
        .collect()
}

/// Keys are expanded for the back end of the process.
fn choose(backend: Backend) {
    backend.choose().expect("only what is available runs");
}

fn key_gen<K: Kem>(kem: &'static K, backend: Backend) -> Scenario {
    Scenario {
        name: format!("{} KeyGen, {}", kem.info().name, backend.name()),
        run: Box::new(move |watcher, number| {
            choose(backend);
            let mut seed = bytes::<64>(number);
            watcher.secret(&mut seed);
            watcher.watch(&mut || {
                let sk = kem.deserialize_private_key(&seed).expect("a seed");
                let pk = kem.public_key(&sk).expect("its public key");
                pk.as_ref().to_vec()
            });
        }),
    }
}

fn encaps<K: Kem<Enc = Vec<u8>>>(kem: &'static K, backend: Backend) -> Scenario {
    Scenario {
        name: format!("{} Encaps, {}", kem.info().name, backend.name()),
        run: Box::new(move |watcher, number| {
            choose(backend);
            let (_, pk) = kem.derive_key_pair(&[1; 32]).expect("a key pair");
            let mut randomness = bytes::<32>(number);
            watcher.secret(&mut randomness);
            // One alone, and two together.
            watcher.watch(&mut || {
                let (secret, c) = kem.encap(&pk, &randomness).expect("a ciphertext");
                let two = kem.encap_batch(&pk, &[&randomness[..]; 2]);
                let (_, cs) = two.expect("ciphertexts");
                [secret.as_ref(), &c, &cs[1]].concat()
            });
        }),
    }
}

impl<K: Kem<Enc = Vec<u8>> + 'static> Row<K> {
    fn scenarios(self, backend: Backend) -> Vec<Scenario> {
        vec![
            encaps(self.kem, backend),
            self.decaps("Decaps", false, backend),
            self.decaps("Decaps, rejected", true, backend),
        ]
    }

    fn decaps(&self, operation: &str, reject: bool, backend: Backend) -> Scenario {
        let Self {
            kem,
            expanded,
            import,
        } = *self;
        Scenario {
            name: format!("{} {operation}, {}", kem.info().name, backend.name()),
            run: Box::new(move |watcher, number| {
                choose(backend);
                let mut dk = expanded(bytes(number));
                mark(watcher, &mut dk);
                let sk = import(kem, &dk).expect("a valid key");
                let pk = kem.public_key(&sk).expect("its public key");
                let (_, mut c) = kem
                    .encap(&pk, &bytes::<32>(number.wrapping_add(1)))
                    .expect("a ciphertext");
                c[7] ^= u8::from(reject);
                // One alone, and two of three together.
                watcher.watch(&mut || {
                    let alone = kem.decap(&c, &sk).expect("a ciphertext of this length");
                    let three = kem.decap_batch(&[&c, &c, &c], &sk);
                    let three = three
                        .iter()
                        .map(|secret| secret.as_ref().expect("the same"));
                    let all = three.map(AsRef::as_ref).chain([alone.as_ref()]);
                    all.collect::<Vec<_>>().concat()
                });
            }),
        }
    }
}

/// Marks the secret parts of dk = dk_pke || ek || H(ek) || z, where dk_pke has 384 bytes for each
/// element of a vector, and ek 32 bytes more. Only dk_pke and z are secret.
fn mark(watcher: &dyn Watcher, dk: &mut [u8]) {
    let dk_pke = (dk.len() - 96) / 2;
    let z = dk.len() - 32;
    watcher.secret(&mut dk[..dk_pke]);
    watcher.secret(&mut dk[z..]);
}
