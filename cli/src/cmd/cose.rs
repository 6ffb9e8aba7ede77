//! `pqseal cose`: COSE with HPKE (COSE-HPKE).

use clap::{Args, Subcommand};
use getrandom::SysRng;
use pqseal_atomic_file::Overwrite;
use pqseal_formats::{
    ALGORITHMS, Algorithm, PublicKey,
    cose::{self, ContentAlgorithm, Inspected, Opened, Opener, Recipient, Sealer},
};
use serde_json::{Map, Value, json};

use super::jwe::line;

use crate::{
    error::Error,
    escape,
    input::Source,
    message::{Answer, Known, OpenArgs, SealArgs, failed, hex, one_of, text_or_file},
    output::{FileMode, Target, to_stdout},
};

/// The arguments of `pqseal cose`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A key for COSE", "pqseal keygen --form cose-key --alg HPKE-9 --kid 2026-11 -o key.cose > public.jwk"),
    ("Encrypt a message", "echo hello | pqseal cose seal --to public.jwk -o message.cose"),
    ("Decrypt it", "pqseal cose open -k key.cose message.cose"),
]))]
pub struct Cose {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Seal(Box<Seal>),
    Open(Box<Open>),
    Inspect(Inspect),
}

impl Cose {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<(), Error> {
        match self.action {
            Action::Seal(seal) => seal.run(),
            Action::Open(open) => open.run(json),
            Action::Inspect(inspect) => inspect.run(json),
        }
    }
}

/// The external_aad of a message.
#[derive(Args)]
struct External {
    /// Data that is authenticated and not sent (external_aad); the same value is required to open
    /// the message
    #[arg(long, value_name = "TEXT", conflicts_with = "aad_file")]
    aad: Option<String>,
    /// The same, from a file, byte for byte
    #[arg(long, value_name = "FILE")]
    aad_file: Option<Source>,
}

impl External {
    fn sources(&self) -> Vec<&Source> {
        self.aad_file.iter().collect()
    }

    fn read(&self) -> Result<Vec<u8>, Error> {
        text_or_file(self.aad.as_ref(), self.aad_file.as_ref())
    }
}

/// Returns a header's byte string: as text if it is UTF-8, otherwise in hexadecimal digits after
/// `0x`.
fn bytes(name: &'static str, value: &[u8]) -> (&'static str, Value) {
    match std::str::from_utf8(value) {
        Ok(text) => (name, json!(text)),
        Err(_) => (name, json!(format!("0x{}", hex(value)))),
    }
}

/// Encrypt to one or several public keys
///
/// Writes a tagged COSE_Encrypt0 message, or COSE_Encrypt with a -KE algorithm, in CBOR.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("To a key that names its algorithm", "pqseal cose seal --to public.cose -o message.cose message.txt"),
    ("With external data, and the ciphertext in a separate file", "pqseal cose seal --to public.cose --aad 'device 7' --detached image.enc -o image.cose image.bin"),
    ("To two recipients", "pqseal cose seal --to a.cose --to b.cose --alg HPKE-9-KE -o message.cose message.txt"),
]))]
struct Seal {
    #[command(flatten)]
    common: SealArgs,
    #[command(flatten)]
    external: External,
    /// The content encryption of the -KE algorithms: A128GCM, A256GCM (if not given) or
    /// ChaCha20/Poly1305
    #[arg(long, value_name = "NAME", value_parser = content)]
    enc: Option<ContentAlgorithm>,
    /// Write the ciphertext to this file, and leave it out of the message
    #[arg(long, value_name = "FILE")]
    detached: Option<Target>,
}

impl Seal {
    fn run(self) -> Result<(), Error> {
        self.common.check(&self.external.sources())?;
        if self.detached == Some(Target::Stdout) || self.common.target().is_terminal() {
            return Err(Error::usage(
                "a COSE message is CBOR, which a terminal cannot show; add -o FILE (and a file for --detached)",
            ));
        }
        if let Some(detached) = &self.detached {
            self.common.check_output("--detached", detached)?;
        }
        let keys = self.common.recipients()?;
        let known = self.common.shared.read()?;
        let aad = self.external.read()?;
        let mut sealer: Option<Sealer<'_>> = None;
        for (alg, key) in &keys {
            let recipient = recipient(*alg, key, &known).map_err(|error| failed(&error))?;
            sealer = Some(match sealer {
                None => Sealer::new(recipient),
                Some(sealer) => sealer.and(recipient),
            });
        }
        let sealer = sealer.ok_or_else(|| Error::usage("--to is missing"))?;
        let sealer = sealer.external_aad(&aad);
        self.write(match self.enc {
            Some(content) => sealer.content(content),
            None => sealer,
        })
    }

    fn write(&self, sealer: Sealer<'_>) -> Result<(), Error> {
        let plaintext = self.common.input.read()?;
        let Some(target) = &self.detached else {
            let message = sealer.seal(&plaintext, &mut SysRng);
            return self.common.write(&message.map_err(|error| failed(&error))?);
        };
        let sealed = sealer.seal_detached(&plaintext, &mut SysRng);
        let (message, ciphertext) = sealed.map_err(|error| failed(&error))?;
        target.write(&ciphertext, FileMode::Umask, Overwrite::Allow)?;
        self.common.write(&message)
    }
}

fn recipient<'k>(
    alg: Algorithm,
    key: &'k PublicKey,
    known: &'k Known,
) -> Result<Recipient<'k>, pqseal_formats::Error> {
    let recipient = Recipient::new(alg, key)?.info(&known.info);
    match known.psk() {
        Some((id, psk)) => recipient.psk(id, psk),
        None => Ok(recipient),
    }
}

fn content(name: &str) -> Result<ContentAlgorithm, String> {
    let names = ContentAlgorithm::ALL
        .into_iter()
        .map(ContentAlgorithm::name);
    ContentAlgorithm::by_name(name).ok_or_else(|| one_of(names))
}

/// Decrypt with a private key
///
/// Reads a COSE_Encrypt0 or COSE_Encrypt message, tagged or not. With --json the answer has the
/// algorithm, the key and the ids that the message names.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("With a key that names its algorithm", "pqseal cose open -k key.cose message.cose"),
    ("With any other key", "pqseal cose open -k key.pem --alg HPKE-3 message.cose"),
    ("With external data and a separate ciphertext", "pqseal cose open -k key.cose --aad 'device 7' --detached image.enc -o image.bin image.cose"),
]))]
struct Open {
    #[command(flatten)]
    common: OpenArgs,
    #[command(flatten)]
    external: External,
    /// The file with the ciphertext, if it is not in the message
    #[arg(long, value_name = "FILE")]
    detached: Option<Source>,
}

impl Open {
    fn run(self, json: bool) -> Result<(), Error> {
        let mut others = self.external.sources();
        others.extend(&self.detached);
        let keys = self.common.keys(&others)?;
        let allowed = self.common.allowed(&keys)?;
        let known = self.common.shared.read()?;
        let aad = self.external.read()?;
        let mut opener = Opener::new(&allowed).info(&known.info).external_aad(&aad);
        for (_, key) in &keys {
            opener = opener.key(key);
        }
        if let Some((id, psk)) = known.psk() {
            opener = opener.psk(id, psk).require_psk();
        }
        let opened = self.open(&opener)?;
        let answer = answer(&keys[opened.key].0, &opened);
        self.common.write(&answer, json)
    }

    fn open(&self, opener: &Opener<'_>) -> Result<Opened, Error> {
        let message = self.common.input.read()?;
        match &self.detached {
            Some(file) => opener.open_detached(&message, &file.read()?),
            None => opener.open(&message),
        }
        .map_err(|error| failed(&error))
    }
}

fn answer<'a>(key: &'a Source, opened: &'a Opened) -> Answer<'a> {
    let kid = opened.kid.as_deref().map(|kid| bytes("kid", kid));
    let psk_id = opened.psk_id.as_deref().map(|id| bytes("psk_id", id));
    Answer {
        alg: opened.algorithm,
        key,
        recipient: opened.recipient,
        others: kid.into_iter().chain(psk_id).collect(),
        plaintext: &opened.plaintext,
    }
}

/// Show the headers of a COSE message, without any key
///
/// What is shown is not authenticated until the message is opened.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A file", "pqseal cose inspect message.cose"),
    ("From a pipe", "cat message.cose | pqseal cose inspect"),
    ("As JSON", "pqseal --json cose inspect message.cose"),
]))]
struct Inspect {
    /// The COSE_Encrypt0 or COSE_Encrypt message, tagged or not
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

impl Inspect {
    fn run(self, json: bool) -> Result<(), Error> {
        to_stdout(show(&self.input.read()?, json)?.as_bytes())
    }
}

/// Describes a COSE message, in lines or as JSON.
pub(super) fn show(message: &[u8], json: bool) -> Result<String, Error> {
    let (structure, content, recipients) =
        cose::inspect(message).map_err(|error| failed(&error))?;
    let content = content.map(|id| (id, ContentAlgorithm::by_id(id)));
    if json {
        let mut shown = json!({"format": "cose", "structure": structure.to_string()});
        if let Some((id, known)) = content {
            shown["content_alg"] = json!(id);
            shown["content_algorithm"] = json!(known.map(ContentAlgorithm::name));
        }
        let recipients = recipients.iter().map(|one| {
            let members = facts(one).into_iter();
            members
                .map(|(name, value)| (name.to_owned(), value))
                .collect::<Map<_, _>>()
        });
        shown["recipients"] = recipients.map(Value::Object).collect();
        return Ok(escape::json(&shown.to_string()) + "\n");
    }
    let mut text = line("format", "COSE") + &line("structure", &structure.to_string());
    if let Some((id, known)) = content {
        let name = known.map_or("unknown", ContentAlgorithm::name);
        text += &line("content", &format!("{name} ({id})"));
    }
    for (number, one) in recipients.iter().enumerate() {
        text += &line("recipient", &number.to_string());
        for (name, value) in facts(one) {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let name = name.replace('_', " ");
            text += &line(&format!("  {name}"), &escape::bytes(value.as_bytes()));
        }
    }
    Ok(text)
}

/// Lists the facts of a recipient, in order.
fn facts(one: &Inspected) -> Vec<(&'static str, Value)> {
    let known = ALGORITHMS.iter().find(|alg| Some(alg.cose()) == one.alg);
    let mut facts = Vec::new();
    facts.extend(one.alg.map(|alg| ("alg", json!(alg))));
    facts.extend(known.map(|alg| ("algorithm", json!(alg.name()))));
    facts.extend(one.kid.as_deref().map(|kid| bytes("kid", kid)));
    facts.extend(one.psk_id.as_deref().map(|id| bytes("psk_id", id)));
    facts.extend(one.ek_len.map(|len| ("ek_bytes", json!(len))));
    facts
}
