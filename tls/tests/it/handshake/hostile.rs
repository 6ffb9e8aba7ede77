//! Peers that send bad key shares: the handshake ends with an error, and the alert is
//! `illegal_parameter`.

use pqseal_tls::groups;
use rustls::{
    AlertDescription, Error, NamedGroup, PeerMisbehaved,
    crypto::{ActiveKeyExchange, CompletedKeyExchange, SharedSecret, SupportedKxGroup},
    ffdhe_groups::FfdheGroup,
};

use super::memory::{Identity, Pair};

/// A group whose shares are changed before they are sent.
#[derive(Debug)]
pub(crate) struct Bad {
    group: &'static pqseal_tls::HybridGroup,
    change: fn(&mut Vec<u8>),
}

struct BadExchange(Box<dyn ActiveKeyExchange>, Vec<u8>);

impl SupportedKxGroup for Bad {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let started = SupportedKxGroup::start(self.group)?;
        let mut share = started.pub_key().to_vec();
        (self.change)(&mut share);
        Ok(Box::new(BadExchange(started, share)))
    }

    fn start_and_complete(&self, client: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let mut answer = self.group.start_and_complete(client)?;
        (self.change)(&mut answer.pub_key);
        Ok(answer)
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        self.group.id().into()
    }
}

impl ActiveKeyExchange for BadExchange {
    fn complete(self: Box<Self>, server: &[u8]) -> Result<SharedSecret, Error> {
        self.0.complete(server)
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn pub_key(&self) -> &[u8] {
        &self.1
    }

    fn group(&self) -> NamedGroup {
        self.0.group()
    }
}

pub(crate) static SHORT: Bad = Bad {
    group: &groups::X25519MLKEM768,
    change: |share| share.truncate(share.len() - 1),
};
static LONG: Bad = Bad {
    group: &groups::SECP256R1MLKEM768,
    change: |share| share.push(0),
};
pub(crate) static LOW_ORDER: Bad = Bad {
    group: &groups::X25519MLKEM768,
    change: |share| share.iter_mut().rev().take(32).for_each(|byte| *byte = 0),
};
static OFF_CURVE: Bad = Bad {
    group: &groups::SECP384R1MLKEM1024,
    change: |share| share[40] ^= 1,
};
static BIKE_SPARE_BIT: Bad = Bad {
    group: &groups::X25519_BIKEL1,
    change: |share| share[32 + 1540] |= 0x80,
};
/// Bytes 0 to 2 are two coefficients of the encapsulation key; a ciphertext has none.
pub(crate) static NOT_CANONICAL: Bad = Bad {
    group: &groups::X25519MLKEM768,
    change: |share| share[..3].fill(0xff),
};

/// X25519's half first, as nobody else sends it.
pub(crate) static SWAPPED: Bad = Bad {
    group: &groups::X25519MLKEM768,
    change: |share| share.rotate_right(32),
};

fn invalid_share() -> Error {
    PeerMisbehaved::InvalidKeyShare.into()
}

#[test]
fn a_server_refuses_a_bad_client_share() {
    for bad in [
        &SHORT,
        &LONG,
        &LOW_ORDER,
        &OFF_CURVE,
        &BIKE_SPARE_BIT,
        &NOT_CANONICAL,
    ] {
        let identity = Identity::get();
        let mut pair = Pair::new(&identity.client(&[bad]), &identity.server(&[bad.group]));
        let mut hello = Vec::new();
        pair.client.write_tls(&mut hello).unwrap();
        pair.server.read_tls(&mut &hello[..]).unwrap();
        assert_eq!(
            pair.server.process_new_packets().unwrap_err(),
            invalid_share()
        );
        let mut alert = Vec::new();
        pair.server.write_tls(&mut alert).unwrap();
        pair.client.read_tls(&mut &alert[..]).unwrap();
        assert_eq!(
            pair.client.process_new_packets().unwrap_err(),
            Error::AlertReceived(AlertDescription::IllegalParameter)
        );
    }
}

#[test]
fn a_client_refuses_a_bad_server_share() {
    for bad in [&SHORT, &LONG, &LOW_ORDER, &OFF_CURVE, &BIKE_SPARE_BIT] {
        let identity = Identity::get();
        let mut pair = Pair::new(&identity.client(&[bad.group]), &identity.server(&[bad]));
        let (mut hello, mut answer, mut alert) = (Vec::new(), Vec::new(), Vec::new());
        pair.client.write_tls(&mut hello).unwrap();
        pair.server.read_tls(&mut &hello[..]).unwrap();
        pair.server.process_new_packets().unwrap();
        pair.server.write_tls(&mut answer).unwrap();
        pair.client.read_tls(&mut &answer[..]).unwrap();
        let refused = pair.client.process_new_packets().unwrap_err();
        assert_eq!(refused, invalid_share());
        pair.client.write_tls(&mut alert).unwrap();
        // Fatal, and in the clear: there are no keys.
        let illegal_parameter = AlertDescription::IllegalParameter.into();
        assert_eq!(alert, [21, 3, 3, 0, 2, 2, illegal_parameter]);
    }
}

/// The secrets then differ (implicit rejection), and the first encrypted record does not decrypt.
#[test]
fn an_altered_ciphertext_ends_the_handshake() {
    let identity = Identity::get();
    let pair = Pair::new(
        &identity.client(&[&groups::X25519MLKEM768]),
        &identity.server(&[&NOT_CANONICAL]),
    );
    assert_eq!(pair.run().unwrap_err(), Error::DecryptError);
}

#[test]
fn a_server_that_answers_with_another_group_is_refused() {
    #[derive(Debug)]
    struct Other;
    impl SupportedKxGroup for Other {
        fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
            SupportedKxGroup::start(&groups::X25519MLKEM768)
        }
        fn start_and_complete(&self, client: &[u8]) -> Result<CompletedKeyExchange, Error> {
            let mut answer = groups::X25519MLKEM768.start_and_complete(client)?;
            answer.group = groups::SECP256R1MLKEM768.id().into();
            Ok(answer)
        }
        fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
            None
        }
        fn name(&self) -> NamedGroup {
            groups::X25519MLKEM768.id().into()
        }
    }
    let identity = Identity::get();
    let client = identity.client(&[&groups::X25519MLKEM768, &groups::SECP256R1MLKEM768]);
    let pair = Pair::new(&client, &identity.server(&[&Other]));
    assert_eq!(
        pair.run().unwrap_err(),
        Error::PeerMisbehaved(PeerMisbehaved::WrongGroupForKeyShare)
    );
}

/// Every byte of the client's first flight and of the server's, one at a time: no panic, and no
/// connection, except where a byte of a record's header says nothing.
#[test]
fn a_flipped_byte_in_a_flight_never_connects() {
    let identity = Identity::get();
    let (client, server) = (
        identity.client(&[&groups::X25519MLKEM768]),
        identity.server(&[&groups::X25519MLKEM768]),
    );
    let mut flights = Vec::new();
    let clean = Pair::new(&client, &server).run_with(|_, bytes| flights.push(bytes.clone()));
    assert!(clean.is_ok());
    for (flight, bytes) in flights.iter().enumerate().take(2) {
        let free = without_meaning(bytes);
        for at in (0..bytes.len()).filter(|at| !free.contains(at)) {
            let mut flipped = false;
            let outcome = Pair::new(&client, &server).run_with(|number, bytes| {
                // Signatures, and so the server's flights, differ in length by a few bytes.
                if number == flight && at < bytes.len() {
                    bytes[at] ^= 1;
                    flipped = true;
                }
            });
            assert!(outcome.is_err() || !flipped, "flight {flight}, byte {at}");
        }
    }
}

/// Where the records of a flight have the minor version, which is ignored (RFC 9846, section 5.1), and
/// the outer type of an encrypted record, whose true type is inside.
fn without_meaning(flight: &[u8]) -> Vec<usize> {
    let (mut start, mut found) = (0, Vec::new());
    while let Some([kind, _, _, high, low]) =
        flight.get(start..).and_then(|rest| rest.first_chunk())
    {
        found.push(start + 2);
        if *kind == 23 {
            found.push(start);
        }
        start += 5 + usize::from(u16::from_be_bytes([*high, *low]));
    }
    found
}
