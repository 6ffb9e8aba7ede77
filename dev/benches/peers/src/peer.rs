//! The operations and the implementations that are measured. Each implementation is a [`Peer`].

use std::{hint::black_box, rc::Rc};

/// An implementation with its keys parsed.
pub(crate) trait Peer: 'static {
    /// Seals a message under a fresh encapsulated key, and drops the result.
    fn seal(&self, message: &[u8]);
    /// Returns the message of a record; `enc` is parsed each time.
    fn open(&self, enc: &[u8], ct: &[u8]) -> Vec<u8>;
    /// Sets up the recipient's context, and drops it.
    fn set_up(&self, enc: &[u8]);
    /// Returns a function that seals consecutive messages in place under one encapsulated key, if
    /// the implementation has one.
    fn stream(&self) -> Option<Box<dyn FnMut(&mut [u8])>> {
        None
    }
}

/// One operation of one candidate.
pub(crate) struct Case {
    pub(crate) row: String,
    pub(crate) candidate: &'static str,
    /// The number of records that one run opens.
    pub(crate) records: usize,
    pub(crate) run: Box<dyn FnMut()>,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Suite {
    X25519ChaCha20,
    X25519Aes128,
    XWingChaCha20,
}

/// The record that every candidate opens, and its keys. Info and aad are empty.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) suite: Suite,
    pub(crate) sk: Vec<u8>,
    pub(crate) pk: Vec<u8>,
    pub(crate) enc: Vec<u8>,
    pub(crate) ct: Vec<u8>,
    pub(crate) message: Vec<u8>,
}

impl Suite {
    pub(crate) const ALL: [Self; 3] = [
        Self::X25519ChaCha20,
        Self::X25519Aes128,
        Self::XWingChaCha20,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::X25519ChaCha20 => "X25519, ChaCha20-Poly1305",
            Self::X25519Aes128 => "X25519, AES-128-GCM",
            Self::XWingChaCha20 => "X-Wing, ChaCha20-Poly1305",
        }
    }
}

impl Record {
    /// Returns all cases of `peer` with this record, which it first opens.
    pub(crate) fn cases(&self, candidate: &'static str, peer: impl Peer) -> Vec<Case> {
        let (seals, stream) = (Rc::new(peer), self.message.clone());
        assert_eq!(seals.open(&self.enc, &self.ct), self.message, "{candidate}");
        let (opens, sets_up, stream_of) = (Rc::clone(&seals), Rc::clone(&seals), seals.stream());
        let (message, enc, ct, set_up_enc) = (
            self.message.clone(),
            self.enc.clone(),
            self.ct.clone(),
            self.enc.clone(),
        );
        let size = size(message.len());
        let mut cases = vec![
            self.case(&format!("seal {size}"), candidate, 1, move || {
                seals.seal(black_box(&message))
            }),
            self.case(&format!("open {size}"), candidate, 1, move || {
                drop(black_box(opens.open(black_box(&enc), &ct)))
            }),
            self.case("set-up", candidate, 1, move || {
                sets_up.set_up(black_box(&set_up_enc))
            }),
        ];
        if let (Some(mut seal), mut message) = (stream_of, stream) {
            let run = move || seal(black_box(&mut message));
            cases.push(self.case(&format!("seal {size} in a stream"), candidate, 1, run));
        }
        cases
    }

    /// Returns the cases of a batch one by one: its records are opened, and its messages sealed.
    pub(crate) fn one_by_one(
        candidate: &'static str,
        peer: &Rc<impl Peer>,
        records: &Rc<[Self]>,
    ) -> Vec<Case> {
        let (opens, seals) = (Rc::clone(peer), Rc::clone(peer));
        let (sealed, plain) = (Rc::clone(records), Rc::clone(records));
        let (first, len) = (&records[0], records.len());
        let open = move || {
            for record in &*sealed {
                drop(black_box(opens.open(&record.enc, &record.ct)));
            }
        };
        let seal = move || plain.iter().for_each(|record| seals.seal(&record.message));
        vec![
            first.case(&format!("open_batch of {len}"), candidate, len, open),
            first.case(&format!("seal_batch of {len}"), candidate, len, seal),
        ]
    }

    /// Makes a case that prints the time of one of its `records`.
    pub(crate) fn case(
        &self,
        operation: &str,
        candidate: &'static str,
        records: usize,
        run: impl FnMut() + 'static,
    ) -> Case {
        Case {
            row: format!("{}: {operation}", self.suite.name()),
            candidate,
            records,
            run: Box::new(run),
        }
    }
}

fn size(len: usize) -> String {
    match len {
        0..1024 => format!("{len} B"),
        1024..0x10_0000 => format!("{} KiB", len / 1024),
        _ => format!("{} MiB", len / 0x10_0000),
    }
}
