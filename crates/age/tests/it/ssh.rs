//! SSH keys: files created by `age`, keys created by ssh-keygen, and refused keys. Tests with live
//! programs are in `cli/tests/it/ssh.rs`.

use std::io::{Read, Write};

use base64ct::{Base64, Encoding};
use pqseal_age::{
    AnyHeader, Decryptor, Encryptor, Error, FileKey, HeaderError, HpkeIdentity, Identity, KeyError,
    MLKEM768X25519, Recipient, SshError, SshIdentity, SshRecipient, Stanza, keys,
};
use serde::Deserialize;

/// Keys and files. `source` in the file names the programs that created them.
#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    public: String,
    private: String,
    pkcs8: Option<String>,
    passphrase: Option<String>,
    text: String,
    file: String,
}

#[derive(Deserialize)]
struct Refused {
    name: String,
    public: String,
    private: String,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../ssh.json")).unwrap()
}

impl Case {
    fn identity(&self) -> Result<SshIdentity, Error> {
        let passphrase = self.passphrase.as_ref().map(String::as_bytes);
        SshIdentity::read(&self.private, passphrase)
    }
}

/// Returns the cases that this build supports. RSA requires AWS-LC.
fn cases() -> Vec<Case> {
    let cases = vectors().cases.into_iter();
    cases
        .filter(|case| cfg!(feature = "aws-lc") || !case.public.starts_with("ssh-rsa"))
        .collect()
}

fn case(name: &str) -> Case {
    let mut cases = vectors().cases.into_iter();
    cases.find(|case| case.name == name).unwrap()
}

fn open(identity: &dyn Identity, file: &[u8]) -> Result<String, Error> {
    let mut text = String::new();
    Decryptor::new(&[identity], file)?.read_to_string(&mut text)?;
    Ok(text)
}

fn seal(recipients: &[&dyn Recipient], text: &str) -> Result<Vec<u8>, Error> {
    let mut file = Encryptor::new(recipients, Vec::new())?;
    file.write_all(text.as_bytes())?;
    Ok(file.finish()?)
}

#[track_caller]
fn assert_refused<T>(found: Result<T, Error>, why: SshError) {
    let error = found.err();
    let same = matches!(&error, Some(Error::Key(KeyError::Ssh(found))) if *found == why);
    assert!(same, "{error:?} and not {why:?}");
}

#[test]
fn files_of_age_open_and_ours_open_again() {
    let expected = if cfg!(feature = "aws-lc") { 5 } else { 3 };
    assert_eq!(cases().len(), expected);
    let identities: Vec<_> = cases()
        .iter()
        .map(|case| case.identity().unwrap())
        .collect();
    for (at, case) in cases().iter().enumerate() {
        let file = Base64::decode_vec(&case.file).unwrap();
        let recipient = keys::read_recipient(&case.public).unwrap();
        let ours = seal(&[&*recipient], &case.text).unwrap();
        for (other, identity) in identities.iter().enumerate() {
            for file in [&file, &ours] {
                match open(identity, file) {
                    Ok(text) => assert!(other == at && text == case.text, "{}", case.name),
                    Err(error) => assert!(other != at && matches!(error, Error::NoMatch)),
                }
            }
        }
    }
}

#[test]
fn the_public_key_of_a_private_one_is_that_of_ssh_keygen() {
    for case in cases() {
        let without_comment: Vec<&str> = case.public.split_whitespace().take(2).collect();
        let identity = case.identity().unwrap();
        assert_eq!(
            identity.recipient_text().unwrap(),
            without_comment.join(" ")
        );
        assert!(!format!("{identity:?}").contains(&case.private[100..120]));
    }
}

/// `age` reads private keys of SSH in PKCS#8 too.
#[test]
fn a_private_key_in_pkcs8_is_that_in_the_format_of_openssh() {
    for case in cases() {
        let Some(pkcs8) = &case.pkcs8 else { continue };
        let identity = keys::read_identity(pkcs8).unwrap();
        let expected = case.identity().unwrap().recipient_text();
        assert_eq!(identity.recipient_text(), expected);
        let file = Base64::decode_vec(&case.file).unwrap();
        assert_eq!(open(&*identity, &file).unwrap(), case.text);
    }
    // Ed448, which cannot encrypt.
    let ed448 = "-----BEGIN PRIVATE KEY-----\nMEcCAQAwBQYDK2VxBDsEOcFoGzh9bw/FWQUIwd4E7C2VLjHg2fd+K6zwzmsjhTjS\npbeICBWUVRlgTQsXmQbKXxU5WMQ7dYBzqA==\n-----END PRIVATE KEY-----\n";
    assert_refused(keys::read_identity(ed448), SshError::Kind);
}

#[test]
fn passphrases_are_asked_for_and_checked() {
    for name in ["ed25519-ctr", "ed25519-cbc"] {
        let case = case(name);
        assert!(SshIdentity::is_encrypted(&case.private));
        assert_refused(SshIdentity::read(&case.private, None), SshError::Encrypted);
        let wrong = SshIdentity::read(&case.private, Some(b"battery staple"));
        assert!(matches!(wrong, Err(Error::WrongPassphrase)), "{wrong:?}");
    }
    assert!(!SshIdentity::is_encrypted(&case("ed25519").private));
}

#[test]
fn keys_that_cannot_be_used_say_why() {
    let rsa = |why| match cfg!(feature = "aws-lc") {
        true => why,
        false => SshError::RsaUnsupported,
    };
    let expected = [
        (
            "rsa-1024",
            Some(rsa(SshError::RsaSize)),
            rsa(SshError::RsaSize),
        ),
        ("ecdsa", Some(SshError::Kind), SshError::Kind),
        ("ed25519-128", None, SshError::Cipher),
        ("rsa-pem", None, SshError::OldFormat),
        ("ed25519-rounds", None, SshError::Rounds),
    ];
    let refused = vectors().refused;
    assert_eq!(refused.len(), expected.len());
    for (key, (name, public, private)) in refused.iter().zip(expected) {
        assert_eq!(key.name, name);
        if let Some(why) = public {
            assert_refused(keys::read_recipient(&key.public), why);
        }
        assert_refused(SshIdentity::read(&key.private, Some(b"x")), private);
    }
    assert_refused(
        keys::read_recipient("ssh-ed25519 AAAA"),
        SshError::Malformed,
    );
    let public = case("ed25519").public;
    let other_name = public.replacen("ssh-ed25519", "ssh-rsa", 1);
    assert_refused(keys::read_recipient(&other_name), SshError::Malformed);
    // A point of order 1, to which every file would have the same key.
    let identity = [b"\0\0\0\x0bssh-ed25519\0\0\0\x20\x01".as_slice(), &[0; 31]].concat();
    let small = format!("ssh-ed25519 {}", Base64::encode_string(&identity));
    assert_refused(keys::read_recipient(&small), SshError::Malformed);
}

/// In a file of recipients, as in `authorized_keys`, such keys are left out and reported.
#[test]
fn keys_of_authorized_keys_that_cannot_encrypt_are_skipped() {
    let ecdsa = &vectors().refused[1].public;
    let text = format!("# mine\n{}\n{ecdsa}", case("ed25519").public);
    let reader = keys::Reader::default();
    let (found, skipped) = reader.recipients_and_skipped(&text).unwrap();
    assert_eq!((found.len(), skipped.len(), skipped[0].line), (1, 1, 4));
    assert!(reader.recipients(&text).is_err());
    let none = reader.recipients_and_skipped(ecdsa).err().unwrap();
    assert_refused::<()>(Err(none.error), SshError::Kind);
    assert!(reader.recipients_and_skipped("ssh-ed25519 AAAA").is_err());
}

#[test]
fn they_are_classical() {
    let ssh: SshRecipient = case("ed25519").public.parse().unwrap();
    let quantum = HpkeIdentity::generate(&MLKEM768X25519).unwrap().recipient();
    let mixed = seal(&[&ssh, &quantum], "");
    assert!(matches!(mixed, Err(Error::MixedRecipients)));
    let file = seal(&[&ssh], "").unwrap();
    let header = AnyHeader::read(&mut &file[..]).unwrap();
    assert_eq!(header.post_quantum(), Some(false));
}

/// Every truncation, every altered byte and every length of 4 GiB gives an error, without a panic
/// or an allocation of that size.
#[test]
fn damaged_keys_are_refused() {
    for case in cases().iter().filter(|case| case.passphrase.is_none()) {
        damage(&case.name, &case.private);
        if let Some(pkcs8) = &case.pkcs8 {
            damage(&case.name, pkcs8);
        }
    }
}

fn damage(name: &str, text: &str) {
    let (mut body, mut marks) = (String::new(), Vec::new());
    for line in text.lines() {
        match line.starts_with('-') {
            true => marks.push(line),
            false => body += line,
        }
    }
    let file = Base64::decode_vec(&body).unwrap();
    let read = |bytes: &[u8]| {
        let base64 = Base64::encode_string(bytes);
        SshIdentity::read(&format!("{}\n{base64}\n{}\n", marks[0], marks[1]), None)
    };
    assert!(read(&file).is_ok());
    for at in 0..file.len() {
        assert!(read(&file[..at]).is_err(), "{name}: cut to {at}");
        let mut long = file.clone();
        long[at..].iter_mut().take(4).for_each(|byte| *byte = 0xff);
        let _ = read(&long);
    }
    assert!(read(&[&file[..], b"\0"].concat()).is_err());
}

#[test]
fn malformed_stanzas_are_refused() {
    let identity = case("ed25519").identity().unwrap();
    let stanza = identity.recipient().wrap(&FileKey::new([1; 16])).unwrap();
    let [Stanza { kind, args, body }] = &stanza[..] else {
        panic!("one stanza");
    };
    let unwrap = |args: &[&str], body: &[u8]| {
        let args = args.iter().map(ToString::to_string).collect();
        identity.unwrap(&[Stanza::new(kind, args, body.to_vec())])
    };
    let (hint, share) = (args[0].as_str(), args[1].as_str());
    assert!(unwrap(&[hint, share], body).unwrap().is_some());
    assert!(unwrap(&["AAAAAA", share], body).unwrap().is_none());
    let zero = "A".repeat(43);
    let cases: [(&[&str], &[u8], HeaderError); 5] = [
        (&[hint], body, HeaderError::Arguments),
        (&[hint, share, share], body, HeaderError::Arguments),
        (&[hint, "AAAA"], body, HeaderError::Arguments),
        (&[hint, share], &body[1..], HeaderError::BodyLength),
        (&[hint, &zero], body, HeaderError::Share),
    ];
    for (args, body, why) in cases {
        let found = unwrap(args, body).err();
        assert!(
            matches!(found, Some(Error::Header(found)) if found == why),
            "{args:?}"
        );
    }
}
