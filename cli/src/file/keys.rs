//! Recipients and identities, read from arguments and files. Identities under a passphrase stay
//! locked until no other identity opens a file. `pqseal file keygen` makes identities, like
//! `age-keygen`.

use std::{
    cell::OnceCell,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    sync::Arc,
};

use clap::Args;
use pqseal_age::{
    AnyHeader, ContentKey, Error as AgeError, HpkeIdentity, Identity, MLKEM768X25519, SshIdentity,
    SshRecipient, X25519Identity,
    keys::{AnyIdentity, AnyRecipient, LineError, Reader},
    object,
    plugin::Ui,
};
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::{DynKem, Policy};
use pqseal_keys::{Content, KeyText, pbes2};
use zeroize::Zeroizing;

use super::{bad_key, bad_recipients, file_failed};
use crate::{
    age_plugin::{NewIdentity, new_identity},
    binding::AllowExperimental,
    error::{Error, warn},
    escape,
    input::{Source, warn_if_others_read},
    keyfile::Skipped,
    output::{FileMode, Target, to_stdout},
    parse::key_as_argument,
    passphrase::{self, Passphrase},
    suite,
};

/// The largest file of keys, in bytes: 1 MiB, some 500 post-quantum recipients.
const LIMIT: usize = 1 << 20;

/// The options for recipients.
#[derive(Args)]
pub struct Recipients {
    /// Encrypt to this recipient: age1..., also of a plugin, a public key as a pqseal line, or of
    /// SSH ("ssh-ed25519 ..." or "ssh-rsa ..."); may be repeated
    #[arg(short, long = "recipient", value_name = "RECIPIENT")]
    recipients: Vec<String>,
    /// Encrypt to the recipients in this file, one per line (# starts a comment), such as
    /// ~/.ssh/id_ed25519.pub, or to a public key in PEM or JWK; may be repeated
    #[arg(short = 'R', long = "recipients-file", value_name = "FILE")]
    files: Vec<Source>,
    #[command(flatten)]
    experimental: AllowExperimental,
}

impl Recipients {
    /// Lists the files that are read.
    pub fn sources(&self) -> &[Source] {
        &self.files
    }

    /// Returns the options of wrapping a pqseal object for the recipients.
    pub(super) fn object_options(&self) -> object::Options {
        object::Options {
            policy: self.experimental.policy(),
            ..object::Options::default()
        }
    }

    /// Reads the recipients.
    ///
    /// # Errors
    /// If one is not a recipient.
    pub fn read(&self) -> Result<Vec<AnyRecipient>, Error> {
        let reader = reader().with_policy(self.experimental.policy());
        let mut found = Vec::new();
        for (text, number) in self.recipients.iter().zip(1..) {
            let starts = ["AGE-SECRET-KEY-", "AGE-PLUGIN-"];
            if starts.iter().any(|start| text.starts_with(start)) || pqseal_keys::looks_secret(text)
            {
                return Err(key_as_argument());
            }
            let recipient = reader
                .recipient(text)
                .map_err(|error| bad_key(&format!("-r number {number}"), &error))?;
            found.push(recipient);
        }
        for file in &self.files {
            let read = reader.recipients_and_skipped(secret(file)?);
            let (recipients, skipped) = read.map_err(|e| on_line(file, &e))?;
            found.extend(recipients);
            for line in skipped {
                let LineError { line, error, .. } = line;
                warn(
                    "skipped_key",
                    format_args!(
                        "{file}, line {line}: skipped, nothing is encrypted to it: {error}"
                    ),
                );
            }
        }
        Ok(found)
    }
}

const PASSPHRASE_FILE: &str = "A file with the passphrase of the encrypted file or of its identity file on its first line, `-` for standard input; if not given, it is asked for on the terminal";

/// The options for identities.
#[derive(Args)]
#[command(mut_arg("passphrase_file", |arg| arg.help(PASSPHRASE_FILE)))]
pub struct Identities {
    /// Decrypt with the identities (private keys) in this file, as `pqseal file keygen` or
    /// `age-keygen` writes them, those of plugins, a private key of pqseal's, or of SSH
    /// (~/.ssh/id_ed25519); it may be under a passphrase, which is asked for only if no other
    /// identity opens the file; may be repeated
    #[arg(short, long = "identity", value_name = "FILE")]
    identities: Vec<Source>,
    #[command(flatten)]
    pub passphrase: Passphrase,
}

impl Identities {
    /// Lists the files that are read.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.identities.iter().chain(self.passphrase.source())
    }

    /// Reads all identities, and asks for the passphrases of those under one.
    ///
    /// # Errors
    /// If one is not an identity.
    pub fn unlocked(&self) -> Result<Vec<AnyIdentity>, Error> {
        let mut found = Vec::new();
        for file in &self.identities {
            found.extend(all_of(file, &self.passphrase)?);
            warn_if_others_read(file, "identity");
        }
        Ok(found)
    }

    /// Reads the files, without unlocking those under a passphrase.
    pub(super) fn read(&self) -> Result<Keys<'_>, Error> {
        let (mut ready, mut locked) = (Vec::new(), Vec::new());
        for file in &self.identities {
            let found = Locked::read(file)?;
            warn_if_others_read(file, "identity");
            let is_locked = found.ssh.is_some()
                || passphrase::is_encrypted(&found.bytes)
                || pbes2::is_in(&found.bytes);
            match is_locked {
                true => locked.push(found),
                false => ready.extend(found.unlock(&self.passphrase)?),
            }
        }
        let passphrase = &self.passphrase;
        Ok(Keys {
            ready,
            locked,
            passphrase,
        })
    }
}

/// Reads the identities of a file, which may be under a passphrase.
fn all_of(file: &Source, passphrase: &Passphrase) -> Result<Vec<AnyIdentity>, Error> {
    Locked::read(file)?.unlock(passphrase)
}

/// The identities of a run.
pub(super) struct Keys<'a> {
    ready: Vec<AnyIdentity>,
    locked: Vec<Locked<'a>>,
    passphrase: &'a Passphrase,
}

impl Keys<'_> {
    /// Returns the content key of a file. Asks for the passphrase of the file, or for those of
    /// identities that may open it.
    pub(super) fn open(
        &self,
        name: &Source,
        header: &AnyHeader,
        policy: &Policy,
    ) -> Result<ContentKey, Error> {
        if matches!(header, AnyHeader::Age(header) if header.is_passphrase()) {
            let identity = self.passphrase.identity(name)?;
            let opened = header.open(&[&identity], policy);
            return opened.map_err(|error| file_failed(name, &error));
        }
        if self.ready.is_empty() && self.locked.is_empty() {
            return Err(Error::usage(format!(
                "{name} is encrypted to recipients; give an identity with -i"
            )));
        }
        let mut opened = header.open(&refs(&self.ready), policy);
        for locked in self.locked.iter().filter(|locked| locked.may_open(header)) {
            if !matches!(opened, Err(AgeError::NoMatch | AgeError::Plugin(_))) {
                break;
            }
            opened = header.open(&refs(locked.identities(self.passphrase)?), policy);
        }
        opened.map_err(|error| file_failed(name, &error))
    }
}

fn refs(identities: &[AnyIdentity]) -> Vec<&dyn Identity> {
    identities.iter().map(AsRef::as_ref).collect()
}

/// An identity file that may be under a passphrase.
struct Locked<'a> {
    file: &'a Source,
    bytes: Zeroizing<Vec<u8>>,
    /// The public half of an SSH key under a passphrase, which is not encrypted.
    ssh: Option<SshRecipient>,
    /// The identities, once they were needed.
    unlocked: OnceCell<Vec<AnyIdentity>>,
}

impl<'a> Locked<'a> {
    fn read(file: &'a Source) -> Result<Self, Error> {
        let bytes = secret(file)?;
        let ssh = encrypted_ssh(&bytes)
            .map(SshIdentity::recipient_in)
            .transpose();
        let ssh = ssh.map_err(|error| bad_key(&file.to_string(), &error))?;
        let unlocked = OnceCell::new();
        Ok(Self {
            file,
            bytes,
            ssh,
            unlocked,
        })
    }

    /// Reports whether it is worth a question for the passphrase. Only SSH keys tell.
    fn may_open(&self, header: &AnyHeader) -> bool {
        match (&self.ssh, header) {
            (None, _) => true,
            (Some(recipient), AnyHeader::Age(header)) => recipient.is_named_in(header.stanzas()),
            (Some(_), AnyHeader::Object(_)) => false,
        }
    }

    fn identities(&self, passphrase: &Passphrase) -> Result<&[AnyIdentity], Error> {
        if self.unlocked.get().is_none() {
            let _ = self.unlocked.set(self.unlock(passphrase)?);
        }
        Ok(self.unlocked.get().map_or(&[], Vec::as_slice))
    }

    fn unlock(&self, passphrase: &Passphrase) -> Result<Vec<AnyIdentity>, Error> {
        if self.ssh.is_some() {
            let text = encrypted_ssh(&self.bytes).unwrap_or_default();
            let answer = passphrase.text(self.file)?;
            return match SshIdentity::read(text, Some(answer.as_bytes())) {
                Ok(identity) => Ok(vec![Box::new(identity)]),
                Err(AgeError::WrongPassphrase) => Err(passphrase::wrong(self.file)),
                Err(error) => Err(bad_key(&self.file.to_string(), &error)),
            };
        }
        let bytes = passphrase.open(self.bytes.clone(), self.file)?;
        let mut skipped = Skipped::default();
        let identities = reader().identities(&bytes, |entry| skipped.add(entry));
        skipped.warn(self.file);
        identities.map_err(|error| on_line(self.file, &error))
    }
}

/// Returns the SSH key of a file if it is under a passphrase.
fn encrypted_ssh(file: &[u8]) -> Option<&str> {
    match KeyText::new(file).ok()?.single() {
        Content::Pem { text, .. } => Some(text).filter(|text| SshIdentity::is_encrypted(text)),
        _ => None,
    }
}

/// Make an identity and its recipient, as age-keygen does
///
/// With -o the identity goes to a new file that only its owner can read, and the recipient to
/// standard error.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A post-quantum identity", "pqseal file keygen --pq -o key.txt"),
    ("One that every age program can use", "pqseal file keygen -o key.txt"),
    ("The recipients of identities", "pqseal file keygen -y key.txt > recipients.txt"),
]))]
pub(super) struct Keygen {
    /// Make a post-quantum identity (ML-KEM-768 with X25519), which age 1.3 and later can use too
    #[arg(long)]
    pq: bool,
    /// Make an identity of this KEM, such as mlkem1024-p384, which age and rage can use with the
    /// plugin age-plugin-pqseal; `pqseal suites` lists them
    #[arg(long, value_name = "NAME", value_parser = suite::kem, conflicts_with = "pq")]
    kem: Option<&'static DynKem>,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// Print the recipients of the identities in FILE, one per line, instead of making an identity
    #[arg(short = 'y', long = "recipients", conflicts_with_all = ["pq", "kem"])]
    convert: bool,
    /// Write to this new file; an existing file is never overwritten
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    #[command(flatten)]
    passphrase: Passphrase,
    /// With -y: the identity file; `-` or nothing for standard input
    #[arg(value_name = "FILE", requires = "convert")]
    input: Option<Source>,
}

impl Keygen {
    pub(super) fn run(self) -> Result<(), Error> {
        if self.convert {
            return self.recipients();
        }
        let made = match self.kem {
            Some(kem) => new_identity(kem, &self.experimental.policy()),
            None => self.made().map_err(|e| bad_recipients(&e)),
        };
        made?.write(self.output)
    }

    fn made(&self) -> Result<NewIdentity, pqseal_age::Error> {
        if self.pq {
            let identity = HpkeIdentity::generate(&MLKEM768X25519)?;
            return Ok(NewIdentity {
                identity: identity.to_text().expect("the kind has a text"),
                recipient: identity.recipient().to_string(),
            });
        }
        let identity = X25519Identity::generate()?;
        Ok(NewIdentity {
            identity: identity.to_text(),
            recipient: identity.recipient().to_string(),
        })
    }

    fn recipients(self) -> Result<(), Error> {
        let input = self.input.unwrap_or(Source::Stdin);
        let identities = all_of(&input, &self.passphrase)?;
        let mut lines = String::new();
        for (identity, number) in identities.iter().zip(1..) {
            let recipient = identity.recipient_text();
            lines += &recipient.ok_or_else(|| Error::stopped("no_recipient", format!(
                    "{input}: identity number {number} belongs to a plugin, and only the plugin knows its recipient; use the recipient that the plugin printed when it made the identity, and move the identity to a separate file"
                )))?;
            lines.push('\n');
        }
        match self.output {
            Some(file) => file.write(lines.as_bytes(), FileMode::Umask, Overwrite::Refuse),
            None => to_stdout(lines.as_bytes()),
        }
    }
}

/// Reads the bytes of a file of keys.
fn secret(file: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    let read = file.read_secret(LIMIT);
    let bytes =
        read.map_err(|error| Error::io(format_args!("read the key file {file}"), &error))?;
    match bytes.len() > LIMIT {
        true => Err(Error::refused(format!(
            "cannot use the keys in {file}: it is larger than 1 MiB"
        ))),
        false => Ok(bytes),
    }
}

/// Makes the error of a line of a file of keys.
fn on_line(file: &Source, error: &LineError) -> Error {
    bad_key(&format!("{file}, line {}", error.line), &error.error)
}

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: u64 = 4096;

/// The user interface of plugins. Their messages are escaped, since they may repeat the
/// contents of a file.
struct Terminal;

/// Returns a reader of recipients and identities, also of plugins.
fn reader() -> Reader {
    Reader::default().with_plugins(Arc::new(Terminal))
}

impl Ui for Terminal {
    fn message(&self, plugin: &str, text: &str) -> Option<()> {
        writeln!(io::stderr(), "{}", words(plugin, text)).ok()
    }

    fn request(&self, plugin: &str, prompt: &str, secret: bool) -> Option<Zeroizing<String>> {
        let prompt = format!("{}: ", words(plugin, prompt));
        match secret {
            true => rpassword::prompt_password(prompt).ok().map(Zeroizing::new),
            false => line(&prompt),
        }
    }

    fn confirm(&self, plugin: &str, prompt: &str, yes: &str, no: Option<&str>) -> Option<bool> {
        let no = no.unwrap_or("cancel");
        let prompt = words(plugin, prompt);
        let choices = format!(
            "{prompt}\n  1: {}\n  2: {}\n1 or 2: ",
            shown(yes),
            shown(no)
        );
        loop {
            match line(&choices)?.trim() {
                "1" => return Some(true),
                "2" => return Some(false),
                "" => return None,
                _ => {}
            }
        }
    }
}

fn words(plugin: &str, text: &str) -> String {
    format!("age-plugin-{plugin}: {}", shown(text))
}

fn shown(text: &str) -> String {
    escape::bytes(text.as_bytes())
}

/// Reads a line from the terminal, since standard input may be the file.
fn line(prompt: &str) -> Option<Zeroizing<String>> {
    let (input, output) = match cfg!(windows) {
        true => ("CONIN$", "CONOUT$"),
        false => ("/dev/tty", "/dev/tty"),
    };
    let mut terminal = File::options().write(true).open(output).ok()?;
    write!(terminal, "{prompt}").ok()?;
    let mut line = Zeroizing::new(String::new());
    let mut input = BufReader::new(File::open(input).ok()?).take(LONGEST_ANSWER);
    input.read_line(&mut line).ok()?;
    let end = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(end);
    Some(line)
}
