//! Running of plugins for recipients and identities.

use base64ct::{Base64Unpadded, Encoding};
use std::{fmt, io, str, sync::Arc};
use zeroize::Zeroizing;

use super::{PluginError, PluginFailure, PluginProcess, Ui, is_name, start};
use crate::{Error, FileKey, HeaderError, Identity, KeyError, Recipient, Stanza, key_text};

/// A recipient of a plugin: `age1NAME1...`.
pub struct PluginRecipient {
    name: String,
    text: String,
    ui: Arc<dyn Ui>,
}

impl PluginRecipient {
    /// Reads the text of a recipient. The plugin is not started.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn read(text: &str, ui: Arc<dyn Ui>) -> Result<Self, KeyError> {
        let prefix = key_text::prefix(text)?;
        let name = prefix.strip_prefix("age1").filter(|name| is_name(name));
        let name = name.ok_or(KeyError::Unknown)?.to_owned();
        let text = text.to_owned();
        Ok(Self { name, text, ui })
    }

    /// Asks the plugin for the stanzas and the labels.
    fn ask(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, Vec<String>), PluginFailure> {
        let mut plugin = start(&self.name, "recipient-v1")?;
        send(&mut plugin, "add-recipient", &[&self.text], b"")?;
        send(&mut plugin, "wrap-file-key", &[], file_key.as_bytes())?;
        send(&mut plugin, "extension-labels", &[], b"")?;
        send(&mut plugin, "done", &[], b"")?;
        let (mut stanzas, mut labels) = (Vec::new(), None);
        converse(&mut plugin, &self.name, &*self.ui, |command| {
            match (command.kind.as_str(), &command.args[..]) {
                ("recipient-stanza", [index, kind, args @ ..]) if index == "0" => {
                    stanzas.push(Stanza::new(kind, args.to_vec(), command.body.clone()));
                }
                ("labels", args) if labels.is_none() => labels = Some(args.to_vec()),
                ("recipient-stanza" | "labels", _) => return Err(PluginFailure::Protocol),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match stanzas.is_empty() {
            true => Err(PluginFailure::Protocol),
            false => Ok((stanzas, labels.unwrap_or_default())),
        }
    }
}

/// An identity of a plugin: `AGE-PLUGIN-NAME-1...`.
pub struct PluginIdentity {
    name: String,
    text: Zeroizing<String>,
    ui: Arc<dyn Ui>,
}

impl PluginIdentity {
    /// Reads the text of an identity. The plugin is not started.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn read(text: &str, ui: Arc<dyn Ui>) -> Result<Self, KeyError> {
        let prefix = key_text::prefix(text)?.to_ascii_lowercase();
        let name = prefix.strip_prefix("age-plugin-");
        let name = name.and_then(|name| name.strip_suffix('-'));
        let name = name.filter(|name| is_name(name)).ok_or(KeyError::Unknown)?;
        Ok(Self {
            name: name.to_owned(),
            text: Zeroizing::new(text.to_owned()),
            ui,
        })
    }

    fn ask(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, PluginFailure> {
        let mut plugin = start(&self.name, "identity-v1")?;
        send(&mut plugin, "add-identity", &[&self.text], b"")?;
        for stanza in stanzas {
            let args = ["0", &stanza.kind].into_iter();
            let args: Vec<&str> = args.chain(stanza.args.iter().map(String::as_str)).collect();
            send(&mut plugin, "recipient-stanza", &args, &stanza.body)?;
        }
        send(&mut plugin, "done", &[], b"")?;
        let mut file_key = None;
        converse(&mut plugin, &self.name, &*self.ui, |command| {
            match (command.kind.as_str(), &command.args[..]) {
                ("file-key", [index]) if index == "0" && file_key.is_none() => {
                    let bytes = command.body.as_slice().try_into();
                    file_key = Some(FileKey::new(bytes.map_err(|_| PluginFailure::Protocol)?));
                    Ok(true)
                }
                ("file-key", _) => Err(PluginFailure::Protocol),
                _ => Ok(false),
            }
        })?;
        Ok(file_key)
    }
}

fn send(
    plugin: &mut PluginProcess,
    command: &str,
    args: &[&str],
    body: &[u8],
) -> Result<(), PluginFailure> {
    let pipes = plugin.pipes.as_mut().ok_or(PluginFailure::Ended)?;
    // The pipe breaks if the plugin ended early.
    pipes
        .send(command, args, body)
        .map_err(|_| PluginFailure::Ended)
}

/// Runs the second phase: the plugin sends commands, each of which gets one answer, until it
/// is done. `take` returns whether it handled a command; the others are questions for the
/// user.
fn converse(
    plugin: &mut PluginProcess,
    name: &str,
    ui: &dyn Ui,
    mut take: impl FnMut(&Stanza) -> Result<bool, PluginFailure>,
) -> Result<(), PluginFailure> {
    loop {
        let pipes = plugin.pipes.as_mut().ok_or(PluginFailure::Ended)?;
        let command = pipes.receive().map_err(|error| match error {
            Error::Io(error) if error.kind() != io::ErrorKind::InvalidData => PluginFailure::Ended,
            Error::Header(HeaderError::Truncated) => PluginFailure::Ended,
            _ => PluginFailure::Protocol,
        })?;
        let answer = match command.kind.as_str() {
            "done" => return Ok(()),
            "error" => {
                let words = String::from_utf8_lossy(&command.body).into_owned();
                let _ = send(plugin, "ok", &[], b"");
                return Err(PluginFailure::Reported(words));
            }
            _ if take(&command)? => UiAnswer::Ok,
            _ => question(&command, name, ui)?,
        };
        match answer {
            UiAnswer::Ok => send(plugin, "ok", &[], b""),
            UiAnswer::Text(text) => send(plugin, "ok", &[], text.as_bytes()),
            UiAnswer::Choice(yes) => send(plugin, "ok", &[if yes { "yes" } else { "no" }], b""),
            UiAnswer::Fail => send(plugin, "fail", &[], b""),
            UiAnswer::Unsupported => send(plugin, "unsupported", &[], b""),
        }?;
    }
}

enum UiAnswer {
    Ok,
    Text(Zeroizing<String>),
    Choice(bool),
    Fail,
    Unsupported,
}

fn question(command: &Stanza, name: &str, ui: &dyn Ui) -> Result<UiAnswer, PluginFailure> {
    let text = String::from_utf8_lossy(&command.body);
    let answer = match command.kind.as_str() {
        "msg" => ui.message(name, &text).map(|()| UiAnswer::Ok),
        "request-secret" => ui.request(name, &text, true).map(UiAnswer::Text),
        "request-public" => ui.request(name, &text, false).map(UiAnswer::Text),
        "confirm" => {
            let (yes, no) = match &command.args[..] {
                [yes] => (label(yes)?, None),
                [yes, no] => (label(yes)?, Some(label(no)?)),
                _ => return Err(PluginFailure::Protocol),
            };
            let chosen = ui.confirm(name, &text, &yes, no.as_deref());
            chosen.map(UiAnswer::Choice)
        }
        _ => return Ok(UiAnswer::Unsupported),
    };
    Ok(answer.unwrap_or(UiAnswer::Fail))
}

fn label(base64: &str) -> Result<String, PluginFailure> {
    let bytes = Base64Unpadded::decode_vec(base64).map_err(|_| PluginFailure::Protocol)?;
    String::from_utf8(bytes).map_err(|_| PluginFailure::Protocol)
}

fn of_plugin(name: &str, why: PluginFailure) -> Error {
    let plugin = name.to_owned();
    Error::Plugin(PluginError { plugin, why })
}

impl Recipient for PluginRecipient {
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
        Ok(self.wrap_with_labels(file_key)?.0)
    }

    fn wrap_with_labels(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, Vec<String>), Error> {
        self.ask(file_key).map_err(|why| of_plugin(&self.name, why))
    }

    fn asks(&self) -> bool {
        true
    }
}

impl Identity for PluginIdentity {
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error> {
        self.ask(stanzas).map_err(|why| of_plugin(&self.name, why))
    }
}

impl fmt::Debug for PluginRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginRecipient({})", self.name)
    }
}

impl fmt::Debug for PluginIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginIdentity({})", self.name)
    }
}
