//! Our JWE and COSE with other implementations, in both directions: `github.com/lestrrat-go/jwx`
//! (JOSE-HPKE) and the Python package `cwt` (COSE-HPKE). A missing program is a failure.

use data_encoding::HEXLOWER;
use getrandom::SysRng;
use interop::Process;
use pqseal_formats::{
    ALGORITHMS, Algorithm, KeyManagement, PrivateKey, PublicKey, algorithm, cose, cose_key,
    jwe::{self, Serialization},
};
use serde_json::{Value, json};

const MESSAGE: &str = "a message";

fn pair(alg: Algorithm) -> (PrivateKey, PublicKey) {
    let (key, _) = alg.suite().unwrap().generate_key_pair(&mut SysRng).unwrap();
    let private = PrivateKey::new(key)
        .with_kid("key 1")
        .with_alg(alg)
        .unwrap();
    let public = private.public_key().unwrap();
    (private, public)
}

/// Returns the text of one member of an answer.
fn ask(peer: &mut Process, member: &str, request: &Value) -> Result<String, String> {
    let answer: Value = peer.ask(request)?;
    Ok(answer[member].as_str().expect(member).to_owned())
}

#[test]
fn jwx_opens_our_jwe_and_we_open_its() {
    let mut jwx = Process::start(&[".build/jose-peer"]);
    // The algorithms of this release: no X448, no Integrated Encryption, nothing post-quantum.
    for name in JWX {
        let alg = algorithm(name).unwrap();
        let (private, public) = pair(alg);
        let jwk = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let (private_jwk, public_jwk) = (
            jwk(&jwe::write_private(&private).unwrap()),
            jwk(&jwe::write_public(&public).unwrap()),
        );
        for enc in jwe::Enc::ALL {
            let request = json!({ "op": "seal", "alg": name, "enc": enc.name(), "key": public_jwk, "plaintext": MESSAGE });
            let theirs = ask(&mut jwx, "message", &request).unwrap();
            let opened = jwe::Opener::new(&[alg]).key(&private).open(&theirs);
            let opened = opened.unwrap_or_else(|error| panic!("{name}, {enc}: {error}"));
            assert_eq!(*opened.plaintext, MESSAGE.as_bytes());

            for form in [Serialization::Compact, Serialization::Flattened] {
                let sealer = jwe::Sealer::new(jwe::Recipient::new(alg, &public).unwrap()).enc(enc);
                let ours = sealer.seal(form, MESSAGE.as_bytes(), &mut SysRng).unwrap();
                let open = |message: &str| json!({ "op": "open", "alg": name, "key": private_jwk, "message": message });
                let opened = ask(&mut jwx, "plaintext", &open(&ours));
                assert_eq!(opened.as_deref(), Ok(MESSAGE), "{name}, {enc}, {form:?}");
            }
        }
    }
}

const JWX: [&str; 6] = [
    "HPKE-0-KE",
    "HPKE-1-KE",
    "HPKE-2-KE",
    "HPKE-3-KE",
    "HPKE-4-KE",
    "HPKE-7-KE",
];

/// The inputs of a message that are not sent: external_aad, info and pre-shared key.
type External<'a> = (&'a str, &'a str, &'a [u8]);

const PSK: &[u8] = b"a key that both have, of 32 bytes";
const EXTERNAL: [External<'_>; 5] = [
    ("", "", b""),
    ("external", "", b""),
    ("", "info", b""),
    ("external", "info", b""),
    ("external", "info", PSK),
];

fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// Adds the external inputs to `members`, for `python/cose.py`.
fn request(members: Value, (aad, info, psk): External<'_>) -> Value {
    let mut request = members;
    for (name, bytes) in [
        ("aad", aad.as_bytes()),
        ("info", info.as_bytes()),
        ("psk", psk),
    ] {
        request[name] = hex(bytes).into();
    }
    request
}

fn theirs(
    cwt: &mut Process,
    alg: Algorithm,
    keys: &[&PublicKey],
    external: External<'_>,
) -> Vec<u8> {
    let keys = keys
        .iter()
        .map(|key| hex(&cose_key::write_public(key).unwrap()));
    let members = json!({ "op": "seal", "keys": keys.collect::<Vec<_>>(), "alg": alg.cose(), "plaintext": hex(MESSAGE.as_bytes()) });
    let sealed = ask(cwt, "message", &request(members, external));
    let sealed = sealed.unwrap_or_else(|error| panic!("{alg}: they do not seal: {error}"));
    HEXLOWER.decode(sealed.as_bytes()).unwrap()
}

fn they_open(
    cwt: &mut Process,
    key: &PrivateKey,
    message: &[u8],
    external: External<'_>,
) -> Result<String, String> {
    let key = hex(&cose_key::write_private(key).unwrap());
    let members = json!({ "op": "open", "keys": [key], "message": hex(message) });
    ask(cwt, "plaintext", &request(members, external))
}

fn ours(alg: Algorithm, keys: &[&PublicKey], (aad, info, psk): External<'_>) -> Vec<u8> {
    let mut recipients = keys.iter().map(|key| {
        let recipient = cose::Recipient::new(alg, key)
            .unwrap()
            .info(info.as_bytes());
        match psk {
            [] => recipient,
            psk => recipient.psk(b"psk 1", psk).unwrap(),
        }
    });
    let first = cose::Sealer::new(recipients.next().unwrap());
    let sealer = recipients.fold(first, cose::Sealer::and);
    let sealer = sealer.external_aad(aad.as_bytes());
    sealer.seal(MESSAGE.as_bytes(), &mut SysRng).unwrap()
}

fn we_open(
    key: &PrivateKey,
    message: &[u8],
    (aad, info, psk): External<'_>,
) -> Result<cose::Opened, pqseal_formats::Error> {
    let mut opener = cose::Opener::new(ALGORITHMS).key(key);
    if !psk.is_empty() {
        opener = opener.psk(b"psk 1", psk).require_psk();
    }
    opener
        .external_aad(aad.as_bytes())
        .info(info.as_bytes())
        .open(message)
}

/// Iterates over the algorithms of cwt, none of which is post-quantum.
fn of_cwt() -> impl Iterator<Item = Algorithm> {
    ALGORITHMS
        .iter()
        .copied()
        .filter(|alg| !alg.is_post_quantum())
}

#[test]
fn cwt_opens_our_cose_and_we_open_its() {
    let mut cwt = Process::start(&[".build/venv/bin/python", "python/cose.py"]);
    let mut conversations = 0;
    for alg in of_cwt() {
        let (private, public) = pair(alg);
        for external in EXTERNAL {
            let other = ("other", external.1, external.2);
            let message = theirs(&mut cwt, alg, &[&public], external);
            let opened = we_open(&private, &message, external);
            let opened = opened.unwrap_or_else(|error| panic!("{alg}: {error}"));
            assert_eq!(*opened.plaintext, MESSAGE.as_bytes());
            assert_eq!(opened.kid.as_deref(), Some(&b"key 1"[..]));
            assert_eq!(opened.psk_id.is_some(), !external.2.is_empty());
            assert!(we_open(&private, &message, other).is_err());

            let message = ours(alg, &[&public], external);
            let opened = they_open(&mut cwt, &private, &message, external);
            assert_eq!(opened, Ok(hex(MESSAGE.as_bytes())), "{alg}");
            assert!(
                they_open(&mut cwt, &private, &message, other).is_err(),
                "{alg}"
            );
            conversations += 2;
        }
    }
    assert_eq!(conversations, 16 * 10);
}

/// Each of two recipients opens a message that the other side sealed to both.
#[test]
fn cwt_and_two_recipients() {
    let mut cwt = Process::start(&[".build/venv/bin/python", "python/cose.py"]);
    let mut conversations = 0;
    for alg in of_cwt().filter(|alg| alg.mode() == KeyManagement::KeyEncryption) {
        let ((first, first_public), (second, _)) = (pair(alg), pair(alg));
        let second = second.with_kid("key 2");
        let keys = [&first_public, &second.public_key().unwrap()];
        let to_both = [
            theirs(&mut cwt, alg, &keys, EXTERNAL[4]),
            ours(alg, &keys, EXTERNAL[4]),
        ];
        for key in [&first, &second] {
            let opened = we_open(key, &to_both[0], EXTERNAL[4]);
            let opened = opened.unwrap_or_else(|error| panic!("{alg}: {error}"));
            assert_eq!(*opened.plaintext, MESSAGE.as_bytes());
            let opened = they_open(&mut cwt, key, &to_both[1], EXTERNAL[4]);
            assert_eq!(opened, Ok(hex(MESSAGE.as_bytes())), "{alg}");
            conversations += 2;
        }
    }
    assert_eq!(conversations, 8 * 4);
}
