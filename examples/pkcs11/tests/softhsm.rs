//! The helper with a key in SoftHSM, and the client of `pqseal open --decap-command`.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
    time::Duration,
};

use pqseal_keys::{SysRng, decap_command::DecapCommand};
use pqseal_matched_data::{
    Blob, Error, KeyRing, OpenOptions, SealOptions, SealedRecord, Sealer, Trailing,
};
use tempfile::TempDir;

/// The paths of the module in Debian and other systems.
const MODULES: [&str; 3] = [
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib64/libsofthsm2.so",
    "/usr/local/lib/softhsm/libsofthsm2.so",
];

/// A separate token for each test.
struct Soft(TempDir);

impl Soft {
    fn new() -> Self {
        let soft = Self(TempDir::new().unwrap());
        let tokens = soft.0.path().join("tokens");
        fs::create_dir(&tokens).unwrap();
        let config = format!(
            "directories.tokendir = {}\nlog.level = ERROR\n",
            tokens.display()
        );
        fs::write(soft.0.path().join("softhsm2.conf"), config).unwrap();
        fs::write(soft.0.path().join("pin"), "1234\n").unwrap();
        let arguments = "--init-token --free --label pqseal --so-pin 5678 --pin 1234";
        let made = soft
            .command("softhsm2-util")
            .args(arguments.split(' '))
            .output();
        let made = made.expect("softhsm2-util is missing: apt install softhsm2, or tools/setup");
        assert!(made.status.success(), "{made:?}");
        soft
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SOFTHSM2_CONF", self.0.path().join("softhsm2.conf"));
        command
    }

    fn helper(&self, action: &str, key: &str) -> Command {
        let module = MODULES.iter().find(|module| Path::new(module).exists());
        let module = module.expect("SoftHSM is missing: apt install softhsm2, or tools/setup");
        let mut command = self.command(env!("CARGO_BIN_EXE_pkcs11-helper"));
        command.args([
            action, "--module", module, "--token", "pqseal", "--key", key,
        ]);
        command.arg("--pin-file").arg(self.0.path().join("pin"));
        command
    }

    fn run(&self, action: &str, key: &str) -> Output {
        self.helper(action, key).output().unwrap()
    }

    fn start(&self, key: &str) -> DecapCommand {
        DecapCommand::start(self.helper("serve", key), Duration::from_secs(60)).unwrap()
    }
}

fn seal(public: &pqseal_hpke::AnyPublicKey, plaintext: &[u8]) -> Vec<u8> {
    let sealer = Sealer::new(public, &SealOptions::default()).unwrap();
    sealer.seal(b"", plaintext, &mut SysRng).unwrap()
}

#[test]
fn blobs_open_with_a_key_in_the_token_one_by_one_and_in_batches() {
    let soft = Soft::new();
    let made = soft.run("keygen", "logs");
    assert!(made.status.success(), "{made:?}");
    let public =
        pqseal_keys::read_public(std::str::from_utf8(&made.stdout).unwrap(), None).unwrap();
    let helper = soft.start("logs");
    assert_eq!(*helper.public_key(), public);
    let mut ring = KeyRing::new();
    ring.add(&helper.private_key()).unwrap();
    let texts: Vec<_> = (0..200_u8).map(|n| vec![n; usize::from(n)]).collect();
    let mut blobs: Vec<_> = texts.iter().map(|text| seal(&public, text)).collect();
    // The encapsulated key follows a header of 15 bytes; this one is off the curve.
    blobs[7][40] ^= 1;
    let parsed = |blob| Blob::parse(blob, Trailing::Refuse).unwrap();
    let options = OpenOptions::default();
    let one = ring.open(&parsed(&blobs[3]), &options).unwrap();
    assert_eq!(one.plaintext, texts[3]);
    let records: Vec<_> = blobs
        .iter()
        .map(|blob| SealedRecord {
            blob: parsed(blob),
            aad: None,
            hint: None,
        })
        .collect();
    for (n, opened) in ring.open_batch(&records, &options).into_iter().enumerate() {
        match n {
            7 => assert_eq!(opened, Err(Error::Altered)),
            _ => assert_eq!(opened.unwrap().plaintext, texts[n]),
        }
    }
    assert!(helper.failure().is_none());
}

#[test]
fn a_wrong_pin_a_missing_key_and_a_second_key_are_reported() {
    let soft = Soft::new();
    let says = |ran: &Output, words: &str| {
        let text = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success() && text.contains(words), "{text}");
    };
    says(
        &soft.run("serve", "logs"),
        "no P-256 private key with the label logs",
    );
    assert!(soft.run("keygen", "logs").status.success());
    says(&soft.run("keygen", "logs"), "already");
    fs::write(soft.0.path().join("pin"), "0000").unwrap();
    says(&soft.run("serve", "logs"), "PIN");
}
