//! Peers that send invalid key shares. The handshake ends with an error, and the alert is
//! `illegal_parameter`.

use pqseal_tls::groups;
use rustls::{
    AlertDescription, ConnectionCommon, Error, NamedGroup, PeerMisbehaved,
    crypto::{
        ActiveKeyExchange, CompletedKeyExchange, SharedSecret, SupportedKxGroup,
        aws_lc_rs::kx_group as aws,
    },
    ffdhe_groups::FfdheGroup,
};

use super::memory::{Identity, Pair};

/// A group whose shares are changed before they are sent.
#[derive(Debug)]
pub(crate) struct Bad {
    group: &'static dyn SupportedKxGroup,
    change: fn(&mut Vec<u8>),
}

struct BadExchange(Box<dyn ActiveKeyExchange>, Vec<u8>);

impl SupportedKxGroup for Bad {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let started = self.group.start()?;
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
        self.group.name()
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
static P256_OFF_CURVE: Bad = Bad {
    group: &groups::SECP256R1MLKEM768,
    change: |share| share[40] ^= 1,
};
/// The first byte of a compressed point (SEC 1, section 2.3.3).
static P256_COMPRESSED: Bad = Bad {
    group: &groups::SECP256R1MLKEM768,
    change: |share| share[0] = 2,
};
static P384_ZERO: Bad = Bad {
    group: &groups::SECP384R1MLKEM1024,
    change: |share| share[1..97].fill(0),
};
static BIKE_SPARE_BIT: Bad = Bad {
    group: &groups::X25519_BIKEL1,
    change: |share| share[32 + 1540] |= 0x80,
};
/// Bytes 0 to 2 contain two coefficients of the encapsulation key, but none of a ciphertext.
pub(crate) static NOT_CANONICAL: Bad = Bad {
    group: &groups::X25519MLKEM768,
    change: |share| share[..3].fill(0xff),
};

/// A group with X25519's half first, which no other implementation sends.
pub(crate) static SWAPPED: Bad = Bad {
    group: &groups::X25519MLKEM768,
    change: |share| share.rotate_right(32),
};

/// A side of a connection.
#[derive(Debug, PartialEq)]
enum Side {
    Client,
    Server,
}

/// Passes flights until a side refuses one. Returns the side, its error, and its last flight.
fn refused(mut pair: Pair) -> (Side, Error, Vec<u8>) {
    loop {
        let hello = sent(&mut pair.client);
        if let Err(error) = received(&mut pair.server, &hello) {
            return (Side::Server, error, sent(&mut pair.server));
        }
        let answer = sent(&mut pair.server);
        assert!(!answer.is_empty(), "nobody refuses");
        if let Err(error) = received(&mut pair.client, &answer) {
            return (Side::Client, error, sent(&mut pair.client));
        }
    }
}

fn sent<D>(side: &mut ConnectionCommon<D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while side.wants_write() {
        side.write_tls(&mut bytes).unwrap();
    }
    bytes
}

fn received<D>(side: &mut ConnectionCommon<D>, mut bytes: &[u8]) -> Result<(), Error> {
    while !bytes.is_empty() {
        side.read_tls(&mut bytes).unwrap();
        side.process_new_packets()?;
    }
    Ok(())
}

/// Asserts `InvalidKeyShare`, and a fatal alert, which is unencrypted since there are no keys.
fn assert_share_refused((side, error, sent): (Side, Error, Vec<u8>), by: Side) {
    let illegal_parameter = AlertDescription::IllegalParameter.into();
    assert_eq!(error, PeerMisbehaved::InvalidKeyShare.into());
    assert_eq!(side, by);
    assert_eq!(sent, [21, 3, 3, 0, 2, 2, illegal_parameter]);
}

/// Shares that are invalid for a client and for a server.
const EITHER_WAY: [&Bad; 8] = [
    &SHORT,
    &LONG,
    &LOW_ORDER,
    &OFF_CURVE,
    &P256_OFF_CURVE,
    &P256_COMPRESSED,
    &P384_ZERO,
    &BIKE_SPARE_BIT,
];

/// In a first ClientHello, and in one after a HelloRetryRequest.
#[test]
fn a_server_refuses_a_bad_client_share() {
    let identity = Identity::get();
    for bad in EITHER_WAY.into_iter().chain([&NOT_CANONICAL]) {
        let server = identity.server(&[bad.group]);
        let pair = Pair::new(&identity.client(&[bad]), &server);
        assert_share_refused(refused(pair), Side::Server);
        let pair = Pair::new(&identity.client(&[aws::X25519, bad]), &server);
        assert_share_refused(refused(pair), Side::Server);
    }
}

/// In a first ServerHello, and in one after a HelloRetryRequest.
#[test]
fn a_client_refuses_a_bad_server_share() {
    let identity = Identity::get();
    for bad in EITHER_WAY {
        let server = identity.server(&[bad]);
        let pair = Pair::new(&identity.client(&[bad.group]), &server);
        assert_share_refused(refused(pair), Side::Client);
        let pair = Pair::new(&identity.client(&[aws::X25519, bad.group]), &server);
        assert_share_refused(refused(pair), Side::Client);
    }
}

/// The client completes the half that it offered beside the hybrid, with the hybrid's key.
#[test]
fn a_bad_share_of_a_classical_half_alone_is_refused() {
    static ZERO: Bad = Bad {
        group: aws::X25519,
        change: |share| share.fill(0),
    };
    static P256: Bad = Bad {
        group: aws::SECP256R1,
        change: |share| share[40] ^= 1,
    };
    static P384: Bad = Bad {
        group: aws::SECP384R1,
        change: |share| share.truncate(96),
    };
    let identity = Identity::get();
    let hybrids: [(&'static dyn SupportedKxGroup, &Bad); 3] = [
        (&groups::X25519MLKEM768, &ZERO),
        (&groups::SECP256R1MLKEM768, &P256),
        (&groups::SECP384R1MLKEM1024, &P384),
    ];
    for (hybrid, bad) in hybrids {
        let client = identity.client(&[hybrid, bad.group]);
        let pair = Pair::new(&client, &identity.server(&[bad]));
        assert_share_refused(refused(pair), Side::Client);
    }
}

/// TLS 1.2 names its group in a ServerKeyExchange (RFC 8422, section 5.4), in which a TLS 1.2
/// client finds none of ours.
#[test]
fn a_tls_1_2_server_that_names_a_post_quantum_group_is_refused() {
    /// X25519 under the name of a hybrid.
    #[derive(Debug)]
    struct Renamed;
    struct Started(Box<dyn ActiveKeyExchange>);
    impl SupportedKxGroup for Renamed {
        fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
            Ok(Box::new(Started(aws::X25519.start()?)))
        }
        fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
            None
        }
        fn name(&self) -> NamedGroup {
            groups::X25519MLKEM768.id().into()
        }
    }
    impl ActiveKeyExchange for Started {
        fn complete(self: Box<Self>, client: &[u8]) -> Result<SharedSecret, Error> {
            self.0.complete(client)
        }
        fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
            None
        }
        fn pub_key(&self) -> &[u8] {
            self.0.pub_key()
        }
        fn group(&self) -> NamedGroup {
            Renamed.name()
        }
    }
    let identity = Identity::get();
    let client = identity.client(&[&groups::X25519MLKEM768, aws::X25519]);
    let server = identity.server_of_tls_1_2(&[&Renamed]);
    let (side, error, sent) = refused(Pair::new(&client, &server));
    assert_eq!(error, PeerMisbehaved::SelectedUnofferedKxGroup.into());
    assert_eq!(side, Side::Client);
    let illegal_parameter = AlertDescription::IllegalParameter.into();
    assert_eq!(sent, [21, 3, 3, 0, 2, 2, illegal_parameter]);
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

/// Alters every byte of the client's first flight and of the server's, one at a time: there is no
/// panic, and no connection unless the byte has no meaning.
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

/// Returns the positions in a flight of the minor versions of records, which are ignored (RFC 9846,
/// section 5.1), and of the outer types of encrypted records, whose true type is inside.
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
