//! Our MLKEM768-X25519 against age (filippo.io/age): we open the `mlkem768x25519` stanza of a file
//! that age made, and age opens a file whose stanza we sealed. age's header MAC proves the file
//! key. A missing program is a failure.

mod age_format;

use backend_from_env as _;
use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use age_format::{File, Stanza, key_text};
use data_encoding::BASE64;
use getrandom::{SysRng, rand_core::TryRng};
use hpke::{ChaCha20Poly1305, Error, HkdfSha256, Kem, Mode, Suite};
use kem_pq::MlKem768X25519;
use serde::Deserialize;

const SUITE: Suite<MlKem768X25519, HkdfSha256, ChaCha20Poly1305> =
    Suite::new(&MlKem768X25519, &HkdfSha256, &ChaCha20Poly1305);
const INFO: &[u8] = b"age-encryption.org/mlkem768x25519";
const TEXT: &[u8] = b"A text that one side seals and the other opens.\n";

type PrivateKey = <MlKem768X25519 as Kem>::PrivateKey;

#[test]
fn we_open_what_age_seals() {
    let made = age_encrypts();
    let sk = made.private_key();
    let public_key = SUITE.kem().public_key(&sk).unwrap();
    assert_eq!(
        public_key.as_ref(),
        key_text::public_key(&made.recipient),
        "the seed's public key is not the recipient"
    );

    let file = made.file();
    assert_eq!(
        file.to_bytes(),
        made.bytes(),
        "we read or write the format wrongly"
    );
    let file_key = unwrap(&file.stanza, &sk, INFO).expect("the stanza opens");
    assert_eq!(file_key.len(), 16);
    assert!(
        file.has_mac_of(&file_key),
        "the file key is not the one of the header"
    );
    assert_eq!(file.open(&file_key).as_deref(), Some(TEXT));
}

#[test]
fn age_opens_what_we_seal() {
    let (sk, pk) = SUITE.generate_key_pair(&mut SysRng).unwrap();
    let identity = key_text::identity(SUITE.kem().serialize_private_key(&sk).unwrap().as_ref());
    let file_key = random();
    let seal = |info| {
        let (enc, body) = SUITE
            .seal(&pk, info, Mode::Base, b"", &file_key, &mut SysRng)
            .unwrap();
        File::seal(Stanza { enc, body }, &file_key, random(), TEXT)
    };
    assert_eq!(age_decrypts(&identity, &seal(INFO)).as_deref(), Ok(TEXT));

    let refused = age_decrypts(&identity, &seal(b"age-encryption.org/another")).unwrap_err();
    assert!(refused.contains("identity did not match"), "{refused}");
}

#[test]
fn we_open_nothing_altered() {
    let made = age_encrypts();
    let (sk, stanza) = (made.private_key(), made.file().stanza);
    assert_eq!(
        unwrap(&stanza, &sk, b"age-encryption.org/mlkem768x25518"),
        Err(Error::Open),
        "another info"
    );
    assert_eq!(
        unwrap(&stanza, &age_encrypts().private_key(), INFO),
        Err(Error::Open),
        "another identity"
    );
    // The first byte of enc is ML-KEM's, the last X25519's.
    for at in [0, stanza.enc.len() - 1] {
        let mut altered = stanza.clone();
        altered.enc[at] ^= 1;
        assert_eq!(
            unwrap(&altered, &sk, INFO),
            Err(Error::Open),
            "enc altered at {at}"
        );
    }
    for at in 0..stanza.body.len() {
        let mut altered = stanza.clone();
        altered.body[at] ^= 1;
        assert_eq!(
            unwrap(&altered, &sk, INFO),
            Err(Error::Open),
            "body altered at {at}"
        );
    }
}

fn unwrap(stanza: &Stanza, sk: &PrivateKey, info: &[u8]) -> Result<Vec<u8>, Error> {
    SUITE.open(&stanza.enc, sk, info, Mode::Base, b"", &stanza.body)
}

/// What age answers to `encrypt`.
#[derive(Deserialize)]
struct Made {
    identity: String,
    recipient: String,
    file: String,
}

impl Made {
    fn private_key(&self) -> PrivateKey {
        SUITE
            .kem()
            .deserialize_private_key(&key_text::seed(&self.identity))
            .expect("an identity is a seed")
    }

    fn bytes(&self) -> Vec<u8> {
        BASE64
            .decode(self.file.as_bytes())
            .expect("the peer writes base64")
    }

    fn file(&self) -> File {
        File::parse(&self.bytes())
    }
}

/// age seals the text to an identity that it makes new.
fn age_encrypts() -> Made {
    let output = age(&["encrypt"], TEXT);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("the peer answers in JSON")
}

/// The text, or age's words of refusal.
fn age_decrypts(identity: &str, file: &File) -> Result<Vec<u8>, String> {
    let output = age(&["decrypt", identity], &file.to_bytes());
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(words)
    }
}

fn age(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.build/age-peer"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("the peer `age` does not start ({error}): run dev/interop/setup.sh")
        });
    // Taken, so that it closes after: age reads to the end.
    child
        .stdin
        .take()
        .expect("stdin is piped")
        .write_all(input)
        .expect("the peer reads its input");
    child.wait_with_output().expect("the peer ends")
}

fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    SysRng.try_fill_bytes(&mut bytes).unwrap();
    bytes
}
