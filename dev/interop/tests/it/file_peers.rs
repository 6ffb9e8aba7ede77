//! Our files with other programs, in both directions, at sizes around the boundaries of chunks and
//! at random ones: the age format with `age`, `rage` and typage, Cobblestone with pyca. A missing
//! program is a failure.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::Command,
};

use data_encoding::HEXLOWER;
use interop::Process;
use pqseal_age::{
    Decryptor, Encryptor, HpkeIdentity, MLKEM768X25519, Recipient, X25519Identity,
    cobblestone::{self, Cipher},
    keys,
};
use serde_json::{Value, json};

const BUILD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.build");

/// A program that encrypts and decrypts files of the age format.
enum Program {
    /// A command line with the options of `age`.
    CommandLine(PathBuf),
    Typage(Process),
}

impl Program {
    fn command_line(name: &str) -> Self {
        Self::CommandLine(Path::new(BUILD).join(name))
    }

    fn encrypt(&mut self, recipients: &[String], folder: &Path) {
        match self {
            Self::CommandLine(program) => {
                let recipients = recipients.iter().flat_map(|text| ["-r", text]);
                let options = recipients.chain(["-o", "theirs", "plain"]);
                assert_eq!(run(program, options, folder), Ok(()));
            }
            Self::Typage(process) => {
                let (from, to) = (folder.join("plain"), folder.join("theirs"));
                let request =
                    json!({ "op": "encrypt", "recipients": recipients, "from": from, "to": to });
                assert_eq!(process.ask::<Value>(&request), Ok(json!({})));
            }
        }
    }

    /// Decrypts the file `name` to `opened`.
    fn decrypt(&mut self, identity: &str, name: &str, folder: &Path) -> Result<(), String> {
        match self {
            Self::CommandLine(program) => {
                fs::write(folder.join("id"), identity).unwrap();
                let options = ["-d", "-i", "id", "-o", "opened", name];
                run(program, options.into_iter(), folder)
            }
            Self::Typage(process) => {
                let (from, to) = (folder.join(name), folder.join("opened"));
                let request =
                    json!({ "op": "decrypt", "identity": identity, "from": from, "to": to });
                process.ask::<Value>(&request).map(drop)
            }
        }
    }
}

fn run<'a>(
    program: &Path,
    options: impl Iterator<Item = &'a str>,
    folder: &Path,
) -> Result<(), String> {
    let mut command = Command::new(program);
    let output = command.args(options).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| {
        let name = program.display();
        panic!("the peer {name} does not start ({error}): run dev/interop/setup.sh age rage")
    });
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// An identity's text and its recipient.
type Pair = (String, String);

fn x25519() -> Pair {
    let identity = X25519Identity::generate().unwrap();
    (
        identity.to_text().to_string(),
        identity.recipient().to_string(),
    )
}

fn post_quantum() -> Pair {
    let identity = HpkeIdentity::generate(&MLKEM768X25519).unwrap();
    let text = identity.to_text().unwrap();
    (text.to_string(), identity.recipient().to_string())
}

/// Returns sizes at the boundaries of chunks of `chunk` bytes, and random ones up to some MiB.
fn sizes(chunk: usize) -> Vec<usize> {
    let borders = [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk - 1, 3 * chunk];
    let random = [chunk, 4 * chunk, 3 << 20].map(|most| {
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes).unwrap();
        u32::from_le_bytes(bytes) as usize % most
    });
    borders.into_iter().chain(random).collect()
}

fn random(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

/// Checks that we open theirs and they open ours, each file for three recipients.
fn both_directions(mut program: Program, generate: fn() -> Pair) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pairs = [0; 3].map(|_| generate());
    let recipients = pairs.each_ref().map(|(_, recipient)| recipient.clone());
    for size in sizes(1 << 16) {
        let plain = random(size);
        fs::write(folder.join("plain"), &plain).unwrap();
        program.encrypt(&recipients, folder);
        let theirs = fs::read(folder.join("theirs")).unwrap();
        for (identity, _) in &pairs {
            let identity = keys::read_identity(identity).unwrap();
            let mut opened = Vec::new();
            let mut decryptor = Decryptor::new(&[&*identity], &theirs[..]).unwrap();
            decryptor.read_to_end(&mut opened).unwrap();
            assert!(opened == plain, "{size} bytes of theirs");
        }

        let ours = recipients
            .each_ref()
            .map(|text| keys::read_recipient(text).unwrap());
        let ours: Vec<&dyn Recipient> = ours.iter().map(AsRef::as_ref).collect();
        let mut encryptor = Encryptor::new(&ours, Vec::new()).unwrap();
        encryptor.write_all(&plain).unwrap();
        let mut file = encryptor.finish().unwrap();
        fs::write(folder.join("ours"), &file).unwrap();
        let (identity, _) = &pairs[size % 3];
        assert_eq!(
            program.decrypt(identity, "ours", folder),
            Ok(()),
            "{size} bytes of ours"
        );
        // rage makes no file for a text of 0 bytes.
        let opened = fs::read(folder.join("opened"));
        let opened = opened.unwrap_or_else(|error| {
            assert_eq!(size, 0, "{error}");
            Vec::new()
        });
        assert!(opened == plain, "{size} bytes of ours");
        let _ = fs::remove_file(folder.join("opened"));
        fs::remove_file(folder.join("theirs")).unwrap();

        *file.last_mut().unwrap() ^= 1;
        fs::write(folder.join("altered"), file).unwrap();
        let refused = program.decrypt(identity, "altered", folder);
        assert!(refused.is_err(), "{size} bytes of ours, altered");
        let _ = fs::remove_file(folder.join("opened"));
    }
}

#[test]
fn age_opens_ours_and_we_open_its() {
    both_directions(Program::command_line("age"), x25519);
    both_directions(Program::command_line("age"), post_quantum);
}

#[test]
fn rage_opens_ours_and_we_open_its() {
    both_directions(Program::command_line("rage/bin/rage"), x25519);
}

#[test]
fn typage_opens_ours_and_we_open_its() {
    let typage = || Program::Typage(Process::start(&["node", "node/age.mjs"]));
    both_directions(typage(), x25519);
    both_directions(typage(), post_quantum);
}

#[test]
fn pyca_opens_our_cobblestone_and_we_open_its() {
    let mut pyca = Process::start(&[".build/venv/bin/python", "python/chunks.py"]);
    let folder = tempfile::tempdir().unwrap();
    let [plain, ours, theirs, opened] =
        ["plain", "ours", "theirs", "opened"].map(|name| folder.path().join(name));
    for (cipher, bits) in [(Cipher::Aes128Gcm, 128), (Cipher::Aes256Gcm, 256)] {
        for size in sizes(1 << 14) {
            let (key, context, text) = (random(bits / 8), random(size % 50), random(size));
            let ask = |op: &str, from: &Path, to: &Path| {
                let (key, context) = (HEXLOWER.encode(&key), HEXLOWER.encode(&context));
                json!({ "op": op, "bits": bits, "key": key, "context": context, "from": from, "to": to })
            };
            fs::write(&plain, &text).unwrap();
            let sealed = pyca.ask::<Value>(&ask("seal", &plain, &theirs));
            assert_eq!(sealed, Ok(json!({})), "{size} bytes");
            let mut read = Vec::new();
            let sealed = fs::read(&theirs).unwrap();
            let mut reader = cobblestone::open(cipher, &key, &context, &sealed[..]).unwrap();
            reader.read_to_end(&mut read).unwrap();
            assert!(read == text, "{size} bytes of theirs");

            let mut writer = cobblestone::seal(cipher, &key, &context, Vec::new()).unwrap();
            writer.write_all(&text).unwrap();
            let mut sealed = writer.finish().unwrap();
            fs::write(&ours, &sealed).unwrap();
            let answer = pyca.ask::<Value>(&ask("open", &ours, &opened));
            assert_eq!(answer, Ok(json!({})), "{size} bytes of ours");
            assert!(fs::read(&opened).unwrap() == text, "{size} bytes of ours");

            *sealed.last_mut().unwrap() ^= 1;
            fs::write(&ours, &sealed).unwrap();
            let answer = pyca.ask::<Value>(&ask("open", &ours, &opened));
            assert!(answer.is_err(), "{size} bytes of ours, altered");
        }
    }
}
