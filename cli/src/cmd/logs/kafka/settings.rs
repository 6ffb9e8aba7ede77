//! The client's settings: defaults, properties that offsets and acknowledgements rely on, and a
//! file of properties, which may contain secrets.

use std::fmt;

use rdkafka::ClientConfig;

use super::{failure::Failure, patience::Patience};
use crate::{
    error::Error,
    input::{Source, warn_if_others_read},
};

/// The settings of a file, and the time to wait for brokers.
pub(in crate::cmd::logs) struct Settings {
    given: Vec<(String, String)>,
    pub(super) patience: Patience,
}

/// The largest file of settings, in bytes.
const LARGEST: usize = 64 * 1024;

/// The properties that this program sets, and the reason why the file must not. A property with two
/// names is listed under both, since rdkafka passes settings on in no particular order, and either
/// value could win. For a property of the defaults only the name that they use is allowed.
const OURS: [(&str, &str); 9] = [
    ("bootstrap.servers", "the address names the brokers"),
    ("metadata.broker.list", "the address names the brokers"),
    ("enable.auto.commit", OFFSETS),
    ("auto.commit.enable", OFFSETS),
    ("enable.auto.offset.store", OFFSETS),
    ("enable.partition.eof", "--until-end does"),
    ("message.timeout.ms", TIME),
    ("delivery.timeout.ms", TIME),
    ("request.required.acks", "its name here is acks"),
];
const TIME: &str = "--retry-max-time does";
const OFFSETS: &str = "offsets are committed after records are delivered";

impl Settings {
    /// Reads the settings, if there is a file.
    ///
    /// # Errors
    /// If it cannot be read, or sets a property that it must not set.
    pub(super) fn read(file: Option<&Source>, patience: Patience) -> Result<Self, Failure> {
        let given = match file {
            None => Vec::new(),
            Some(file) => {
                warn_if_others_read(file, "settings");
                let text = file.read_secret(LARGEST);
                let text = text.map_err(|error| Failure::File(file.unreadable(&error)))?;
                parse(&text).map_err(|why| Failure::File(wrong(file, why)))?
            }
        };
        Ok(Self { given, patience })
    }

    /// Returns a setting of the file.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut given = self.given.iter().rev();
        given
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the settings of a client of these brokers: `defaults`, which the file may change,
    /// and `fixed`, which it may not.
    pub(super) fn client(
        &self,
        brokers: &str,
        defaults: &[(&str, &str)],
        fixed: &[(&str, &str)],
    ) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("client.id", "pqseal");
        for (name, value) in defaults {
            config.set(*name, *value);
        }
        for (name, value) in &self.given {
            config.set(name, value);
        }
        for (name, value) in fixed {
            config.set(*name, *value);
        }
        config.set("bootstrap.servers", brokers);
        config
    }
}

/// Shows none of the values, which may be secret.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").finish_non_exhaustive()
    }
}

/// Parses properties: a name, `=`, and a value without the space around it. There are no escapes.
fn parse(text: &[u8]) -> Result<Vec<(String, String)>, String> {
    if text.len() > LARGEST {
        return Err(format!("it is larger than {LARGEST} bytes"));
    }
    let text = std::str::from_utf8(text).map_err(|_| "it is not text".to_owned())?;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        // The error does not repeat the line, which may be a secret.
        let (name, value) = line
            .split_once('=')
            .ok_or_else(|| format!("line {number} is not name=value"))?;
        let (name, value) = (name.trim(), value.trim());
        if let Some((_, why)) = OURS.iter().find(|(ours, _)| *ours == name) {
            return Err(format!(
                "line {number} sets {name}; leave it out, since {why}"
            ));
        }
        found.push((name.to_owned(), value.to_owned()));
    }
    Ok(found)
}

fn wrong(file: &Source, why: String) -> Error {
    Error::usage(format!("the settings in {file} are wrong: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_names_and_values() {
        let text = b"# a comment\n! another\n\n sasl.password = a=b c# \r\nssl.ca.location=/ca.pem";
        let found = parse(text).unwrap();
        let expected = [("sasl.password", "a=b c#"), ("ssl.ca.location", "/ca.pem")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn what_delivery_rests_on_cannot_be_set() {
        for (name, _) in OURS {
            let why = parse(format!("a=1\n{name}=x").as_bytes()).unwrap_err();
            assert!(why.starts_with(&format!("line 2 sets {name};")), "{why}");
        }
    }

    #[test]
    fn an_error_does_not_repeat_the_line() {
        let why = parse(b"hunter2").unwrap_err();
        assert_eq!(why, "line 1 is not name=value");
        assert!(parse(b"\xff").is_err() && parse(&vec![b'#'; LARGEST + 1]).is_err());
    }
}
