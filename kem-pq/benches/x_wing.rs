//! Messages of 150 bytes to and from X-Wing, one by one and in batches of 64, and parsing of its
//! keys. Prints the microseconds of each, the lower quartile over slices. `PQSEAL_BACKEND` chooses
//! the back end of ML-KEM; X25519 keeps its own default.
//!
//! Compare builds in turn, over several processes: `cargo bench -p pqseal-kem-pq --bench x_wing`.

use std::hint::black_box;
use std::time::Instant;

use getrandom::SysRng;
use pqseal_hpke::{
    ChaCha20Poly1305, HkdfSha256, Kem, Message, Mode, Recipient, Sealed, Sender, Suite,
};
use pqseal_kem_pq::{Backend, MlKem768, MlKem768X25519};

const BATCH: usize = 64;
const ROUNDS: usize = 201;

fn main() {
    if let Ok(name) = std::env::var("PQSEAL_BACKEND") {
        let backend = Backend::from_name(&name).expect("the name of a back end");
        backend.choose().expect("one that this machine has");
    }
    let started = Instant::now();
    let seed = [7; 32];
    let sk = MlKem768X25519
        .deserialize_private_key(&seed)
        .expect("32 bytes");
    println!("first key\t{:.2}", started.elapsed().as_secs_f64() * 1e6);
    let pk = MlKem768X25519.public_key(&sk).expect("it has one");
    let pk_bytes = pk.as_ref().to_vec();
    let suite = Suite::new(&MlKem768X25519, &HkdfSha256, &ChaCha20Poly1305);
    let sender = Sender::new(suite, pk, b"", Mode::Base).expect("base mode");
    let recipient = Recipient::new(suite, sk, b"", Mode::Base).expect("base mode");
    let text = [0x61; 150];
    let messages = [Message {
        aad: b"",
        pt: &text,
    }; BATCH];
    let records = sender.seal_batch(&messages, &mut SysRng).expect("sealed");
    let sealed: Vec<_> = records
        .iter()
        .map(|(enc, ct)| Sealed { enc, aad: b"", ct })
        .collect();
    let (enc, ct) = &records[0];
    let (pq, _) = MlKem768.derive_key_pair(&[1; 64]).expect("a key pair");
    let pq_public = MlKem768.public_key(&pq).expect("it has one");
    let (_, pq_enc) = MlKem768.encap(&pq_public, &[2; 32]).expect("32 bytes");
    let cases = [
        Case::new("open", 1, || keep(recipient.open(enc, b"", ct))),
        Case::new("seal", 1, || keep(sender.seal(b"", &text, &mut SysRng))),
        Case::new("open_batch of 64", BATCH, || {
            keep(recipient.open_batch(&sealed));
        }),
        Case::new("seal_batch of 64", BATCH, || {
            keep(sender.seal_batch(&messages, &mut SysRng));
        }),
        Case::new("private key parsed", 1, || {
            keep(MlKem768X25519.deserialize_private_key(&seed));
        }),
        Case::new("public key parsed", 1, || {
            keep(MlKem768X25519.deserialize_public_key(&pk_bytes));
        }),
        Case::new("ML-KEM-768 decap", 1, || keep(MlKem768.decap(&pq_enc, &pq))),
        Case::new("ML-KEM-768 encap", 1, || {
            keep(MlKem768.encap(&pq_public, &[2; 32]));
        }),
        Case::new("ML-KEM-768 key from seed", 1, || {
            keep(MlKem768.deserialize_private_key(&[3; 64]));
        }),
    ];
    measure(cases);
}

/// An operation that is measured.
struct Case<'c> {
    name: &'static str,
    /// The messages of one call.
    messages: usize,
    run: Box<dyn FnMut() + 'c>,
    /// Microseconds per message, one for each round.
    samples: Vec<f64>,
}

impl<'c> Case<'c> {
    fn new(name: &'static str, messages: usize, run: impl FnMut() + 'c) -> Self {
        Self {
            name,
            messages,
            run: Box::new(run),
            samples: Vec::new(),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn sample(&mut self) {
        let calls = (16 / self.messages).max(1);
        let start = Instant::now();
        (0..calls).for_each(|_| (self.run)());
        let each = start.elapsed().as_secs_f64() * 1e6 / (calls * self.messages) as f64;
        self.samples.push(each);
    }
}

/// Runs the cases by turns, once each unless it is called by `cargo bench`, and prints them.
fn measure(mut cases: [Case<'_>; 9]) {
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    for _ in 0..if is_bench { ROUNDS } else { 1 } {
        cases.iter_mut().for_each(Case::sample);
    }
    for Case { name, samples, .. } in &mut cases {
        samples.sort_by(f64::total_cmp);
        println!("{name}\t{:.2}", samples[samples.len() / 4]);
    }
}

fn keep<T>(result: T) {
    let _ = black_box(result);
}
