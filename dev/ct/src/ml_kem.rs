//! ML-KEM (libcrux, and ml-kem-768 with AVX2): Encaps, Decaps of an honest ciphertext and of one that is rejected, and KeyGen.

use hpke::{Error, Kem};
use kem_pq::{Backend, MlKem512, MlKem768, MlKem1024};

use crate::{Group, Scenario, Watcher, bytes};

/// A parameter set: an expanded private key from its seed, and how it is read.
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

/// Encaps and Decaps.
pub(crate) fn group() -> Group {
    of_each(|backend| {
        let mut scenarios = row!(MlKem512, mlkem512).scenarios(backend);
        scenarios.extend(row!(MlKem768, mlkem768).scenarios(backend));
        scenarios.extend(row!(MlKem1024, mlkem1024).scenarios(backend));
        scenarios
    })
}

pub(crate) fn key_generation() -> Group {
    of_each(|backend| {
        vec![
            key_gen(&MlKem512, backend),
            key_gen(&MlKem768, backend),
            key_gen(&MlKem1024, backend),
        ]
    })
}

/// By the back end that the process has chosen.
fn of_each(scenarios: impl Fn(&str) -> Vec<Scenario>) -> Group {
    let backend = if Backend::chosen() == Backend::Portable {
        "portable"
    } else {
        "avx2"
    };
    Group {
        algorithm: "ML-KEM",
        backend,
        available: true,
        scenarios: scenarios(backend),
    }
}

fn key_gen<K: Kem>(kem: &'static K, backend: &str) -> Scenario {
    Scenario {
        name: format!("{} KeyGen, {backend}", kem.info().name),
        run: Box::new(move |watcher, number| {
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

fn encaps<K: Kem<Enc = Vec<u8>>>(kem: &'static K, backend: &str) -> Scenario {
    Scenario {
        name: format!("{} Encaps, {backend}", kem.info().name),
        run: Box::new(move |watcher, number| {
            let (_, pk) = kem.derive_key_pair(&[1; 32]).expect("a key pair");
            let mut randomness = bytes::<32>(number);
            watcher.secret(&mut randomness);
            watcher.watch(&mut || {
                let (secret, c) = kem.encap(&pk, &randomness).expect("a ciphertext");
                [secret.as_ref(), &c].concat()
            });
        }),
    }
}

impl<K: Kem<Enc = Vec<u8>> + 'static> Row<K> {
    fn scenarios(self, backend: &str) -> Vec<Scenario> {
        let Self {
            kem,
            expanded,
            import,
        } = self;
        let scenario = |operation: &str, reject: bool| Scenario {
            name: format!("{} {operation}, {backend}", kem.info().name),
            run: Box::new(move |watcher, number| {
                let mut dk = expanded(bytes(number));
                mark(watcher, &mut dk);
                let sk = import(kem, &dk).expect("a valid key");
                let pk = kem.public_key(&sk).expect("its public key");
                let (_, mut c) = kem
                    .encap(&pk, &bytes::<32>(number.wrapping_add(1)))
                    .expect("a ciphertext");
                c[7] ^= u8::from(reject);
                watcher.watch(&mut || {
                    kem.decap(&c, &sk)
                        .expect("a ciphertext of this length")
                        .as_ref()
                        .to_vec()
                });
            }),
        };
        vec![
            encaps(kem, backend),
            scenario("Decaps", false),
            scenario("Decaps, rejected", true),
        ]
    }
}

/// dk = dk_pke || ek || H(ek) || z, where ek is dk_pke, 384 bytes for each element of a vector, and
/// 32 bytes. The first and the last are secret.
fn mark(watcher: &dyn Watcher, dk: &mut [u8]) {
    let dk_pke = (dk.len() - 96) / 2;
    let z = dk.len() - 32;
    watcher.secret(&mut dk[..dk_pke]);
    watcher.secret(&mut dk[z..]);
}
