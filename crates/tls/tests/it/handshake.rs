//! Complete handshakes in memory: our groups in both roles, against rustls' provider of AWS-LC and
//! against ourselves, with retry, resumption and client authentication.

mod crowd;
mod ech;
mod hostile;
mod live;
mod memory;
mod probe;
#[cfg(feature = "quic")]
mod quic;
mod unfriendly;

use std::sync::Arc;

use memory::{Identity, Outcome, Pair};
use pqseal_tls::{HybridGroup, Policy, groups, kx_groups, post_quantum_only, provider};
use rustls::{
    AlertDescription, ClientConfig, Error, HandshakeKind, NamedGroup, PeerIncompatible,
    PeerMisbehaved, ProtocolVersion,
    crypto::{ActiveKeyExchange, SupportedKxGroup, aws_lc_rs, aws_lc_rs::kx_group as aws},
    ffdhe_groups::FfdheGroup,
    server::WebPkiClientVerifier,
};

type Group = &'static dyn SupportedKxGroup;

/// Runs a handshake between a client and a server with these groups.
fn connect(client: &[Group], server: &[Group]) -> Result<Outcome, Error> {
    let identity = Identity::get();
    Pair::new(&identity.client(client), &identity.server(server)).run()
}

fn assert_connected(outcome: Outcome, id: u16, kind: HandshakeKind) {
    assert_eq!(outcome.groups, [id; 2]);
    assert_eq!(outcome.kinds, [kind; 2]);
}

fn ours() -> impl Iterator<Item = (&'static HybridGroup, Group)> {
    groups::ALL.iter().map(|group| (*group, *group as Group))
}

#[test]
fn every_group_connects_us_with_us_and_after_a_retry() {
    for (row, group) in ours() {
        let outcome = connect(&[group], &[group]).unwrap();
        assert_connected(outcome, row.id(), HandshakeKind::Full);
        let outcome = connect(&[aws::X25519, group], &[group]).unwrap();
        assert_connected(outcome, row.id(), HandshakeKind::FullWithHelloRetryRequest);
    }
}

#[test]
fn groups_of_aws_lc_connect_in_both_roles() {
    let theirs = [
        aws::X25519MLKEM768,
        aws::SECP256R1MLKEM768,
        aws::MLKEM768,
        aws::MLKEM1024,
    ];
    for theirs in theirs {
        let id = u16::from(theirs.name());
        let ours = groups::by_id(id).unwrap();
        for (client, server) in [(ours as Group, theirs), (theirs, ours as Group)] {
            let outcome = connect(&[client], &[server]).unwrap();
            assert_connected(outcome, id, HandshakeKind::Full);
            let outcome = connect(&[aws::X25519, client], &[server]).unwrap();
            assert_connected(outcome, id, HandshakeKind::FullWithHelloRetryRequest);
        }
    }
}

/// The halves in the other order are another group to the peer, in either role.
#[test]
fn swapped_halves_do_not_connect_with_aws_lc() {
    let refused = connect(&[&hostile::SWAPPED], &[aws::X25519MLKEM768]).unwrap_err();
    assert_eq!(refused, PeerMisbehaved::InvalidKeyShare.into());
    // The bytes read as a ciphertext and as a point are valid, too, but the secrets differ.
    let refused = connect(&[aws::X25519MLKEM768], &[&hostile::SWAPPED]).unwrap_err();
    assert_eq!(refused, Error::DecryptError);
}

/// `provider` in both roles, also against rustls with its feature `prefer-post-quantum`.
#[test]
fn the_provider_negotiates_x25519_mlkem768_with_rustls() {
    let ours = &provider(&Policy::standard()).kx_groups[..];
    let theirs: &[Group] = &[
        aws::X25519MLKEM768,
        aws::X25519,
        aws::SECP256R1,
        aws::SECP384R1,
    ];
    for (client, server) in [(ours, theirs), (theirs, ours), (ours, ours)] {
        let outcome = connect(client, server).unwrap();
        assert_connected(outcome, 0x11ec, HandshakeKind::Full);
    }
}

/// The classical share beside the hybrid's avoids a retry with a server that has only the classical
/// half.
#[test]
fn a_classical_server_needs_no_retry() {
    let ours = provider(&Policy::standard()).kx_groups;
    let outcome = connect(&ours, &[aws::X25519]).unwrap();
    assert_connected(outcome, 0x001d, HandshakeKind::Full);
    let halves: [(Group, Group); 3] = [
        (&groups::X25519_BIKEL1, aws::X25519),
        (&groups::SECP256R1MLKEM768, aws::SECP256R1),
        (&groups::SECP384R1MLKEM1024, aws::SECP384R1),
    ];
    for (hybrid, half) in halves {
        let outcome = connect(&[hybrid, half], &[half]).unwrap();
        assert_connected(outcome, half.name().into(), HandshakeKind::Full);
    }
}

#[test]
fn without_classical_groups_a_classical_peer_is_refused() {
    let base = aws_lc_rs::default_provider();
    let strict = kx_groups(&base, &post_quantum_only(Policy::standard()));
    assert_eq!(strict.len(), 3);
    let server_refuses = connect(&[aws::X25519], &strict).unwrap_err();
    assert_eq!(
        server_refuses,
        Error::PeerIncompatible(PeerIncompatible::NoKxGroupsInCommon)
    );
    let client_refused = connect(&strict, &[aws::X25519]).unwrap_err();
    assert_eq!(
        client_refused,
        Error::PeerIncompatible(PeerIncompatible::NoKxGroupsInCommon)
    );
}

/// A group of the base that this crate does not know, such as brainpoolP256r1tls13 (31), counts as
/// classical.
#[test]
fn a_group_of_the_base_that_is_not_known_is_not_post_quantum() {
    #[derive(Debug)]
    struct Unknown;
    impl SupportedKxGroup for Unknown {
        fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
            Err(Error::General("only its name is asked for".into()))
        }
        fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
            None
        }
        fn name(&self) -> NamedGroup {
            NamedGroup::Unknown(31)
        }
    }
    let mut base = aws_lc_rs::default_provider();
    base.kx_groups.push(&Unknown);
    let has = |policy| {
        let groups = kx_groups(&base, &policy);
        groups.iter().any(|group| u16::from(group.name()) == 31)
    };
    assert!(has(Policy::standard()));
    assert!(!has(post_quantum_only(Policy::standard())));
    assert!(!has(post_quantum_only(Policy::draft().with_experimental())));
}

/// TLS 1.2 uses only the classical groups of the provider.
#[test]
fn tls_1_2_takes_a_classical_group() {
    let identity = Identity::get();
    let old = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS12])
        .unwrap();
    let old = Arc::new(identity.finish_client(old));
    let ours = provider(&Policy::standard()).kx_groups;
    let outcome = Pair::new(&old, &identity.server(&ours)).run().unwrap();
    assert_eq!(outcome.version, ProtocolVersion::TLSv1_2);
    assert_eq!(outcome.groups, [0x001d; 2]);
    let hybrid: [Group; 1] = [&groups::X25519MLKEM768];
    let server = identity.server(&hybrid);
    assert!(Pair::new(&old, &server).run().is_err());
}

/// A resumed connection repeats the key exchange, with a group of the client's first offer. It
/// carries no early data (0-RTT), which is disabled on both sides.
#[test]
fn resumption_repeats_the_key_exchange() {
    let identity = Identity::get();
    for group in [
        &groups::X25519MLKEM768,
        &groups::SECP384R1MLKEM1024,
        &groups::X25519_BIKEL1,
    ] {
        let groups: [Group; 1] = [group];
        let mut client = (*identity.client(&groups)).clone();
        client.resumption = rustls::client::Resumption::default();
        let (client, server) = (Arc::new(client), identity.server(&groups));
        assert!(!client.enable_early_data && server.max_early_data_size == 0);
        let first = Pair::new(&client, &server).run().unwrap();
        assert_connected(first, group.id(), HandshakeKind::Full);
        let mut second = Pair::new(&client, &server);
        assert!(second.client.early_data().is_none());
        let second = second.run().unwrap();
        assert_connected(second, group.id(), HandshakeKind::Resumed);
    }
}

#[test]
fn client_authentication_works_over_a_hybrid() {
    let identity = Identity::get();
    let groups: [Group; 1] = [&groups::SECP256R1MLKEM768];
    let verifier = WebPkiClientVerifier::builder_with_provider(
        Arc::new(identity.roots()),
        Arc::new(aws_lc_rs::default_provider()),
    );
    let server = identity.server_with(&groups, verifier.build().unwrap());
    let client = identity.client_with_certificate(&groups);
    let outcome = Pair::new(&client, &server).run().unwrap();
    assert_connected(outcome, 0x11eb, HandshakeKind::Full);
    let anonymous = Pair::new(&identity.client(&groups), &server)
        .run()
        .unwrap_err();
    assert!(
        matches!(
            anonymous,
            Error::NoCertificatesPresented
                | Error::AlertReceived(AlertDescription::CertificateRequired)
        ),
        "{anonymous}"
    );
}
