//! The plugin `age-plugin-pqseal`, which wraps and unwraps file keys for
//! [`PqsealRecipient`]s.

use base64ct::{Base64Unpadded, Encoding};
use pqseal_hpke::Status;
use std::{
    fmt,
    io::{self, Read, Write},
};
use zeroize::Zeroizing;

use super::PluginPipes;
use crate::{
    Error, FileKey, KeyError, PqsealIdentity, PqsealRecipient, Recipient, Stanza, kinds::pqseal,
};

/// Runs one state machine of the protocol, `recipient-v1` or `identity-v1`.
///
/// A recipient whose KEM is experimental is refused unless the user confirms it.
///
/// # Errors
/// [`ServeError`]. Problems with keys and stanzas are reported to the client instead.
pub fn serve(state_machine: &str, input: impl Read, output: impl Write) -> Result<(), ServeError> {
    let mut pipes = PluginPipes::new(input, output);
    match state_machine {
        "recipient-v1" => wrap(&mut pipes),
        "identity-v1" => unwrap(&mut pipes),
        _ => Err(ServeError::StateMachine),
    }
}

/// The reason why a plugin cannot continue.
#[non_exhaustive]
#[derive(Debug)]
pub enum ServeError {
    /// The state machine is unknown.
    StateMachine,
    /// The client violated the protocol.
    Protocol,
    /// The client ended early.
    Io(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StateMachine => {
                f.write_str("unknown state machine; recipient-v1 and identity-v1 are supported")
            }
            Self::Protocol => f.write_str("the client breaks the plugin protocol"),
            Self::Io(error) => write!(f, "the client ended early: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for ServeError {
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) => Self::Io(error),
            _ => Self::Protocol,
        }
    }
}

/// An error, with its subject as the protocol names it.
struct Complaint {
    about: Vec<String>,
    words: String,
}

impl Complaint {
    fn new(about: &[&dyn fmt::Display], words: impl fmt::Display) -> Self {
        Self {
            about: about.iter().map(ToString::to_string).collect(),
            words: words.to_string(),
        }
    }
}

/// Reads the commands of the first phase, until `done`.
fn commands<R: Read, W: Write>(
    pipes: &mut PluginPipes<R, W>,
) -> Result<Vec<Zeroizing<Stanza>>, ServeError> {
    let mut all = Vec::new();
    loop {
        match pipes.receive()? {
            done if done.kind == "done" => return Ok(all),
            command => all.push(command),
        }
    }
}

/// Sends a command of the second phase and returns the answer.
fn ask<R: Read, W: Write>(
    pipes: &mut PluginPipes<R, W>,
    command: &str,
    args: &[&str],
    body: &[u8],
) -> Result<Zeroizing<Stanza>, ServeError> {
    pipes.send(command, args, body)?;
    Ok(pipes.receive()?)
}

fn complain<R: Read, W: Write>(
    pipes: &mut PluginPipes<R, W>,
    complaints: &[Complaint],
) -> Result<(), ServeError> {
    for complaint in complaints {
        let about: Vec<&str> = complaint.about.iter().map(String::as_str).collect();
        ask(pipes, "error", &about, complaint.words.as_bytes())?;
    }
    Ok(())
}

/// Returns the only argument of a command.
fn only(command: &Stanza) -> Result<&str, ServeError> {
    match &command.args[..] {
        [arg] => Ok(arg),
        _ => Err(ServeError::Protocol),
    }
}

fn wrap<R: Read, W: Write>(pipes: &mut PluginPipes<R, W>) -> Result<(), ServeError> {
    let (mut recipients, mut complaints, mut file_keys) = (Vec::new(), Vec::new(), Vec::new());
    let (mut texts, mut identities, mut labels) = (0, 0, false);
    for command in commands(pipes)? {
        let (read, kind, index) = match command.kind.as_str() {
            "add-recipient" => {
                texts += 1;
                let recipient = PqsealRecipient::read(only(&command)?);
                (recipient, "recipient", texts - 1)
            }
            "add-identity" => {
                identities += 1;
                let identity = PqsealIdentity::read(only(&command)?);
                let recipient = identity.map(|identity| identity.recipient());
                (recipient, "identity", identities - 1)
            }
            "wrap-file-key" => {
                file_keys.push(file_key(&command)?);
                continue;
            }
            "extension-labels" => {
                labels = true;
                continue;
            }
            _ => continue,
        };
        match read.map_err(|error| words(error).to_string()) {
            Ok(recipient) => recipients.push((recipient, kind, index)),
            Err(words) => complaints.push(Complaint::new(&[&kind, &index], words)),
        }
    }
    for (recipient, kind, index) in &recipients {
        if let Some(refused) = refusal(pipes, recipient)? {
            complaints.push(Complaint::new(&[kind, index], refused));
        }
    }
    let recipients: Vec<_> = recipients
        .into_iter()
        .map(|(recipient, ..)| recipient)
        .collect();
    match complaints.is_empty() {
        true => answer(pipes, &recipients, &file_keys, labels)?,
        false => complain(pipes, &complaints)?,
    }
    Ok(pipes.send("done", &[], b"")?)
}

fn file_key(command: &Stanza) -> Result<FileKey, ServeError> {
    let bytes = command.body.as_slice().try_into();
    bytes.map(FileKey::new).map_err(|_| ServeError::Protocol)
}

fn words(error: KeyError) -> impl fmt::Display {
    match error {
        KeyError::Kem => "its KEM is not supported by this build of age-plugin-pqseal".to_owned(),
        error => error.to_string(),
    }
}

/// Returns the reason why an experimental recipient is refused, unless the user confirms
/// it.
fn refusal<R: Read, W: Write>(
    pipes: &mut PluginPipes<R, W>,
    recipient: &PqsealRecipient,
) -> Result<Option<String>, ServeError> {
    let kem = recipient.kem();
    if kem.status != Status::Experimental {
        return Ok(None);
    }
    let caution = pqseal_keys::caution(kem).unwrap_or_default();
    let question = format!(
        "{} is experimental. {caution} Encrypt to it?",
        kem.short_name
    );
    let choices =
        ["encrypt", "stop"].map(|choice| Base64Unpadded::encode_string(choice.as_bytes()));
    let choices = choices.each_ref().map(String::as_str);
    let answer = ask(pipes, "confirm", &choices, question.as_bytes())?;
    let yes = answer.kind == "ok" && answer.args == ["yes"];
    Ok((!yes).then(|| format!("{} is experimental, and was not confirmed", kem.short_name)))
}

/// Sends the stanzas after all were created, since stanzas and errors must not be mixed.
fn answer<R: Read, W: Write>(
    pipes: &mut PluginPipes<R, W>,
    recipients: &[PqsealRecipient],
    file_keys: &[FileKey],
    labels: bool,
) -> Result<(), ServeError> {
    let kinds: Vec<_> = recipients.iter().map(Recipient::labels).collect();
    if kinds.windows(2).any(|pair| pair[0] != pair[1]) {
        let complaint = Complaint::new(&[&"internal"], Error::MixedRecipients);
        return complain(pipes, &[complaint]);
    }
    let mut stanzas = Vec::new();
    for (file_key, index) in file_keys.iter().zip(0..) {
        for recipient in recipients {
            match recipient.wrap(file_key) {
                Ok(made) => stanzas.extend(made.into_iter().map(|stanza| (index, stanza))),
                Err(error) => {
                    return complain(pipes, &[Complaint::new(&[&"internal"], error)]);
                }
            }
        }
    }
    if let (true, Some(&labels)) = (labels, kinds.first()) {
        ask(pipes, "labels", labels, b"")?;
    }
    for (index, stanza) in stanzas {
        let index = index.to_string();
        let args = [index.as_str(), &stanza.kind].into_iter();
        let args: Vec<_> = args.chain(stanza.args.iter().map(String::as_str)).collect();
        ask(pipes, "recipient-stanza", &args, &stanza.body)?;
    }
    Ok(())
}

fn unwrap<R: Read, W: Write>(pipes: &mut PluginPipes<R, W>) -> Result<(), ServeError> {
    let (mut identities, mut complaints) = (Vec::new(), Vec::new());
    let mut files: Vec<FileStanzas> = Vec::new();
    let mut number = 0;
    for command in commands(pipes)? {
        match (command.kind.as_str(), &command.args[..]) {
            ("add-identity", [text]) => {
                match PqsealIdentity::read(text) {
                    Ok(identity) => identities.push(identity),
                    Err(error) => {
                        complaints.push(Complaint::new(&[&"identity", &number], words(error)));
                    }
                }
                number += 1;
            }
            ("recipient-stanza", [index, kind, args @ ..]) => {
                let stanza = Stanza::new(kind, args.to_vec(), command.body.clone());
                match files.last_mut() {
                    Some(file) if file.index == *index => file.stanzas.push(stanza),
                    _ => files.push(FileStanzas {
                        index: index.clone(),
                        stanzas: vec![stanza],
                    }),
                }
            }
            ("add-identity" | "recipient-stanza", _) => return Err(ServeError::Protocol),
            _ => {}
        }
    }
    match complaints.is_empty() {
        true => files
            .iter()
            .try_for_each(|file| file.unwrap(pipes, &identities))?,
        false => complain(pipes, &complaints)?,
    }
    Ok(pipes.send("done", &[], b"")?)
}

/// The stanzas of a file.
struct FileStanzas {
    index: String,
    stanzas: Vec<Stanza>,
}

impl FileStanzas {
    fn unwrap<R: Read, W: Write>(
        &self,
        pipes: &mut PluginPipes<R, W>,
        identities: &[PqsealIdentity],
    ) -> Result<(), ServeError> {
        let checked = self.stanzas.iter().zip(0..);
        let malformed: Vec<_> = checked
            .filter_map(|(stanza, number)| {
                let error = pqseal::check(stanza).err()?;
                Some(Complaint::new(&[&"stanza", &self.index, &number], error))
            })
            .collect();
        if !malformed.is_empty() {
            return complain(pipes, &malformed);
        }
        let mut opened = identities
            .iter()
            .flat_map(|identity| self.stanzas.iter().map(|stanza| identity.open(stanza)));
        if let Some(file_key) = opened.find_map(|opened| opened.ok().flatten()) {
            ask(pipes, "file-key", &[&self.index], file_key.as_bytes())?;
        }
        Ok(())
    }
}
