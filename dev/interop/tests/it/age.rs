//! Our age format with age (filippo.io/age), for its post-quantum recipients: we open a file
//! that age made, and age opens a file that we made. A missing program is a failure.

use std::{
    io::{Read, Write},
    process::{Command, Output, Stdio},
};

use data_encoding::BASE64;
use pqseal_age::{Decryptor, Encryptor, Error, Header, HpkeIdentity, MLKEM768X25519};
use serde::Deserialize;

const TEXT: &[u8] = b"A text that one side seals and the other opens.\n";

#[test]
fn we_open_what_age_seals() {
    let (made, file) = age_encrypts();
    let identity = HpkeIdentity::read(&MLKEM768X25519, &made.identity).unwrap();
    assert_eq!(identity.recipient().to_string(), made.recipient);

    let header = Header::read(&mut &file[..]).unwrap().to_bytes();
    assert!(file.starts_with(&header), "we write its header differently");
    let mut text = Vec::new();
    let mut opened = Decryptor::new(&[&identity], &file[..]).unwrap();
    opened.read_to_end(&mut text).unwrap();
    assert_eq!(text, TEXT);

    let other = generate();
    let refused = Decryptor::new(&[&other], &file[..]).err();
    assert!(matches!(refused, Some(Error::NoMatch)), "{refused:?}");
}

#[test]
fn age_opens_what_we_seal() {
    let identity = generate();
    let mut file = Encryptor::new(&[&identity.recipient()], Vec::new()).unwrap();
    file.write_all(TEXT).unwrap();
    let file = file.finish().unwrap();
    assert_eq!(age_decrypts(&identity, &file).as_deref(), Ok(TEXT));

    let refused = age_decrypts(&generate(), &file).unwrap_err();
    assert!(refused.contains("identity did not match"), "{refused}");
}

fn generate() -> HpkeIdentity {
    HpkeIdentity::generate(&MLKEM768X25519).unwrap()
}

/// The answer of age to `encrypt`.
#[derive(Deserialize)]
struct Made {
    identity: String,
    recipient: String,
    file: String,
}

/// Lets age seal the text to an identity that it generates. Returns the file's bytes, too.
fn age_encrypts() -> (Made, Vec<u8>) {
    let output = age(&["encrypt"], TEXT);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let made: Made = serde_json::from_slice(&output.stdout).expect("the peer answers in JSON");
    let file = BASE64.decode(made.file.as_bytes());
    (made, file.expect("the peer writes base64"))
}

/// Returns the text that age decrypts, or its error message.
fn age_decrypts(identity: &HpkeIdentity, file: &[u8]) -> Result<Vec<u8>, String> {
    let identity = identity.to_text().expect("age has a text for this kind");
    let output = age(&["decrypt", &identity], file);
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
    // It is taken, so that it closes afterwards: age reads to the end.
    child
        .stdin
        .take()
        .expect("stdin is piped")
        .write_all(input)
        .expect("the peer reads its input");
    child.wait_with_output().expect("the peer ends")
}
