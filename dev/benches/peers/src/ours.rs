//! pqseal-hpke with typed algorithms and keys bound once: with AWS-LC, and on the portable
//! libraries; sealing also with a precomputed sender. Short messages also with X25519 on each other
//! back end of this machine.

use std::{hint::black_box, rc::Rc};

use getrandom::SysRng;
use pqseal_kem_pq::MlKem768X25519;
use pqseal_hpke::{
    Aes128Gcm, ChaCha20Poly1305, HkdfSha256, Kem, Message, Mode, Recipient, Sealed, Sealing,
    Sender, X25519HkdfSha256,
    dhkem::{Dalek, DhKem, Montgomery},
};
use x25519_batch::Backend;

use crate::peer::{Case, Peer, Record, Suite};

static PORTABLE: DhKem<Montgomery<Dalek, 32>, HkdfSha256> = X25519HkdfSha256.on(HkdfSha256);

/// The candidates' names, plain and precomputed.
const AWS_LC: [&str; 2] = ["pqseal", "pqseal, precomputed"];
const PORTABLE_NAMES: [&str; 2] = ["pqseal, portable", "pqseal, portable, precomputed"];

struct Ours<K: Kem + 'static, A: 'static> {
    recipient: Recipient<K, HkdfSha256, A>,
    sender: Sender<'static, K, HkdfSha256, A>,
}

/// Seals a message to a fixed key.
pub(crate) fn record(suite: Suite, message: Vec<u8>) -> Record {
    match suite {
        Suite::X25519ChaCha20 => seal(&X25519HkdfSha256, &ChaCha20Poly1305, suite, message),
        Suite::X25519Aes128 => seal(&X25519HkdfSha256, &Aes128Gcm, suite, message),
        Suite::XWingChaCha20 => seal(&MlKem768X25519, &ChaCha20Poly1305, suite, message),
    }
}

fn seal<K: Kem, A: Sealing>(
    kem: &'static K,
    aead: &'static A,
    suite: Suite,
    message: Vec<u8>,
) -> Record {
    let (sk, pk) = kem.derive_key_pair(&[7; 32]).expect("a key pair");
    let sk = kem
        .serialize_private_key(&sk)
        .expect("its bytes")
        .as_ref()
        .to_vec();
    let of_three = pqseal_hpke::Suite::new(kem, &HkdfSha256, aead);
    let (enc, ct) = of_three
        .seal(&pk, b"", Mode::Base, b"", &message, &mut SysRng)
        .expect("a record");
    Record {
        suite,
        sk,
        pk: pk.as_ref().to_vec(),
        enc: enc.as_ref().to_vec(),
        ct,
        message,
    }
}

pub(crate) fn cases(record: &Record) -> Vec<Case> {
    let chacha = &const { ChaCha20Poly1305.on::<chacha20poly1305::ChaCha20Poly1305>() };
    let aes = &const { Aes128Gcm.on::<aes_gcm::Aes128Gcm>() };
    let hybrid = &const { MlKem768X25519.on::<Montgomery<Dalek, 32>>() };
    let [ours, portables] = match record.suite {
        Suite::X25519ChaCha20 => [
            cases_of(AWS_LC, &X25519HkdfSha256, &ChaCha20Poly1305, record),
            cases_of(PORTABLE_NAMES, &PORTABLE, chacha, record),
        ],
        Suite::X25519Aes128 => [
            cases_of(AWS_LC, &X25519HkdfSha256, &Aes128Gcm, record),
            cases_of(PORTABLE_NAMES, &PORTABLE, aes, record),
        ],
        Suite::XWingChaCha20 => [
            cases_of(AWS_LC, &MlKem768X25519, &ChaCha20Poly1305, record),
            cases_of(PORTABLE_NAMES, hybrid, chacha, record),
        ],
    };
    let others = on_other_back_ends(record);
    ours.into_iter().chain(portables).chain(others).collect()
}

/// A [`Peer`] with X25519 on this back end.
struct On<P> {
    backend: Backend,
    peer: P,
}

impl<P: Peer> Peer for On<P> {
    fn seal(&self, message: &[u8]) {
        on(self.backend, || self.peer.seal(message));
    }

    fn open(&self, enc: &[u8], ct: &[u8]) -> Vec<u8> {
        on(self.backend, || self.peer.open(enc, ct))
    }

    fn set_up(&self, enc: &[u8]) {
        on(self.backend, || self.peer.set_up(enc));
    }
}

/// Runs with X25519 on this back end, and then restores the previous one.
fn on<T>(backend: Backend, run: impl FnOnce() -> T) -> T {
    let before = Backend::chosen();
    backend.choose().expect("this machine has it");
    let result = run();
    before.choose().expect("it was chosen before");
    result
}

/// Lists the other back ends of this machine, with the candidates' names.
fn other_back_ends() -> impl Iterator<Item = (Backend, &'static str)> {
    let others = |backend: &Backend| backend.is_available() && *backend != Backend::chosen();
    let name = |backend: Backend| format!("pqseal, back end {}", backend.name());
    let others = Backend::ALL.iter().copied().filter(others);
    others.map(move |backend| (backend, &*name(backend).leak()))
}

fn on_other_back_ends(record: &Record) -> Vec<Case> {
    if record.message.len() > 150 {
        return vec![];
    }
    match record.suite {
        Suite::X25519ChaCha20 => cases_on(&X25519HkdfSha256, &ChaCha20Poly1305, record),
        Suite::X25519Aes128 => cases_on(&X25519HkdfSha256, &Aes128Gcm, record),
        Suite::XWingChaCha20 => cases_on(&MlKem768X25519, &ChaCha20Poly1305, record),
    }
}

fn cases_on<K: Kem, A: Sealing>(kem: &'static K, aead: &'static A, record: &Record) -> Vec<Case> {
    let cases = |(backend, name)| {
        let peer = on(backend, || Ours::new(kem, aead, record));
        record.cases(name, On { backend, peer })
    };
    other_back_ends().flat_map(cases).collect()
}

/// Returns the cases of a record. A precomputed sender differs only in sealing, and little for long
/// messages. Its precomputation is a separate row.
fn cases_of<K: Kem, A: Sealing>(
    [name, precomputed]: [&'static str; 2],
    kem: &'static K,
    aead: &'static A,
    record: &Record,
) -> Vec<Case> {
    let mut cases = record.cases(name, Ours::new(kem, aead, record));
    if record.message.len() < 1 << 20 {
        let of_precomputed = record.cases(precomputed, Ours::new(kem, aead, record).precompute());
        cases.extend(
            of_precomputed
                .into_iter()
                .filter(|case| case.row.contains(": seal ") && !case.row.ends_with("stream")),
        );
        let pk = kem
            .deserialize_public_key(&record.pk)
            .expect("a public key");
        let precompute = move || kem.precompute(black_box(&mut pk.clone()));
        cases.push(record.case("precompute", precomputed, 1, precompute));
    }
    cases
}

/// Returns the cases of the records in one call, and one by one.
pub(crate) fn batch(records: &[Record]) -> Vec<Case> {
    match records[0].suite {
        Suite::X25519ChaCha20 => batch_of(&X25519HkdfSha256, &ChaCha20Poly1305, records),
        Suite::X25519Aes128 => batch_of(&X25519HkdfSha256, &Aes128Gcm, records),
        Suite::XWingChaCha20 => batch_of(&MlKem768X25519, &ChaCha20Poly1305, records),
    }
}

fn batch_of<K: Kem, A: Sealing>(
    kem: &'static K,
    aead: &'static A,
    records: &[Record],
) -> Vec<Case> {
    let (first, len) = (&records[0], records.len());
    let [ours, precomputed] = [
        Ours::new(kem, aead, first),
        Ours::new(kem, aead, first).precompute(),
    ]
    .map(Rc::new);
    let records: Rc<[Record]> = records.into();
    let [open, seal] = ["open", "seal"].map(|verb| format!("{verb}_batch of {len}"));
    // The first case of each row is the reference for the others.
    let mut cases = vec![
        first.case(&open, "pqseal", len, in_one_call(&ours, &records)),
        first.case(&seal, "pqseal", len, sealed_in_one_call(&ours, &records)),
        first.case(
            &seal,
            "pqseal, precomputed",
            len,
            sealed_in_one_call(&precomputed, &records),
        ),
    ];
    cases.extend(Record::one_by_one("pqseal, one by one", &ours, &records));
    cases.extend(other_back_ends().map(|(backend, name)| {
        let ours = on(backend, || Rc::new(Ours::new(kem, aead, first)));
        let in_one_call = in_one_call(&ours, &records);
        first.case(&open, name, len, move || on(backend, &in_one_call))
    }));
    cases
}

/// Opens all records with one `open_batch`.
fn in_one_call<K: Kem, A: Sealing>(
    ours: &Rc<Ours<K, A>>,
    records: &Rc<[Record]>,
) -> impl Fn() + use<K, A> {
    let (ours, records) = (Rc::clone(ours), Rc::clone(records));
    move || {
        let sealed: Vec<Sealed<'_>> = records
            .iter()
            .map(|r| Sealed {
                enc: &r.enc,
                aad: b"",
                ct: &r.ct,
            })
            .collect();
        assert!(
            black_box(ours.recipient.open_batch(&sealed))
                .iter()
                .all(Result::is_ok)
        );
    }
}

/// Seals all messages with one `seal_batch`.
fn sealed_in_one_call<K: Kem, A: Sealing>(
    ours: &Rc<Ours<K, A>>,
    records: &Rc<[Record]>,
) -> impl Fn() + use<K, A> {
    let (ours, records) = (Rc::clone(ours), Rc::clone(records));
    move || {
        let messages: Vec<Message<'_>> = records
            .iter()
            .map(|record| Message {
                aad: b"",
                pt: &record.message,
            })
            .collect();
        let sealed = ours.sender.seal_batch(&messages, &mut SysRng);
        assert_eq!(black_box(sealed).expect("a batch").len(), records.len());
    }
}

impl<K: Kem, A: Sealing> Ours<K, A> {
    fn new(kem: &'static K, aead: &'static A, record: &Record) -> Self {
        let suite = pqseal_hpke::Suite::new(kem, &HkdfSha256, aead);
        let sk = kem
            .deserialize_private_key(&record.sk)
            .expect("a private key");
        let pk = kem
            .deserialize_public_key(&record.pk)
            .expect("a public key");
        Self {
            recipient: Recipient::new(suite, sk, b"", Mode::Base).expect("a recipient"),
            sender: Sender::new(suite, pk, b"", Mode::Base).expect("a sender"),
        }
    }

    fn precompute(self) -> Self {
        Self {
            sender: self.sender.precompute(),
            ..self
        }
    }
}

impl<K: Kem, A: Sealing> Peer for Ours<K, A> {
    fn seal(&self, message: &[u8]) {
        drop(black_box(self.sender.seal(b"", message, &mut SysRng)));
    }

    fn open(&self, enc: &[u8], ct: &[u8]) -> Vec<u8> {
        self.recipient.open(enc, b"", ct).expect("a message")
    }

    fn set_up(&self, enc: &[u8]) {
        drop(black_box(self.recipient.setup(enc)));
    }

    fn stream(&self) -> Option<Box<dyn FnMut(&mut [u8])>> {
        let (_, mut context) = self.sender.setup(&mut SysRng).expect("a context");
        Some(Box::new(move |message| {
            black_box(context.seal_detached(b"", message).expect("a tag"));
        }))
    }
}
