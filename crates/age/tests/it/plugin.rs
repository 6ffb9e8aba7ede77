//! The plugin `age-plugin-pqseal`, with tests as its client (C2SP age-plugin.md), and recipients
//! of plugins that are not installed.

use base64ct::{Base64Unpadded, Encoding};
use getrandom::SysRng;
use pqseal_age::{
    Error, FileKey, Header, HeaderError, Identity, KeyError, PqsealIdentity, Recipient, Stanza,
    X25519Identity,
    keys::{self, Reader},
    plugin::{NoUi, PluginFailure, ServeError, serve},
};
use pqseal_hpke::Policy;

/// Returns stanzas of one line: `command arg...`, and a body.
fn script(commands: &[(&str, &[u8])]) -> String {
    commands
        .iter()
        .map(|(command, body)| {
            let body = Base64Unpadded::encode_string(body);
            assert!(body.len() < 64);
            format!("-> {command}\n{body}\n")
        })
        .collect()
}

/// Returns the plugin's stanzas to a client that sends `said` and then answers `ok`.
fn answers(state_machine: &str, said: &str) -> Vec<Stanza> {
    heard(state_machine, &format!("{said}{}", "-> ok\n\n".repeat(20)))
}

fn heard(state_machine: &str, said: &str) -> Vec<Stanza> {
    let mut output = Vec::new();
    serve(state_machine, said.as_bytes(), &mut output).unwrap();
    stanzas(&output)
}

/// Parses stanzas like those of a header.
fn stanzas(bytes: &[u8]) -> Vec<Stanza> {
    let mut file = b"age-encryption.org/v1\n".to_vec();
    file.extend(bytes);
    file.extend(b"--- ");
    file.extend(Base64Unpadded::encode_string(&[0; 32]).as_bytes());
    file.push(b'\n');
    let header = Header::read(&mut &file[..]).unwrap();
    header.stanzas().to_vec()
}

fn commands(stanzas: &[Stanza]) -> Vec<String> {
    let line = |stanza: &Stanza| {
        [
            std::slice::from_ref(&stanza.kind),
            &stanza.args[..2.min(stanza.args.len())],
        ]
        .concat()
        .join(" ")
    };
    stanzas.iter().map(line).collect()
}

fn identity(kem: &str) -> PqsealIdentity {
    let kem = pqseal_keys::kem_by_name(kem).unwrap();
    let policy = Policy::draft().with_experimental();
    let (key, _) = pqseal_keys::generate(kem, &policy, &mut SysRng).unwrap();
    PqsealIdentity::from_key(key).unwrap()
}

/// Returns the stanza within `recipient-stanza INDEX KIND ARG...`.
fn inner(command: &Stanza) -> Stanza {
    let [_, kind, args @ ..] = &command.args[..] else {
        panic!("{command:?}");
    };
    Stanza::new(kind, args.to_vec(), command.body.clone())
}

#[test]
fn file_keys_are_wrapped_for_all_recipients_and_labelled() {
    let (first, second) = (identity("mlkem1024-p384"), identity("mlkem1024-p384"));
    let said = script(&[
        (&format!("add-recipient {}", first.recipient()), b""),
        ("grease-7 x", b"noise"),
        (&format!("add-identity {}", *second.to_text().unwrap()), b""),
        ("wrap-file-key", &[7; 16]),
        ("wrap-file-key", &[8; 16]),
        ("extension-labels", b""),
        ("done", b""),
    ]);
    let heard = answers("recipient-v1", &said);
    assert_eq!(
        commands(&heard),
        [
            "labels postquantum",
            "recipient-stanza 0 pqseal",
            "recipient-stanza 0 pqseal",
            "recipient-stanza 1 pqseal",
            "recipient-stanza 1 pqseal",
            "done"
        ]
    );
    for (stanza, (identity, key)) in heard[1..5].iter().map(inner).zip([
        (&first, [7; 16]),
        (&second, [7; 16]),
        (&first, [8; 16]),
        (&second, [8; 16]),
    ]) {
        let opened = identity.unwrap(&[stanza]).unwrap().unwrap();
        assert_eq!(opened.as_bytes(), &key);
    }
}

#[test]
fn a_bad_recipient_stops_all_of_them() {
    let good = identity("mlkem1024-p384").recipient();
    let other = X25519Identity::generate().unwrap().recipient();
    let said = script(&[
        (&format!("add-recipient {good}"), b""),
        (&format!("add-recipient {other}"), b""),
        ("wrap-file-key", &[7; 16]),
        ("done", b""),
    ]);
    let heard = answers("recipient-v1", &said);
    assert_eq!(commands(&heard), ["error recipient 1", "done"]);

    let classical = identity("p384").recipient();
    let said = script(&[
        (&format!("add-recipient {good}"), b""),
        (&format!("add-recipient {classical}"), b""),
        ("wrap-file-key", &[7; 16]),
        ("done", b""),
    ]);
    let heard = answers("recipient-v1", &said);
    assert_eq!(commands(&heard), ["error internal", "done"]);
}

#[test]
fn an_experimental_kem_needs_a_yes() {
    let bike = identity("x25519-bike-l1").recipient();
    let said = script(&[
        (&format!("add-recipient {bike}"), b""),
        ("wrap-file-key", &[7; 16]),
        ("done", b""),
    ]);
    for (answer, then) in [
        ("ok yes", "recipient-stanza 0 pqseal"),
        ("ok no", "error recipient 0"),
        ("fail", "error recipient 0"),
        ("unsupported", "error recipient 0"),
    ] {
        let heard = heard("recipient-v1", &format!("{said}-> {answer}\n\n-> ok\n\n"));
        let commands = commands(&heard);
        assert!(commands[0].starts_with("confirm "), "{commands:?}");
        assert_eq!(commands[1..], [then, "done"], "{answer}");
    }
    let refused = keys::read_recipient(&bike.to_string()).err();
    assert!(matches!(refused, Some(Error::Key(KeyError::Experimental))));
    let reader = Reader::default().with_policy(Policy::draft().with_experimental());
    reader.recipient(&bike.to_string()).unwrap();
}

#[test]
fn file_keys_are_unwrapped_but_for_malformed_stanzas() {
    let ours = identity("mlkem1024-p384");
    let forward = |index: &str, stanza: &Stanza| {
        let args = [&[index.to_owned(), stanza.kind.clone()], &stanza.args[..]].concat();
        let body = Base64Unpadded::encode_string(&stanza.body);
        format!("-> recipient-stanza {}\n{body}\n", args.join(" "))
    };
    let wrapped = ours
        .recipient()
        .wrap(&FileKey::new([7; 16]))
        .unwrap()
        .remove(0);
    let foreign = identity("mlkem1024-p384").recipient();
    let foreign = foreign.wrap(&FileKey::new([9; 16])).unwrap().remove(0);
    let unknown = Stanza::new("X25519", vec!["share".into()], vec![1; 32]);
    let mut short = wrapped.clone();
    short.body.pop();
    let said = [
        script(&[(&format!("add-identity {}", *ours.to_text().unwrap()), b"")]),
        forward("0", &unknown),
        forward("0", &foreign),
        forward("1", &wrapped),
        forward("1", &short),
        forward("4", &foreign),
        forward("4", &wrapped),
        script(&[("done", b"")]),
    ]
    .concat();
    let heard = answers("identity-v1", &said);
    assert_eq!(commands(&heard), ["error stanza 1", "file-key 4", "done"]);
    assert_eq!(heard[0].args, ["stanza", "1", "1"]);
    assert_eq!(heard[1].body, [7; 16]);

    let said = script(&[("add-identity AGE-PLUGIN-PQSEAL-1QQ", b""), ("done", b"")]);
    let heard = answers("identity-v1", &said);
    assert_eq!(commands(&heard), ["error identity 0", "done"]);
}

#[test]
fn clients_that_break_the_protocol_are_errors() {
    let serve = |machine: &str, said: &str| serve(machine, said.as_bytes(), Vec::new());
    let error = serve("recipient-v2", "").unwrap_err();
    assert!(matches!(error, ServeError::StateMachine));
    for said in [
        "",
        "->",
        "-> done\n",
        "noise\n\n",
        "-> add-recipient\n\n-> done\n\n",
    ] {
        let error = serve("recipient-v1", said).unwrap_err();
        assert!(matches!(error, ServeError::Protocol), "{said:?}: {error:?}");
    }
}

#[test]
fn every_kem_has_recipients() {
    let mut count = 0;
    for kem in pqseal_keys::kems() {
        let name = kem.info().short_name;
        let ours = identity(name);
        let text = ours.to_text().unwrap();
        assert!(text.starts_with("AGE-PLUGIN-PQSEAL-1"));
        let again = PqsealIdentity::read(&text).unwrap();
        assert_eq!(again.recipient().to_string(), ours.recipient().to_string());
        let stanzas = ours.recipient().wrap(&FileKey::new([7; 16])).unwrap();
        let opened = again.unwrap(&stanzas).unwrap().unwrap();
        assert_eq!(opened.as_bytes(), &[7; 16], "{name}");
        let classical = name.starts_with('p') || matches!(name, "x25519" | "x448");
        assert_eq!(ours.recipient().labels().is_empty(), classical, "{name}");
        count += 1;
    }
    assert_eq!(count, pqseal_keys::kems().count());
}

#[test]
fn malformed_stanzas_are_refused_before_decryption() {
    let ours = identity("mlkem1024-p384");
    let good = ours
        .recipient()
        .wrap(&FileKey::new([7; 16]))
        .unwrap()
        .remove(0);
    let with = |args: &[&str], body: Vec<u8>| {
        let args = args.iter().map(ToString::to_string).collect();
        ours.unwrap(&[Stanza::new("pqseal", args, body)])
    };
    let (kem, enc) = (good.args[0].as_str(), good.args[1].as_str());
    for (args, body, why) in [
        (&[kem][..], good.body.clone(), HeaderError::Arguments),
        (&[kem, enc, "x"], good.body.clone(), HeaderError::Arguments),
        (&["51", enc], good.body.clone(), HeaderError::Arguments),
        (&["00FF", enc], good.body.clone(), HeaderError::Arguments),
        (&[kem, &enc[4..]], good.body.clone(), HeaderError::Arguments),
        (&[kem, "?"], good.body.clone(), HeaderError::Base64),
        (
            &[kem, enc],
            good.body[1..].to_vec(),
            HeaderError::BodyLength,
        ),
    ] {
        let error = with(args, body).unwrap_err();
        assert!(
            matches!(error, Error::Header(e) if e == why),
            "{args:?}: {error:?}"
        );
    }
    // Another program may know this KEM.
    assert!(with(&["ffff", enc], good.body.clone()).unwrap().is_none());
}

#[test]
fn a_plugin_that_is_missing_is_named() {
    let reader = Reader::default().with_plugins(std::sync::Arc::new(NoUi));
    let identity = reader.identity("AGE-PLUGIN-MISSING-1JJ2EHZ").err();
    assert!(matches!(identity, Some(Error::Key(KeyError::Bech32))));
    let text =
        bech32::encode_lower::<bech32::Bech32>(bech32::Hrp::parse("age1missing").unwrap(), &[1]);
    let recipient = reader.recipient(&text.unwrap()).unwrap();
    match recipient.wrap(&FileKey::new([0; 16])) {
        Err(Error::Plugin(error)) => {
            assert_eq!(error.plugin, "missing");
            assert!(matches!(error.why, PluginFailure::NotFound));
        }
        other => panic!("{other:?}"),
    }
    let text = bech32::encode_lower::<bech32::Bech32>(bech32::Hrp::parse("age1a/b").unwrap(), &[1]);
    let path = reader.recipient(&text.unwrap()).err();
    assert!(
        matches!(path, Some(Error::Key(KeyError::Unknown))),
        "{path:?}"
    );
}
