//! The configuration of clients: a topic, properties of librdkafka, and the time to wait.

use std::fmt;

use rdkafka::ClientConfig;

use crate::patience::Patience;

/// The configuration of the clients of a topic.
#[derive(Clone)]
pub struct Config {
    /// The topic.
    pub topic: Topic,
    /// Properties of the client.
    pub properties: Properties,
    /// The time that brokers are waited for.
    pub patience: Patience,
}

/// A topic of Apache Kafka.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Brokers to ask first, separated by commas; the default port is 9092.
    pub brokers: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kafka://{}/{}", self.brokers, self.name)
    }
}

/// Properties by the names of librdkafka. They may contain secrets, so nothing shows them.
#[derive(Clone, Default)]
pub struct Properties(Vec<(String, String)>);

/// The properties that this crate sets, and the reason why a file must not. A property with two
/// names is listed under both, since rdkafka passes settings on in no particular order, and either
/// value could win. For a property of the defaults only the name that they use is allowed.
const RESERVED: [(&str, &str); 9] = [
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

impl Properties {
    /// The largest text of properties, in bytes.
    pub const LARGEST: usize = 64 * 1024;

    /// Parses properties: on each line a name, `=`, and a value without the space around it. There
    /// are no escapes.
    ///
    /// # Errors
    /// The reason, without any of the text, which may be secret.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        if text.len() > Self::LARGEST {
            return Err(format!("it is larger than {} bytes", Self::LARGEST));
        }
        let text = std::str::from_utf8(text).map_err(|_| "it is not text".to_owned())?;
        let mut found = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '!']) {
                continue;
            }
            let (name, value) = line
                .split_once('=')
                .ok_or_else(|| format!("line {number} is not name=value"))?;
            let (name, value) = (name.trim(), value.trim());
            if let Some((_, why)) = RESERVED.iter().find(|(reserved, _)| *reserved == name) {
                return Err(format!(
                    "line {number} sets {name}; leave it out, since {why}"
                ));
            }
            found.push((name.to_owned(), value.to_owned()));
        }
        Ok(Self(found))
    }

    /// Returns the last value of a property.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut given = self.0.iter().rev();
        given.find_map(|(given, value)| (given == name).then_some(value.as_str()))
    }
}

impl Config {
    /// Returns the settings of a client: `defaults`, which properties may change, and `fixed`,
    /// which they may not.
    pub(crate) fn client(&self, defaults: &[(&str, &str)], fixed: &[(&str, &str)]) -> ClientConfig {
        let given = self.properties.0.iter();
        let given = given.map(|(name, value)| (name.as_str(), value.as_str()));
        let mut config = ClientConfig::new();
        config.set("client.id", "pqseal");
        let given: Vec<_> = given.collect();
        for (name, value) in [defaults, &given, fixed].concat() {
            config.set(name, value);
        }
        config.set("bootstrap.servers", &self.topic.brokers);
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_names_and_values() {
        let text = b"# a comment\n! another\n\n sasl.password = a=b c# \r\nssl.ca.location=/ca.pem";
        let found = Properties::parse(text).unwrap();
        let expected = [("sasl.password", "a=b c#"), ("ssl.ca.location", "/ca.pem")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(found.0, expected);
    }

    #[test]
    fn what_delivery_rests_on_cannot_be_set() {
        for (name, _) in RESERVED {
            let why = Properties::parse(format!("a=1\n{name}=x").as_bytes())
                .err()
                .unwrap();
            assert!(why.starts_with(&format!("line 2 sets {name};")), "{why}");
        }
    }

    #[test]
    fn an_error_does_not_repeat_the_line() {
        let why = Properties::parse(b"hunter2").err().unwrap();
        assert_eq!(why, "line 1 is not name=value");
        let large = vec![b'#'; Properties::LARGEST + 1];
        assert!(Properties::parse(b"\xff").is_err() && Properties::parse(&large).is_err());
    }
}
