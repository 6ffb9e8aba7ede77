//! Keys that specifications print.

use data_encoding::{BASE64, HEXLOWER};
use pqseal_keys::{
    KeyError, KeyFormat, public_key, read_private, read_private_der, read_public, write_private,
    write_public,
};

use crate::common::{bytes, kem};

/// RFC 7748, sections 6.1 and 6.2: a KEM, a private key and its public key.
const RFC_7748: [(&str, &str, &str); 4] = [
    (
        "x25519",
        "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
        "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
    ),
    (
        "x25519",
        "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
        "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
    ),
    (
        "x448",
        "9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28dd9c9baf574a9419744897391006382a6f127ab1d9ac2d8c0a598726b",
        "9b08f7cc31b7e3e67d22d5aea121074a273bd2b83de09c63faa73d2c22c5d9bbc836647241d953d40c5b12da88120d53177f80e532c41fa0",
    ),
    (
        "x448",
        "1c306a7ac2a0e2e0990b294470cba339e6453772b075811d8fad0d1d6927c120bb5ee8972b0d3e21374c9c921b09d1b0366f10b65173992d",
        "3eb7a829b0cd20f5bcfc0b599b6feccf6da4627107bdb0d4f345b43027d8b972fc3e34fb4232a13ca706dcb57aec3dae07bdc1c67bf33609",
    ),
];

/// RFC 8037, appendix A.6 and A.7: Alice's, Bob's and Dave's public keys, which are keys of RFC
/// 7748.
const RFC_8037: [(usize, &str); 3] = [
    (
        0,
        r#"{"kty":"OKP","crv":"X25519","x":"hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo"}"#,
    ),
    (
        1,
        r#"{"kty":"OKP","crv":"X25519","kid":"Bob","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}"#,
    ),
    (
        3,
        r#"{"kty":"OKP","crv":"X448","kid":"Dave",
            "x":"PreoKbDNIPW8_AtZm2_sz22kYnEHvbDU80W0MCfYuXL8PjT7QjKhPKcG3LV67D2uB73BxnvzNgk"}"#,
    ),
];

/// RFC 8410, section 10.2: the public key in the certificate, which is Alice's of RFC 7748.
const RFC_8410_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=
-----END PUBLIC KEY-----
";

/// RFC 8410, section 10.3: an Ed25519 key, and the same with attributes and its public key.
const RFC_8410_ED25519: &str = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC";
const RFC_8410_ED25519_V2: &str = "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\
    oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

/// The last bytes of the object identifiers of Ed25519 and X25519: 1.3.101.112 and .110.
const ED25519: u8 = 0x70;
const X25519: u8 = 0x6e;

/// RFC 7517, appendix A.2, and RFC 7520, section 3.2.
const EC_JWKS: [(&str, &str); 2] = [
    (
        "p256",
        r#"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
            "d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE","use":"enc","kid":"1"}"#,
    ),
    (
        "p521",
        r#"{"kty":"EC","kid":"bilbo.baggins@hobbiton.example","use":"sig","crv":"P-521",
            "x":"AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt",
            "y":"AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1",
            "d":"AAhRON2r9cqXX1hg-RoI6R1tX5p2rUAYdmpHZoC1XNM56KtscrX6zbKipQrCW9CGZH3T4ubpnoTKLDYJ_fF3_rJt"}"#,
    ),
];

fn hex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.as_bytes()).unwrap()
}

#[test]
fn rfc_7748() {
    for (name, private, public) in RFC_7748 {
        let key = read_private(BASE64.encode(&hex(private)), Some(kem(name))).unwrap();
        assert_eq!(public_key(&key).unwrap().as_ref(), hex(public));
        for form in [KeyFormat::Pem, KeyFormat::Jwk, KeyFormat::Line] {
            let text = write_private(&key, form).unwrap();
            assert_eq!(
                bytes(&read_private(&text, None).unwrap()),
                hex(private),
                "{form:?}"
            );
        }
    }
}

#[test]
fn rfc_8037() {
    for (place, jwk) in RFC_8037 {
        let (name, private, public) = RFC_7748[place];
        let key = read_public(jwk, Some(kem(name))).unwrap();
        assert_eq!(key.as_ref(), hex(public));
        let with_d = jwk.replace(
            '}',
            &format!(
                ",\"d\":\"{}\"}}",
                data_encoding::BASE64URL_NOPAD.encode(&hex(private))
            ),
        );
        assert_eq!(bytes(&read_private(&with_d, None).unwrap()), hex(private));
    }
    let (_, alice) = RFC_8037[0];
    assert_eq!(
        write_public(&read_public(alice, None).unwrap(), KeyFormat::Jwk)
            .unwrap()
            .trim_end(),
        alice
    );
}

#[test]
fn rfc_8410_public() {
    let key = read_public(RFC_8410_PUBLIC, Some(kem("x25519"))).unwrap();
    assert_eq!(key.as_ref(), hex(RFC_7748[0].2));
    assert_eq!(write_public(&key, KeyFormat::Pem).unwrap(), RFC_8410_PUBLIC);
}

#[test]
fn signature_keys_are_refused() {
    for text in [RFC_8410_ED25519, RFC_8410_ED25519_V2] {
        assert_eq!(
            read_private_der(&BASE64.decode(text.as_bytes()).unwrap()).err(),
            Some(KeyError::UnknownKem)
        );
    }
}

/// RFC 8410, section 3: the parameters are absent, not even NULL.
#[test]
fn rfc_8410_has_no_parameters() {
    let key = hex(RFC_7748[0].1);
    let der =
        |start: &str| read_private_der(&[&hex(start)[..], &key].concat()).map(|key| bytes(&key));
    assert_eq!(der("302e020100300506032b656e04220420"), Ok(key.clone()));
    let null = der("3030020100300706032b656e050004220420");
    assert!(matches!(null, Err(KeyError::Text(why)) if why.contains("has parameters")));
}

/// The key of section 10.3 under the identifier of X25519, and so with its public key in exchange:
/// version 2, attributes.
#[test]
fn rfc_8410_version_2() {
    let replace = |text: &str| {
        let mut der = BASE64.decode(text.as_bytes()).unwrap();
        let place = der
            .windows(3)
            .position(|bytes| bytes == [0x2b, 0x65, ED25519])
            .unwrap();
        der[place + 2] = X25519;
        der
    };
    let key = read_private_der(&replace(RFC_8410_ED25519)).unwrap();
    let mut version_2 = replace(RFC_8410_ED25519_V2);
    let not_canonical = KeyError::NotCanonical("X25519");
    assert_eq!(read_private_der(&version_2).err(), Some(not_canonical));
    let public = version_2.len() - 32;
    version_2[public + 31] &= 0x7f;
    assert_eq!(read_private_der(&version_2).err(), Some(KeyError::Mismatch));
    version_2[public..].copy_from_slice(public_key(&key).unwrap().as_ref());
    assert_eq!(bytes(&read_private_der(&version_2).unwrap()), bytes(&key));
}

#[test]
fn ec_keys_of_the_jose_rfcs() {
    for (name, jwk) in EC_JWKS {
        // The one of RFC 7520 is for signatures.
        let signs = jwk.contains("\"sig\"");
        assert_eq!(read_private(jwk, Some(kem(name))).is_err(), signs);
        let key = read_private(jwk.replace("\"sig\"", "\"enc\""), Some(kem(name))).unwrap();
        let pem = write_private(&key, KeyFormat::Pem).unwrap();
        assert_eq!(read_public(&pem, None), public_key(&key));
    }
}
