//! One suite in one mode, with the keys and inputs of a conversation.

use std::{fmt, sync::LazyLock, thread};

use pqseal_hpke::{
    AEADS, Aead, AnyAead, AnyPrivateKey, AnyPublicKey, DynKdf, DynKem, KDFS, Kems, Mode, Psk,
    RecipientContext, SenderContext, Suite,
};

use crate::common::Replay;

/// The registries under test. Another one joins here.
pub(crate) const REGISTRIES: &Kems = &[pqseal_hpke::KEMS, pqseal_kem_pq::KEMS];
pub(crate) const EXPORT_ONLY: u16 = 0xFFFF;
pub(crate) const INFO: &[u8] = b"interface test";

pub(crate) type KeyPair = (AnyPrivateKey, AnyPublicKey);

/// The keys of one KEM, derived once: the portable P-521 is slow.
pub(crate) struct Party {
    pub(crate) kem: &'static DynKem,
    pub(crate) recipient: KeyPair,
    pub(crate) sender: KeyPair,
    pub(crate) stranger: KeyPair,
}

pub(crate) static PARTIES: LazyLock<Vec<Party>> = LazyLock::new(|| {
    REGISTRIES
        .iter()
        .copied()
        .flatten()
        .map(|kem| Party::new(*kem))
        .collect()
});

impl Party {
    fn new(kem: &'static DynKem) -> Self {
        let pair = |byte| kem.derive_key_pair(&[byte; 66]).unwrap();
        Self {
            kem,
            recipient: pair(1),
            sender: pair(2),
            stranger: pair(3),
        }
    }

    /// Bytes for one encapsulation. Another `seed` gives another encapsulated key.
    pub(crate) fn randomness(&self, seed: u8) -> Vec<u8> {
        vec![seed; self.kem.info().n_random]
    }
}

pub(crate) struct Case {
    pub(crate) suite: Suite,
    pub(crate) mode: u8,
    pub(crate) party: &'static Party,
}

impl Case {
    pub(crate) fn psk() -> Psk<'static> {
        Psk::new(&[0x5a; 32], b"the shared one").unwrap()
    }

    pub(crate) fn seals(&self) -> bool {
        self.suite.id().aead != EXPORT_ONLY
    }

    pub(crate) fn sender_mode(&self) -> Mode<'static, AnyPrivateKey> {
        mode(self.mode, &self.party.sender.0, Self::psk())
    }

    pub(crate) fn recipient_mode(&self) -> Mode<'static, AnyPublicKey> {
        mode(self.mode, &self.party.sender.1, Self::psk())
    }

    /// A sender's context with its encapsulated key.
    pub(crate) fn send(&self) -> (Vec<u8>, SenderContext<DynKdf, AnyAead>) {
        let randomness = self.party.randomness(9);
        self.suite
            .setup_s(
                &self.party.recipient.1,
                INFO,
                self.sender_mode(),
                &mut Replay(&randomness),
            )
            .unwrap()
    }

    pub(crate) fn receive(&self, enc: &[u8]) -> RecipientContext<DynKdf, AnyAead> {
        self.suite
            .setup_r(enc, &self.party.recipient.0, INFO, self.recipient_mode())
            .unwrap()
    }

    /// Sets up both sides of a context.
    pub(crate) fn setup(
        &self,
    ) -> (
        SenderContext<DynKdf, AnyAead>,
        RecipientContext<DynKdf, AnyAead>,
    ) {
        let (enc, sender) = self.send();
        (sender, self.receive(&enc))
    }
}

pub(crate) fn mode<'a, Key>(id: u8, key: &'a Key, psk: Psk<'a>) -> Mode<'a, Key> {
    [
        Mode::Base,
        Mode::Psk(psk),
        Mode::Auth(key),
        Mode::AuthPsk(key, psk),
    ][usize::from(id)]
}

/// Runs `body` on every suite of the registries and every mode it has.
pub(crate) fn every_case(body: impl Fn(&Case)) {
    let mut count = 0;
    for party in PARTIES.iter() {
        for (kdf, aead) in KDFS
            .iter()
            .flat_map(|kdf| AEADS.iter().map(move |aead| (*kdf, aead)))
        {
            for mode in 0..if party.kem.info().auth { 4 } else { 2 } {
                body(&Case {
                    suite: Suite::new(party.kem, kdf, aead),
                    mode,
                    party,
                });
                count += 1;
            }
        }
    }
    assert!(
        count >= 7 * 4 * (5 * 4 + 7 * 2),
        "{count} cases; five KEMs with all modes and seven with two have 952"
    );
}

/// Runs `body` on every case whose AEAD seals.
pub(crate) fn every_sealing_case(body: impl Fn(&Case)) {
    every_case(|case| {
        if case.seals() {
            body(case);
        }
    });
}

/// The cases of one suite per KEM, for what costs much and does not depend on KDF and AEAD.
pub(crate) fn every_kem(body: impl Fn(&Case)) {
    every_case(|case| {
        if (case.suite.id().kdf, case.suite.id().aead) == (KDFS[0].info().id, AEADS[0].info().id) {
            body(case);
        }
    });
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, mode {}", self.suite, self.mode)
    }
}

/// Prints which case failed.
impl Drop for Case {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the case was {self:?}");
        }
    }
}
