//! Every kind of recipient with its identity, permitted combinations, and their texts.

use std::io::{Read, Write};

use getrandom::SysRng;
use pqseal_age::{
    Decryptor, Encryptor, Error, FileKey, Header, HeaderError, HpkeIdentity, HpkeRecipient,
    Identity, KeyError, MLKEM768P256TAG, MLKEM768X25519, P256TAG, PassphraseIdentity,
    PassphraseRecipient, Recipient, SshError, Stanza, X25519Identity, keys,
};
use pqseal_hpke::Policy;
use pqseal_keys::{self as ours, KeyFormat};

const TEXT: &[u8] = b"A text for several recipients.\n";

fn seal(recipients: &[&dyn Recipient]) -> Result<Vec<u8>, Error> {
    let mut file = Encryptor::new(recipients, Vec::new())?;
    file.write_all(TEXT)?;
    Ok(file.finish()?)
}

fn open(identity: &dyn Identity, file: &[u8]) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    Decryptor::new(&[identity], file)?.read_to_end(&mut text)?;
    Ok(text)
}

fn passphrase(text: &str) -> PassphraseIdentity {
    PassphraseIdentity::new(text.to_owned().into())
}

fn with_passphrase(text: &str) -> PassphraseRecipient {
    PassphraseRecipient::new(text.to_owned().into()).with_work(4)
}

/// Several files, in which each identity finds its stanza among others, and another one does
/// not.
#[test]
fn each_kind_opens_its_own_and_no_other() {
    let x25519 = [0; 2].map(|_| X25519Identity::generate().unwrap());
    let p256 = [0; 2].map(|_| HpkeIdentity::generate(&P256TAG).unwrap());
    let hybrid = [0; 2].map(|_| HpkeIdentity::generate(&MLKEM768X25519).unwrap());
    let tag = [0; 2].map(|_| HpkeIdentity::generate(&MLKEM768P256TAG).unwrap());

    let classical = seal(&[
        &x25519[0].recipient(),
        &p256[0].recipient(),
        &x25519[0].recipient(),
    ]);
    let quantum = seal(&[&hybrid[0].recipient(), &tag[0].recipient()]);
    let [classical, quantum] = [classical, quantum].map(Result::unwrap);
    let cases: [(&dyn Identity, &dyn Identity, &[u8]); 4] = [
        (&x25519[0], &x25519[1], &classical),
        (&p256[0], &p256[1], &classical),
        (&hybrid[0], &hybrid[1], &quantum),
        (&tag[0], &tag[1], &quantum),
    ];
    for (own, other, file) in cases {
        assert_eq!(open(own, file).unwrap(), TEXT);
        assert!(matches!(open(other, file), Err(Error::NoMatch)));
    }
    let file = seal(&[&with_passphrase("correct horse")]).unwrap();
    assert_eq!(open(&passphrase("correct horse"), &file).unwrap(), TEXT);
    let wrong = open(&passphrase("wrong horse"), &file);
    assert!(matches!(wrong, Err(Error::WrongPassphrase)));
}

#[test]
fn recipients_that_may_not_be_together_are_refused() {
    let classical = X25519Identity::generate().unwrap().recipient();
    let quantum = HpkeIdentity::generate(&MLKEM768X25519).unwrap().recipient();
    let pass = with_passphrase("x");
    assert!(matches!(seal(&[]), Err(Error::NoRecipients)));
    for pair in [
        [&classical as &dyn Recipient, &quantum],
        [&quantum, &classical],
    ] {
        assert!(matches!(seal(&pair), Err(Error::MixedRecipients)));
    }
    for pair in [
        [&pass as &dyn Recipient, &quantum],
        [&quantum, &pass],
        [&pass, &pass],
    ] {
        assert!(matches!(seal(&pair), Err(Error::PassphraseNotAlone)));
    }
}

/// 2^63 steps would take longer than the universe exists. None of them is done.
#[test]
fn the_work_of_scrypt_is_capped_before_it_is_spent() {
    let stanza = |work: &str| {
        let salt = "AAAAAAAAAAAAAAAAAAAAAA".to_owned();
        Stanza::new("scrypt", vec![salt, work.to_owned()], vec![0; 32])
    };
    let unwrap = |work: &str| passphrase("x").unwrap(&[stanza(work)]);
    assert!(matches!(
        unwrap("63"),
        Err(Error::ExcessiveWork { log_n: 63, max: 20 })
    ));
    assert!(matches!(
        unwrap("21"),
        Err(Error::ExcessiveWork { log_n: 21, .. })
    ));
    for work in [
        "0",
        "256",
        "010",
        "+10",
        "-1",
        "1e1",
        "",
        "9999999999999999999999",
    ] {
        let refused = matches!(unwrap(work), Err(Error::Header(HeaderError::WorkFactor)));
        assert!(refused, "{work}");
    }
}

#[test]
fn texts_are_read_and_written_alike() {
    let x25519 = X25519Identity::generate().unwrap();
    let text = x25519.to_text();
    assert_eq!(text.len(), 74);
    let again: X25519Identity = text.parse().unwrap();
    assert_eq!(again.recipient(), x25519.recipient());
    let recipient = x25519.recipient().to_string();
    assert_eq!(
        (recipient.len(), recipient.parse()),
        (62, Ok(x25519.recipient()))
    );

    let hybrid = HpkeIdentity::generate(&MLKEM768X25519).unwrap();
    let text = hybrid.to_text().unwrap();
    let again = HpkeIdentity::read(&MLKEM768X25519, &text).unwrap();
    assert_eq!(
        again.recipient().to_string(),
        hybrid.recipient().to_string()
    );
    for (kind, length) in [
        (&MLKEM768X25519, 1959),
        (&P256TAG, 67),
        (&MLKEM768P256TAG, 2015),
    ] {
        let recipient = HpkeIdentity::generate(kind)
            .unwrap()
            .recipient()
            .to_string();
        assert_eq!(recipient.len(), length);
        let again = HpkeRecipient::read(kind, &recipient).unwrap();
        assert_eq!(again.to_string(), recipient);
        keys::read_recipient(&recipient).unwrap();
    }
}

#[test]
fn what_is_no_key_is_refused_for_its_reason() {
    let x25519 = X25519Identity::generate().unwrap();
    let recipient = x25519.recipient().to_string();
    let secret = x25519.to_text();
    let mistyped = recipient.replacen('q', "p", 1) + "q";
    let ssh = match cfg!(feature = "ssh") {
        true => SshError::Malformed,
        false => SshError::Unsupported,
    };
    let recipients = [
        (mistyped.as_str(), KeyError::Bech32),
        (&recipient.to_uppercase(), KeyError::Unknown),
        (&secret, KeyError::Private),
        ("age1yubikey1qwertyu", KeyError::Plugin),
        ("ssh-ed25519 AAAA", KeyError::Ssh(ssh)),
        ("alice", KeyError::Unknown),
        ("", KeyError::Unknown),
    ];
    for (text, why) in recipients {
        let error = keys::read_recipient(text).err();
        assert!(
            matches!(error, Some(Error::Key(e)) if e == why),
            "{text}: {error:?}"
        );
    }
    let identities = [
        (recipient.as_str(), KeyError::Public),
        (&secret.to_lowercase(), KeyError::Unknown),
        (&secret[..40], KeyError::Bech32),
        ("AGE-PLUGIN-YUBIKEY-1QQ", KeyError::Plugin),
    ];
    for (text, why) in identities {
        let error = keys::read_identity(text).err();
        assert!(
            matches!(error, Some(Error::Key(e)) if e == why),
            "{text}: {error:?}"
        );
    }
    let error = keys::read_identities("# nothing\n\n").err().unwrap();
    assert!(matches!(error.error, Error::Key(KeyError::Empty)));
    let file = format!("# a comment\n{}\nAGE-SECRET-KEY-1X\n", *secret);
    assert_eq!(keys::read_identities(&file).err().unwrap().line, 3);
}

/// Keys in each of our formats, of KEMs that age supports and of others.
#[test]
fn keys_of_ours_are_recipients_and_identities() {
    for name in [
        "x25519",
        "mlkem768-x25519",
        "p256",
        "mlkem768-p256",
        "p384",
        "mlkem1024-p384",
    ] {
        let kem = pqseal_keys::kem_by_name(name).unwrap();
        let (private, public) = ours::generate(kem, &Policy::draft(), &mut SysRng).unwrap();
        let mut forms = 0;
        for form in [KeyFormat::Pem, KeyFormat::Jwk, KeyFormat::Line] {
            let (Ok(private), Ok(public)) = (
                ours::write_private(&private, form),
                ours::write_public(&public, form),
            ) else {
                continue;
            };
            let recipient = keys::read_recipients(&public).unwrap().remove(0);
            let identity = keys::read_identities(&private).unwrap().remove(0);
            let file = seal(&[recipient.as_ref()]).unwrap();
            assert_eq!(open(identity.as_ref(), &file).unwrap(), TEXT, "{name}");
            forms += 1;
        }
        assert!(forms > 0, "{name}");
    }
}

/// A JWK Set may have keys that are no identities. The caller is told their line.
#[test]
fn skipped_keys_of_a_jwk_set_are_reported() {
    let kem = ours::kem_by_name("x25519").unwrap();
    let (private, _) = ours::generate(kem, &Policy::draft(), &mut SysRng).unwrap();
    let jwk = ours::write_private(&private, KeyFormat::Jwk).unwrap();
    let other = r#"{"kty":"oct","k":"AAAA"}"#;
    for (set, skipped) in [
        (format!(r#"{{"keys":[{},{other}]}}"#, jwk.trim()), vec![1]),
        (format!(r#"{{"keys":[{}]}}"#, jwk.trim()), vec![]),
    ] {
        let mut lines = Vec::new();
        let found = keys::Reader::default().identities(&set, |entry| lines.push(entry.line));
        assert_eq!((found.unwrap().len(), lines), (1, skipped), "{set}");
    }
}

/// Room for other recipients, and its use.
#[test]
fn a_reserve_makes_room_for_others() {
    let [first, second] = [0; 2].map(|_| X25519Identity::generate().unwrap());
    let file_key = FileKey::generate().unwrap();
    let header = Header::with_reserve(&[&first.recipient()], &file_key).unwrap();
    assert_eq!(header.to_bytes().len(), 4096);
    assert_eq!(
        header.open(&[&first]).unwrap().as_bytes(),
        file_key.as_bytes()
    );

    let others: [&dyn Recipient; 2] = [&second.recipient(), &second.recipient()];
    let header = Header::with_length(&others, &file_key, 4096)
        .unwrap()
        .unwrap();
    assert_eq!(header.to_bytes().len(), 4096);
    assert_eq!(
        header.open(&[&second]).unwrap().as_bytes(),
        file_key.as_bytes()
    );
    assert!(matches!(header.open(&[&first]), Err(Error::NoMatch)));
    assert!(
        Header::with_length(&others, &file_key, 100)
            .unwrap()
            .is_none()
    );
    let pass = with_passphrase("x");
    let refused = Header::with_reserve(&[&pass], &file_key);
    assert!(matches!(refused, Err(Error::PassphraseNotAlone)));
}
