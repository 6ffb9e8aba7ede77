//! ML-KEM (libcrux): Decaps, of an honest ciphertext and of one that is rejected. KeyGen and Encaps
//! draw the public matrix from a seed by rejection, which takes a path by what is public.

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

/// By the back end that the process has chosen.
pub(crate) fn group() -> Group {
    let backend = if Backend::chosen() == Backend::Portable {
        "portable"
    } else {
        "avx2"
    };
    let mut scenarios = row!(MlKem512, mlkem512).scenarios(backend);
    scenarios.extend(row!(MlKem768, mlkem768).scenarios(backend));
    scenarios.extend(row!(MlKem1024, mlkem1024).scenarios(backend));
    Group {
        algorithm: "ML-KEM",
        backend,
        available: true,
        scenarios,
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
