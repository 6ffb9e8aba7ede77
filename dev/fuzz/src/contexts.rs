//! Contexts compared with a model: a counter on each side, and the messages that were
//! sealed.

use pqseal_hpke::{
    AEADS, Aead, AnyAead, DynKdf, Error, KDFS, Mode, Psk, RecipientContext, SenderContext, Suite,
    SuiteId,
};
use pqseal_keys::KEMS;

use crate::samples::{Counter, Input, PAIRS, Pair, everything};

/// Reads a suite, a mode, and calls of a sender and a recipient.
pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let quick: Vec<_> = PAIRS.iter().filter(|pair| is_quick(pair)).collect();
    let pair = quick[input.below(quick.len())];
    let (kdf, aead) = (
        KDFS[input.below(KDFS.len())].info().id,
        AEADS[input.below(AEADS.len())].info().id,
    );
    let id = SuiteId::new(pair.kem.info().id, kdf, aead);
    let suite = Suite::from_id(KEMS, id, &everything()).expect("a suite that is here");
    let (psk, info) = (input.array::<32>(), input.short());
    let with_psk = input.byte() & 1 == 1;
    let psk = Psk::new(&psk, b"name").expect("a PSK of 32 bytes");
    let sender_mode = if with_psk { Mode::Psk(psk) } else { Mode::Base };
    let recipient_mode = if with_psk { Mode::Psk(psk) } else { Mode::Base };
    let (enc, sender) = suite
        .setup_s(&pair.public, info, sender_mode, &mut Counter(1))
        .expect("a valid key");
    let recipient = suite
        .setup_r(&enc, &pair.private, info, recipient_mode)
        .expect("what the sender sent");
    let mut model = Model {
        sender,
        recipient,
        can_seal: !matches!(suite.aead(), AnyAead::ExportOnly(_)),
        sealed: Vec::new(),
        opened: 0,
    };
    while !input.is_empty() {
        model.call(&mut input);
    }
}

/// Reports whether the KEM is fast. Setting up BIKE takes a hundred times as long.
fn is_quick(pair: &Pair) -> bool {
    !pair.kem.info().short_name.contains("bike")
}

struct Model {
    sender: SenderContext<DynKdf, AnyAead>,
    recipient: RecipientContext<DynKdf, AnyAead>,
    can_seal: bool,
    sealed: Vec<Message>,
    opened: usize,
}

struct Message {
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
}

impl Model {
    fn call(&mut self, input: &mut Input<'_>) {
        match input.below(6) {
            0 | 1 => self.seal(input),
            2 => self.open(),
            3 => self.open_altered(input),
            4 => self.open_at(input),
            _ => self.export(input),
        }
        assert_eq!(self.sender.sequence(), self.sealed.len() as u64);
        assert_eq!(self.recipient.sequence(), self.opened as u64);
    }

    fn seal(&mut self, input: &mut Input<'_>) {
        let (aad, plaintext) = (input.short().to_vec(), input.short().to_vec());
        let sealed = self.sender.seal(&aad, &plaintext);
        if !self.can_seal {
            return assert_eq!(sealed, Err(Error::ExportOnly));
        }
        let ciphertext = sealed.expect("far below the limit");
        assert_eq!(ciphertext.len(), plaintext.len() + 16);
        self.sealed.push(Message {
            aad,
            plaintext,
            ciphertext,
        });
    }

    fn open(&mut self) {
        match self.sealed.get(self.opened) {
            Some(message) => {
                let opened = self.recipient.open(&message.aad, &message.ciphertext);
                assert_eq!(opened.as_ref(), Ok(&message.plaintext));
                self.opened += 1;
            }
            None => {
                let error = if self.can_seal {
                    Error::Open
                } else {
                    Error::ExportOnly
                };
                assert_eq!(self.recipient.open(b"", &[0; 16]), Err(error));
            }
        }
    }

    /// Checks that a message other than the next, or the next with a change, does not
    /// open.
    fn open_altered(&mut self, input: &mut Input<'_>) {
        if self.sealed.is_empty() {
            return;
        }
        let number = input.below(self.sealed.len());
        let message = &self.sealed[number];
        let (mut aad, mut ciphertext) = (message.aad.clone(), message.ciphertext.clone());
        match input.byte() {
            0 if number != self.opened => {}
            1 => aad.push(0),
            2 => ciphertext.truncate(input.below(ciphertext.len())),
            3 => ciphertext.push(input.byte()),
            place => {
                let len = ciphertext.len();
                ciphertext[usize::from(place) % len] ^= 1 << input.below(8);
            }
        }
        assert_eq!(self.recipient.open(&aad, &ciphertext), Err(Error::Open));
    }

    /// Checks that messages open in any order and any number of times, and only at their
    /// own place.
    fn open_at(&mut self, input: &mut Input<'_>) {
        if self.sealed.is_empty() {
            return;
        }
        let number = input.below(self.sealed.len());
        let place = input.below(self.sealed.len() + 1);
        let Message {
            aad,
            plaintext,
            ciphertext,
        } = &self.sealed[number];
        let opened = self.recipient.open_at(place as u64, aad, ciphertext);
        match place == number {
            true => assert_eq!(opened.as_ref(), Ok(plaintext)),
            false => assert_eq!(opened, Err(Error::Open)),
        }
    }

    fn export(&self, input: &mut Input<'_>) {
        let (len, context) = (input.byte().into(), input.short());
        let ours = self.sender.export(context, len).expect("below every limit");
        let theirs = self
            .recipient
            .export(context, len)
            .expect("below every limit");
        assert_eq!(ours.as_ref().len(), len);
        assert_eq!(ours.as_ref(), theirs.as_ref());
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let setups = (0..).zip(&*PAIRS).map(|(number, _)| {
        let psk = [&[number, number, number][..], &[5; 32], &[2, 1, 2, number]].concat();
        let calls = [
            0, 1, 65, 2, 66, 67, 2, 4, 0, 0, 3, 0, 5, 1, 0, 0, 5, 32, 1, 9, 2,
        ];
        [psk, calls.to_vec()].concat()
    });
    setups.collect()
}
