//! Our crates with every live peer: in each suite and mode that both support, each side opens the
//! other's messages, and neither opens an altered one. A missing peer is a failure.

mod ours;

use std::collections::BTreeMap;

use interop::{Export, Opening, Peer, PeerSuite, Received, Sealing, Sent, Setup};
use ours::{Keys, REGISTRIES};
use pqseal_hpke::{Policy, Suite};

/// Key material of the size of the longest private key, which npm hpke requires.
const IKM: [u8; 66] = [7; 66];
const MESSAGES: [(&[u8], &[u8]); 3] = [(b"aad", b"first"), (b"", b""), (b"more aad", &[0xbb; 300])];
const EXPORTS: [Export<'static>; 2] = [
    Export {
        context: b"",
        length: 32,
    },
    Export {
        context: b"context",
        length: 77,
    },
];
const EXPORT_ONLY: u16 = 0xFFFF;
const PSK: (&[u8], &[u8]) = (&[0xab; 32], b"psk id");

/// The counts of what was tried with a peer.
#[derive(Debug, Default)]
struct Tried {
    derived: usize,
    suites: usize,
    conversations: usize,
}

/// Nine KEMs, five KDFs, four AEADs, base mode.
#[test]
fn go() {
    let tried = agree(Peer::go());
    assert!(
        tried.derived >= 9 && tried.suites >= 180 && tried.conversations >= 180,
        "{tried:?}"
    );
}

/// Eight KEMs, five KDFs, three AEADs, base mode; no DeriveKeyPair.
#[test]
fn python() {
    let tried = agree(Peer::python());
    assert!(
        tried.suites >= 120 && tried.conversations >= 120,
        "{tried:?}"
    );
}

/// Eleven KEMs, seven KDFs, four AEADs, base and psk modes.
#[test]
fn node() {
    let tried = agree(Peer::node());
    assert!(
        tried.derived >= 11 && tried.suites >= 308 && tried.conversations >= 616,
        "{tried:?}"
    );
}

fn agree(mut peer: Peer) -> Tried {
    let mut tried = Tried::default();
    let mut keys = BTreeMap::new();
    for theirs in peer.suites.clone() {
        let Ok(suite) = Suite::from_id(REGISTRIES, theirs.id(), &Policy::draft()) else {
            continue;
        };
        let keys = keys.entry(theirs.id().kem).or_insert_with(|| {
            let keys = Keys::derive(suite.kem(), &IKM);
            assert_eq!(
                peer.public(theirs.id().kem, &keys.sk).as_ref(),
                Ok(&keys.pk),
                "{suite:?}: public keys differ"
            );
            tried.derived += usize::from(derives_the_same(&mut peer, theirs.id().kem, &keys));
            keys
        });
        for mode in theirs.modes.iter().copied() {
            let conversation = Conversation {
                suite,
                keys,
                setup: setup(&theirs, mode),
                messages: messages(&theirs),
            };
            conversation.they_seal(&mut peer);
            conversation.we_seal(&mut peer);
            tried.conversations += 1;
        }
        tried.suites += 1;
    }
    println!("{}: {tried:?}", peer.name);
    tried
}

/// Reports whether the peer supports DeriveKeyPair; if so, its public key must be ours.
fn derives_the_same(peer: &mut Peer, kem: u16, keys: &Keys) -> bool {
    let theirs = peer.derive(kem, &IKM);
    assert!(
        theirs.as_ref().is_ok_and(|pk| pk == &keys.pk) || theirs.is_err(),
        "KEM {kem:#06x}: derived keys differ"
    );
    theirs.is_ok()
}

fn setup(theirs: &PeerSuite, mode: u8) -> Setup<'static> {
    let exports = if theirs.export { &EXPORTS[..] } else { &[] };
    Setup {
        suite: theirs.id(),
        mode,
        info: b"interop",
        psk: PSK,
        exports,
    }
}

fn messages(theirs: &PeerSuite) -> &'static [(&'static [u8], &'static [u8])] {
    match theirs {
        suite if suite.id().aead == EXPORT_ONLY => &[],
        suite if suite.single_shot => &MESSAGES[..1],
        _ => &MESSAGES,
    }
}

/// A suite in a mode.
struct Conversation<'a> {
    suite: Suite,
    keys: &'a Keys,
    setup: Setup<'static>,
    messages: &'static [(&'static [u8], &'static [u8])],
}

impl Conversation<'_> {
    fn they_seal(&self, peer: &mut Peer) {
        let request = Sealing {
            setup: self.setup,
            pk: &self.keys.pk,
            messages: self.messages.to_vec(),
        };
        let sent = peer
            .seal(&request)
            .unwrap_or_else(|error| panic!("{self:?}: they do not seal: {error}"));
        let opening = self.opening(&sent.enc, &sent.cts);
        let received = ours::open(self.suite, &opening);
        let received = received.unwrap_or_else(|error| panic!("{self:?}: we do not open: {error}"));
        assert_eq!(received.pts, self.plaintexts(), "{self:?}");
        assert_eq!(received.exports, sent.exports, "{self:?}");
        self.no_alteration_is_taken(&opening, |altered| {
            ours::open(self.suite, altered).is_ok_and(|received| is_taken(&received, &sent))
        });
    }

    fn we_seal(&self, peer: &mut Peer) {
        let request = Sealing {
            setup: self.setup,
            pk: &self.keys.pk,
            messages: self.messages.to_vec(),
        };
        let sent = ours::seal(self.suite, &request);
        let opening = self.opening(&sent.enc, &sent.cts);
        let received = peer
            .open(&opening)
            .unwrap_or_else(|error| panic!("{self:?}: they do not open: {error}"));
        assert_eq!(received.pts, self.plaintexts(), "{self:?}");
        assert_eq!(received.exports, sent.exports, "{self:?}");
        self.no_alteration_is_taken(&opening, |altered| {
            peer.open(altered)
                .is_ok_and(|received| is_taken(&received, &sent))
        });
    }

    fn opening<'a>(&'a self, enc: &'a [u8], cts: &'a [Vec<u8>]) -> Opening<'a> {
        let messages = self
            .messages
            .iter()
            .zip(cts)
            .map(|((aad, _), ct)| (*aad, &ct[..]))
            .collect();
        Opening {
            setup: self.setup,
            sk: &self.keys.sk,
            enc,
            messages,
        }
    }

    fn no_alteration_is_taken(
        &self,
        opening: &Opening<'_>,
        mut takes: impl FnMut(&Opening<'_>) -> bool,
    ) {
        let other_info = Setup {
            info: b"interoq",
            ..opening.setup
        };
        assert!(
            !takes(&Opening {
                setup: other_info,
                ..opening.clone()
            }),
            "{self:?}: altered info is taken"
        );
        let Some((aad, ct)) = opening.messages.first() else {
            return;
        };
        let mut flipped = ct.to_vec();
        flipped[0] ^= 1;
        for message in [(*aad, &flipped[..]), (b"other aad", ct)] {
            let mut messages = opening.messages.clone();
            messages[0] = message;
            assert!(
                !takes(&Opening {
                    messages,
                    ..opening.clone()
                }),
                "{self:?}: an altered message is taken"
            );
        }
    }

    fn plaintexts(&self) -> Vec<&'static [u8]> {
        self.messages.iter().map(|(_, pt)| *pt).collect()
    }
}

/// Reports whether a received message was accepted. Without messages, as in an export-only suite,
/// an altered one must export something else.
fn is_taken(received: &Received, sent: &Sent) -> bool {
    !received.pts.is_empty() || received.exports == sent.exports
}

impl std::fmt::Debug for Conversation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}, mode {}", self.suite, self.setup.mode)
    }
}
