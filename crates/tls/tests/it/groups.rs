//! The groups without a TLS library: layouts of shares and secrets, hostile shares, names and
//! policies.

use getrandom::SysRng;
use pqseal_hpke::{
    Kem, X25519HkdfSha256,
    dhkem::{Group, P256, P384, P521, X448, X25519},
};
use pqseal_kem_pq::{
    Backend, MlKem512, MlKem768, MlKem1024, X25519Kyber768Draft00,
    bike::{Params, SecretKey, params},
};
use pqseal_tls::{
    CLASSICAL, Component, HybridGroup, Policy, Status,
    groups::{self, UnknownGroup},
    post_quantum_only,
};
use rustls::{
    Error, PeerMisbehaved, ProtocolVersion,
    crypto::{ActiveKeyExchange, SupportedKxGroup},
};

/// A half as the standard describes it, independent of the crate under test.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Half {
    X25519,
    P256,
    P384,
    P521,
    X448,
    Ml512,
    Ml768,
    Ml1024,
    Kyber,
    Bike(usize),
}

use Half::*;

/// Code point, name, halves in the order of the wire, and the lengths of both shares (RFC 10024,
/// section 4; draft-ietf-tls-mlkem; the algorithm list of OQS's provider).
const WIRE: [(u16, &str, &[Half], usize, usize); 15] = [
    (0x11ec, "X25519MLKEM768", &[Ml768, X25519], 1216, 1120),
    (0x11eb, "SecP256r1MLKEM768", &[P256, Ml768], 1249, 1153),
    (0x11ed, "SecP384r1MLKEM1024", &[P384, Ml1024], 1665, 1665),
    (0x0202, "MLKEM1024", &[Ml1024], 1568, 1568),
    (0x0201, "MLKEM768", &[Ml768], 1184, 1088),
    (0x0200, "MLKEM512", &[Ml512], 800, 768),
    (
        0x6399,
        "X25519Kyber768Draft00",
        &[X25519, Kyber],
        1216,
        1120,
    ),
    (0xfe12, "x25519_bikel1", &[X25519, Bike(0)], 1573, 1605),
    (0xfe11, "p256_bikel1", &[P256, Bike(0)], 1606, 1638),
    (0xfe10, "bikel1", &[Bike(0)], 1541, 1573),
    (0xfe15, "x448_bikel3", &[X448, Bike(1)], 3139, 3171),
    (0xfe14, "p384_bikel3", &[P384, Bike(1)], 3180, 3212),
    (0xfe13, "bikel3", &[Bike(1)], 3083, 3115),
    (0xfe17, "p521_bikel5", &[P521, Bike(2)], 5255, 5287),
    (0xfe16, "bikel5", &[Bike(2)], 5122, 5154),
];

/// The state of a client of one half: its share, and a function that derives the secret from the
/// server's share, which may be refused.
type Client = (Vec<u8>, Box<dyn FnOnce(&[u8]) -> Option<Vec<u8>>>);

fn client(half: Half) -> Client {
    match half {
        X25519 => dh::<X25519>(),
        P256 => dh::<P256>(),
        P384 => dh::<P384>(),
        P521 => dh::<P521>(),
        X448 => dh::<X448>(),
        Ml512 => kem(&MlKem512),
        Ml768 => kem(&MlKem768),
        Ml1024 => kem(&MlKem1024),
        Kyber => kyber(),
        Bike(level) => bike(params::ALL[level]),
    }
}

fn dh<G: Group>() -> Client {
    let scalar = G::generate(&mut SysRng).unwrap();
    let share = G::point_bytes(&G::public(&scalar)).as_ref().to_vec();
    let finish = move |server: &[u8]| {
        let dh = G::dh(&scalar, &G::point(server).ok()?).ok()?;
        Some(dh.as_ref().to_vec())
    };
    (share, Box::new(finish))
}

fn kem<K: Kem>(kem: &'static K) -> Client
where
    K::PrivateKey: 'static,
{
    let (private, public) = kem.derive_key_pair(&random::<64>()).unwrap();
    let finish = move |c: &[u8]| Some(kem.decap(c, &private).ok()?.as_ref().to_vec());
    (public.as_ref().to_vec(), Box::new(finish))
}

/// Returns the second half of the HPKE KEM with this name, whose vectors are official. Its keys and
/// ciphertexts begin with the 32 bytes of X25519, and so does its secret.
fn kyber() -> Client {
    let (private, public) = X25519Kyber768Draft00
        .derive_key_pair(&random::<64>())
        .unwrap();
    let finish = move |c: &[u8]| {
        let (_, x) = X25519HkdfSha256.derive_key_pair(&random::<64>()).unwrap();
        let enc = [x.as_ref(), c].concat();
        let secret = X25519Kyber768Draft00.decap(&enc, &private).ok()?;
        Some(secret.as_ref()[32..].to_vec())
    };
    (public.as_ref()[32..].to_vec(), Box::new(finish))
}

fn bike(p: &'static Params) -> Client {
    let key = SecretKey::generate(p, Backend::chosen(), &random());
    let share = key.public().as_ref().to_vec();
    let finish = move |c: &[u8]| Some(key.decaps(c).ok()?.as_ref().to_vec());
    (share, Box::new(finish))
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

fn server_len(half: Half) -> usize {
    match half {
        X25519 => 32,
        P256 => 65,
        P384 => 97,
        P521 => 133,
        X448 => 56,
        Ml512 => 768,
        Ml768 => 1088,
        Ml1024 => 1568,
        Kyber => 1088,
        Bike(level) => params::ALL[level].n_ct(),
    }
}

/// Runs a client with halves in this order against the group as server. Returns whether both accept
/// the other's share and the secrets are equal.
fn agrees(group: &HybridGroup, halves: &[Half]) -> bool {
    let clients: Vec<Client> = halves.iter().map(|half| client(*half)).collect();
    let share: Vec<u8> = clients
        .iter()
        .flat_map(|client| &client.0)
        .copied()
        .collect();
    let Ok(answer) = group.start_and_complete(&share) else {
        return false;
    };
    let mut rest = &answer.pub_key[..];
    let mut secret = Vec::new();
    for (half, client) in halves.iter().zip(clients) {
        let (own, others) = rest.split_at(server_len(*half));
        let Some(half) = (client.1)(own) else {
            return false;
        };
        secret.extend(half);
        rest = others;
    }
    secret == answer.secret.secret_bytes()
}

#[test]
fn shares_and_secrets_are_laid_out_as_the_standard_says() {
    assert_eq!(groups::ALL.len(), WIRE.len());
    for (group, (id, name, halves, client, server)) in groups::ALL.iter().zip(WIRE) {
        assert_eq!((group.id(), HybridGroup::name(group)), (id, name));
        assert_eq!(group.client_share_len(), client, "{name}");
        assert_eq!(group.server_share_len(), server, "{name}");
        assert!(agrees(group, halves), "{name}");
    }
}

/// In the other order the halves have other lengths, so a share is refused or another secret comes
/// out: one in 32 shares of BIKE-L1 parses by chance.
#[test]
fn a_swapped_order_fails() {
    for (group, (_, name, halves, ..)) in groups::ALL.iter().zip(WIRE) {
        if let [first, second] = *halves {
            assert!(!agrees(group, &[second, first]), "{name}");
        }
    }
}

/// Both sides use this crate, and the same share works as the separate classical group.
#[test]
fn both_sides_agree_and_so_do_their_classical_halves() {
    for group in groups::ALL {
        let started = group.start().unwrap();
        let answer = group.start_and_complete(started.pub_key()).unwrap();
        let secret = started.complete(&answer.pub_key).unwrap();
        assert_eq!(secret.secret_bytes(), answer.secret.secret_bytes());
        let classical = group.start().unwrap();
        let Some((id, share)) = classical.hybrid_component() else {
            // A group that is only a KEM.
            assert_eq!(group.classical_half(), None);
            continue;
        };
        let (id, share) = (u16::from(id), share.to_vec());
        assert_eq!(Some(id), group.classical_half());
        match id {
            0x1d => classical_half::<X25519>(&share, classical),
            0x17 => classical_half::<P256>(&share, classical),
            0x18 => classical_half::<P384>(&share, classical),
            0x19 => classical_half::<P521>(&share, classical),
            _ => classical_half::<X448>(&share, classical),
        }
    }
}

fn classical_half<G: Group>(share: &[u8], started: Box<dyn ActiveKeyExchange>) {
    let scalar = G::generate(&mut SysRng).unwrap();
    let ours = G::dh(&scalar, &G::point(share).unwrap()).unwrap();
    let public = G::point_bytes(&G::public(&scalar));
    let theirs = started.complete_hybrid_component(public.as_ref()).unwrap();
    assert_eq!(theirs.secret_bytes(), ours.as_ref());
}

fn is_invalid_share<T>(result: Result<T, Error>) -> bool {
    matches!(
        result,
        Err(Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare))
    )
}

/// Every length from zero to twice the right one, on both sides of every group. A client needs a
/// key pair for each length. BIKE's take milliseconds, so there only some lengths are tried: near
/// the right one, those of its halves, and zero.
#[test]
fn every_other_length_is_refused() {
    for (group, (_, name, halves, client, server)) in groups::ALL.iter().zip(WIRE) {
        for length in (0..=2 * client).filter(|length| *length != client) {
            let refused = group.start_and_complete(&vec![0; length]);
            assert!(is_invalid_share(refused), "{name}: {length}");
        }
        let own = server_len(halves[0]);
        let near = |length: usize| length.abs_diff(server) <= 2 || length.abs_diff(own) <= 2;
        let is_bike = halves.iter().any(|half| matches!(half, Bike(_)));
        let lengths = (0..=2 * server).filter(|length| *length != server);
        for length in lengths.filter(|length| !is_bike || *length < 3 || near(*length)) {
            let refused = group.start().unwrap().complete(&vec![0; length]);
            assert!(is_invalid_share(refused), "{name}: {length}");
        }
    }
}

/// The start of the share, or all of it, may be an honest one.
#[test]
fn honest_shares_that_are_cut_off_or_longer_are_refused() {
    for group in groups::ALL {
        let started = group.start().unwrap();
        let answer = group.start_and_complete(started.pub_key()).unwrap().pub_key;
        let share = started.pub_key().to_vec();
        for change in [-1, 1] {
            let resized = |share: &[u8]| {
                let mut share = share.to_vec();
                share.resize(share.len().checked_add_signed(change).unwrap(), 0);
                share
            };
            assert!(is_invalid_share(group.start_and_complete(&resized(&share))));
            let refused = group.start().unwrap().complete(&resized(&answer));
            assert!(is_invalid_share(refused), "{group:?}");
        }
    }
}

/// Shares of the right length that the standards forbid.
#[test]
fn forbidden_shares_are_refused() {
    let low_order = |share: &mut [u8]| share.fill(0);
    let off_curve = |share: &mut [u8]| share[40] ^= 1;
    // 0xfff = 4095 is not below the modulus 3329 (FIPS 203, section 7.2).
    let not_canonical = |share: &mut [u8]| share[..3].fill(0xff);
    let spare_bit = |share: &mut [u8]| share[1540] |= 0x80;
    type Damage = fn(&mut [u8]);
    let cases: [(&HybridGroup, std::ops::RangeFrom<usize>, Damage, bool); 8] = [
        (&groups::X25519MLKEM768, 1184.., low_order, false),
        (&groups::X25519MLKEM768, 0.., not_canonical, false),
        (&groups::SECP256R1MLKEM768, 0.., off_curve, true),
        (&groups::SECP256R1MLKEM768, 65.., not_canonical, false),
        (&groups::SECP384R1MLKEM1024, 0.., off_curve, true),
        (&groups::MLKEM512, 0.., not_canonical, false),
        (&groups::X25519KYBER768DRAFT00, 32.., not_canonical, false),
        (&groups::X25519_BIKEL1, 32.., spare_bit, true),
    ];
    for (group, part, damage, server_too) in cases {
        let started = group.start().unwrap();
        let mut share = started.pub_key().to_vec();
        let mut answer = group.start_and_complete(&share).unwrap().pub_key;
        damage(&mut share[part.clone()]);
        assert!(
            is_invalid_share(group.start_and_complete(&share)),
            "{group:?}"
        );
        if server_too {
            damage(&mut answer[part]);
            assert!(is_invalid_share(started.complete(&answer)), "{group:?}");
        }
    }
}

#[test]
fn a_server_share_of_low_order_is_refused() {
    let group = &groups::X25519MLKEM768;
    let started = group.start().unwrap();
    let mut answer = group.start_and_complete(started.pub_key()).unwrap().pub_key;
    answer[1088..].fill(0);
    assert!(is_invalid_share(started.complete(&answer)));
}

/// A bit flipped anywhere in an honest answer gives an error or another secret, never the same one.
#[test]
fn a_flipped_bit_never_gives_the_same_secret() {
    for group in [
        &groups::X25519MLKEM768,
        &groups::SECP256R1MLKEM768,
        &groups::X25519_BIKEL1,
    ] {
        for step in 0..24 {
            let started = group.start().unwrap();
            let answer = group.start_and_complete(started.pub_key()).unwrap();
            let mut share = answer.pub_key.clone();
            let at = step * (share.len() - 1) / 23;
            // X25519 ignores the highest bit of its last byte, so that is not the one to flip.
            share[at] ^= 1;
            if let Ok(secret) = started.complete(&share) {
                assert_ne!(
                    secret.secret_bytes(),
                    answer.secret.secret_bytes(),
                    "{group:?} {at}"
                );
            }
        }
    }
}

#[test]
fn no_group_is_for_tls_1_2() {
    for group in groups::ALL {
        assert!(group.usable_for_version(ProtocolVersion::TLSv1_3));
        assert!(!group.usable_for_version(ProtocolVersion::TLSv1_2));
    }
}

#[test]
fn a_policy_allows_by_status_and_by_code_point() {
    let allowed = |policy: &Policy| {
        let all = groups::ALL.iter();
        all.filter(|group| group.check(policy).is_ok()).count()
    };
    assert_eq!(allowed(&Policy::none()), 0);
    assert_eq!(allowed(&Policy::standard()), 3);
    assert_eq!(allowed(&Policy::draft()), 6);
    assert_eq!(allowed(&Policy::draft().with_experimental()), 15);
    assert!(
        groups::X25519KYBER768DRAFT00
            .check(&Policy::draft())
            .is_err()
    );
    assert_eq!(allowed(&Policy::none().allow(Component::Group, 0xfe12)), 1);
    let denied = Policy::standard().deny(Component::Group, 0x11ec);
    let error = groups::X25519MLKEM768.check(&denied).unwrap_err();
    assert_eq!(error.to_string(), "group 0x11ec is denied by the policy");
    // FFDHE, which another base provider may have, is classical too.
    let strict = post_quantum_only(Policy::standard());
    for (id, _) in CLASSICAL {
        assert!(
            strict
                .check(Component::Group, *id, Status::Standard)
                .is_err()
        );
    }
    assert!(CLASSICAL.contains(&(0x0104, "ffdhe8192")));
}

#[test]
fn groups_have_names_and_sike_is_refused_by_its_own() {
    for group in groups::ALL {
        let name = HybridGroup::name(group);
        assert_eq!(
            groups::by_name(&name.to_uppercase()).unwrap().id(),
            group.id()
        );
        assert_eq!(groups::by_id(group.id()).unwrap().id(), group.id());
    }
    for name in ["x25519_sikep434", "SIKEp751", "p256_sikep434"] {
        assert_eq!(
            groups::by_name(name).unwrap_err(),
            UnknownGroup::Sike(name.into())
        );
    }
    assert_eq!(
        groups::by_name("x25519").unwrap_err(),
        UnknownGroup::Other("x25519".into())
    );
    assert_eq!(groups::name(0x11ed), Some("SecP384r1MLKEM1024"));
    assert_eq!(groups::name(0x001d), Some("x25519"));
    assert_eq!(groups::name(0x0100), Some("ffdhe2048"));
    assert_eq!(groups::name(0x2f37), None);
    // s2n's X25519 and BIKE round 3: another BIKE under another number.
    assert!(groups::by_id(0x2f37).is_none());
}
