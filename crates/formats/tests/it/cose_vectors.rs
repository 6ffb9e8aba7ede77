//! COSE-HPKE's published messages: every one opens, and refuses other external data.

use data_encoding::HEXLOWER;
use pqseal_formats::{
    ALGORITHMS, Error, PrivateKey,
    cose::{self, Opener, Structure},
    cose_key,
};
use test_vectors::CoseVector;

const PLAINTEXT: &[u8] = b"hpke test payload";
const PSK_ID: &[u8] = b"Ennyn Durin aran Moria";
const PSK: &str = "0247fd33b913760fa1fa51e1892d9f307fbe65eb171e8132c2af18555a738b82";

fn key(vector: &CoseVector) -> PrivateKey {
    let key = cose_key::private_key(&vector.key, ALGORITHMS).expect(&vector.alg);
    assert_eq!(key.alg().unwrap().name(), vector.alg);
    key
}

fn check(vector: &CoseVector) {
    let (key, psk) = (key(vector), HEXLOWER.decode(PSK.as_bytes()).unwrap());
    let external = |given: bool, value: &'static [u8]| if given { value } else { b"" };
    let opener = || {
        let opener = Opener::new(ALGORITHMS)
            .key(&key)
            .external_aad(external(vector.aad, b"external-aad"))
            .info(external(vector.info, b"external-info"))
            .hpke_aad(external(vector.hpke_aad, b"external-hpke-aad"));
        if vector.psk {
            opener.psk(PSK_ID, &psk).require_psk()
        } else {
            opener
        }
    };
    let opened = opener().open(&vector.message);
    let opened = opened.unwrap_or_else(|error| panic!("{}: {error}", vector.alg));
    assert_eq!(*opened.plaintext, PLAINTEXT);
    assert_eq!(opened.algorithm.name(), vector.alg);
    assert_eq!(opened.psk_id.as_deref(), vector.psk.then_some(PSK_ID));

    let error = |opener: Opener<'_>| opener.open(&vector.message).unwrap_err();
    assert_eq!(error(opener().external_aad(b"other")), Error::Open);
    assert_eq!(error(opener().info(b"other")), Error::Open);
    let mut altered = vector.message.clone();
    *altered.last_mut().unwrap() ^= 1;
    assert_eq!(opener().open(&altered).unwrap_err(), Error::Open);
    if vector.alg.ends_with("-KE") {
        assert_eq!(error(opener().hpke_aad(b"other")), Error::Open);
    }
    if vector.psk {
        assert_eq!(
            error(opener().psk(PSK_ID, &psk).external_aad(b"x")),
            Error::Open
        );
    } else {
        assert_eq!(error(opener().require_psk()), Error::PskRequired);
    }
}

#[test]
fn the_draft() {
    let vectors = test_vectors::cose_hpke().entries;
    vectors.iter().for_each(check);
    assert_eq!(vectors.len(), 192);
    assert_eq!(vectors.iter().filter(|vector| vector.psk).count(), 96);
    assert_eq!(
        vectors
            .iter()
            .filter(|vector| vector.alg.ends_with("-KE"))
            .count(),
        128
    );
}

#[test]
fn another_implementation() {
    let vectors = test_vectors::cose_hpke_js().entries;
    vectors.iter().for_each(check);
    assert_eq!(vectors.len(), 192);
}

/// The keys are in deterministic CBOR already, so that writing gives the same bytes.
#[test]
fn keys_are_written_as_the_draft_has_them() {
    for vector in test_vectors::cose_hpke().entries {
        let key = key(&vector);
        assert_eq!(
            *cose_key::write_private(&key).unwrap(),
            vector.key,
            "{}",
            vector.alg
        );
        let public = key.public_key().unwrap();
        let written = cose_key::write_public(&public).unwrap();
        assert_eq!(
            cose_key::public_key(&written, ALGORITHMS).unwrap().key(),
            public.key()
        );
        assert!(cose_key::private_key(&written, ALGORITHMS).is_err());
    }
}

/// The two examples in the text of the draft.
#[test]
fn examples_of_the_text() {
    let hex = |text: &str| HEXLOWER.decode(text.as_bytes()).unwrap();
    let integrated = (
        concat!(
            "a701020243626f620318232001215820",
            "02a8e3315f96bc7355dbf85740c6d8e53fb070cd8ba5c419be49a91d789ef55c",
            "225820",
            "96b6621abf5ca532e042dc5c346c1ef0c9186b83cb122e50a46f1458de023d35",
            "235820",
            "eca39300147c91a2a65d17e00ea278b57a14178245bf5686d9a404cca1816b8e"
        )
        .to_owned(),
        concat!(
            "d08344a1011823a20443626f622358410457229bdd99407b384a9e59fa15",
            "53224d58b106e9ebebdaa06d2126bd96757674847669966ecb0dcdf21af5",
            "623f19f0b799b0cddf3ee930b739dd474f6282de0158253f3c1595e9d252",
            "e816215a9ce73f47ba4b57acb06ecc39ca5a03a14108bbe7807af5688d61"
        ),
        Structure::Encrypt0,
    );
    let key_encryption = (
        concat!(
            "a701020243626f6203182e2001215820d832916778598ea6203af974c97b",
            "45970ac0266fc6a3b7f213ba9f8b591b92972258208d9410599a8e83d00e",
            "b46d67b34d4dac8fbd4b8b1f08864599659cee9ef09184235820b1162c56",
            "8efcba91c8e4e82f66e36b45aa10bc55228cf65ecd3bb29cfb09f989"
        )
        .to_owned(),
        concat!(
            "d8608443a10101a1055089115f10ecc1c7fd834442cb87929bc15825534d",
            "b92f5366e3cadd096774a9576bb8d8867e75ea38c329ecfc7b8793c5a4ae",
            "9603e5b0b6818349a201182e0443626f62a12358410417cd85837981ddb1",
            "4963061ab5fb7308988eb922f87cf6cf6ef83556f7657922c9815947e41b",
            "9bc932e48c6f1c4677d9a5506a30d694587628b5193a4cde2f3f58204b50",
            "8a340e463c317f4e62fb8d08c887cac4788087ad022562d05855a50ca4a0"
        ),
        Structure::Encrypt,
    );
    for (key, message, structure) in [integrated, key_encryption] {
        let key = cose_key::private_key(&hex(&key), ALGORITHMS).unwrap();
        let opened = Opener::new(ALGORITHMS)
            .key(&key)
            .open(&hex(message))
            .unwrap();
        // The second plaintext ends in a line break, which the text does not show.
        assert_eq!(opened.plaintext.trim_ascii_end(), b"This is the content.");
        assert_eq!(opened.kid.as_deref(), Some(&b"bob"[..]));
        assert_eq!(cose::inspect(&hex(message)).unwrap().0, structure);
    }
}
