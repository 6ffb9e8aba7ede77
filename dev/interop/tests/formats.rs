//! Our JWE and COSE against other implementations, in both directions: `github.com/lestrrat-go/jwx`
//! (JOSE-HPKE) and the Python package `cwt` (COSE-HPKE). A missing program is a failure.

use backend_from_env as _;
use data_encoding::HEXLOWER;
use formats::{
    ALGORITHMS, Algorithm, PrivateKey, PublicKey, algorithm, cose,
    jwe::{self, Serialization},
};
use getrandom::SysRng;
use interop::Process;
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

/// The text of one member of an answer.
fn ask(peer: &mut Process, member: &str, request: &Value) -> Result<String, String> {
    let answer: Value = peer.ask(request)?;
    Ok(answer[member].as_str().expect(member).to_owned())
}

#[test]
fn jwx_opens_our_jwe_and_we_open_its() {
    let mut jwx = Process::start(&[".build/jose-peer"]);
    // Those that the release has: no X448, no Integrated Encryption, nothing post-quantum.
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

#[test]
fn cwt_opens_our_cose_and_we_open_its() {
    let mut cwt = Process::start(&[".build/venv/bin/python", "python/cose.py"]);
    let hex = |bytes: &[u8]| HEXLOWER.encode(bytes);
    // cwt has no post-quantum algorithm.
    let algorithms = ALGORITHMS.iter().filter(|alg| !alg.is_post_quantum());
    let mut conversations = 0;
    for &alg in algorithms {
        let (private, public) = pair(alg);
        let [private_key, public_key] = [
            hex(&cose::write_private(&private).unwrap()),
            hex(&cose::write_public(&public).unwrap()),
        ];
        for (aad, info) in [
            ("", ""),
            ("external", ""),
            ("", "info"),
            ("external", "info"),
        ] {
            let (aad, info) = (aad.as_bytes(), info.as_bytes());
            let request = json!({ "op": "seal", "key": public_key, "alg": alg.cose(), "plaintext": hex(MESSAGE.as_bytes()), "aad": hex(aad), "info": hex(info) });
            let theirs = ask(&mut cwt, "message", &request);
            let theirs = theirs.unwrap_or_else(|error| panic!("{alg}: they do not seal: {error}"));
            let theirs = HEXLOWER.decode(theirs.as_bytes()).unwrap();
            let opener = || cose::Opener::new(ALGORITHMS).key(&private);
            let opened = opener().external_aad(aad).info(info).open(&theirs);
            let opened = opened.unwrap_or_else(|error| panic!("{alg}: {error}"));
            assert_eq!(*opened.plaintext, MESSAGE.as_bytes());
            assert_eq!(opened.kid.as_deref(), Some(&b"key 1"[..]));
            assert!(
                opener()
                    .external_aad(b"other")
                    .info(info)
                    .open(&theirs)
                    .is_err()
            );

            let recipient = cose::Recipient::new(alg, &public).unwrap().info(info);
            let sealer = cose::Sealer::new(recipient).external_aad(aad);
            let ours = sealer.seal(MESSAGE.as_bytes(), &mut SysRng).unwrap();
            let open = |aad: &[u8]| json!({ "op": "open", "key": private_key, "message": hex(&ours), "aad": hex(aad), "info": hex(info) });
            let opened = ask(&mut cwt, "plaintext", &open(aad));
            assert_eq!(opened, Ok(hex(MESSAGE.as_bytes())), "{alg}");
            assert!(
                ask(&mut cwt, "plaintext", &open(b"other")).is_err(),
                "{alg}"
            );
            conversations += 2;
        }
    }
    assert_eq!(conversations, 16 * 8);
}
