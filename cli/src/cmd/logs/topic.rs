//! Addresses of topics: `kafka://BROKER[:PORT][,BROKER...]/TOPIC`.

use std::path::Path;

use crate::{error::Error, escape};

/// A topic of Apache Kafka.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Topic<'a> {
    /// Brokers to ask first, separated by commas; the default port is 9092.
    pub(super) brokers: &'a str,
    pub(super) name: &'a str,
}

const SCHEME: &str = "kafka://";
/// Kafka's limit for the name of a topic, in bytes.
#[cfg(any(test, feature = "kafka"))]
const LONGEST: usize = 249;

impl<'a> Topic<'a> {
    /// Parses an address; `None` if `path` is the path of a file.
    pub(super) fn of(path: &'a Path) -> Option<Self> {
        let rest = path.to_str()?.strip_prefix(SCHEME)?;
        let (brokers, name) = rest.split_once('/').unwrap_or((rest, ""));
        Some(Self { brokers, name })
    }

    /// Reports whether the two may be the same topic: they have the same name and a
    /// common broker.
    pub(super) fn may_be(self, other: Self) -> bool {
        let mut brokers = self.brokers.split(',');
        self.name == other.name && brokers.any(|one| other.brokers.split(',').any(|two| one == two))
    }

    /// Checks that it can be the address of a topic.
    ///
    /// # Errors
    /// If it cannot be.
    #[cfg(feature = "kafka")]
    pub(super) fn check(self) -> Result<(), Error> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if self.brokers.contains('@') {
            return Err(Error::usage(
                "others can see an address, so it must not contain a user name or password; put them in the file of --kafka-config",
            ));
        }
        if self.brokers.split(',').any(str::is_empty)
            || self.name.is_empty()
            || self.name.len() > LONGEST
            || !self.name.chars().all(is_plain)
        {
            return Err(Error::usage(format!(
                "{} is not the address of a topic, such as {SCHEME}broker:9092/events",
                escape::bytes(self.to_string().as_bytes())
            )));
        }
        Ok(())
    }

    /// Refuses every address, in a build without Kafka.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "kafka"))]
    pub(super) fn check(self) -> Result<(), Error> {
        Err(Error::usage(format!(
            "{} is a topic, which this build does not support; {}",
            escape::bytes(self.to_string().as_bytes()),
            crate::parse::build_with("kafka")
        )))
    }
}

impl std::fmt::Display for Topic<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.brokers, self.name)
    }
}

/// Reports whether this is the address of a topic, and not the path of a file.
pub(super) fn is_topic(path: &Path) -> bool {
    Topic::of(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_recognised_by_one_broker() {
        let of = |text| Topic::of(Path::new(text)).unwrap();
        assert!(of("kafka://a,b/t").may_be(of("kafka://b,c/t")));
        assert!(!of("kafka://a,b/t").may_be(of("kafka://b/u")));
        assert!(!of("kafka://a/t").may_be(of("kafka://b/t")));
    }

    #[test]
    fn addresses_have_brokers_and_a_topic() {
        for (text, brokers, name) in [
            ("kafka://a/t", "a", "t"),
            ("kafka://a:9092,b/t.x_y-z", "a:9092,b", "t.x_y-z"),
            ("kafka://[::1]:9092/t", "[::1]:9092", "t"),
        ] {
            let topic = Topic::of(Path::new(text)).unwrap();
            assert_eq!((topic.brokers, topic.name), (brokers, name));
            assert_eq!(topic.to_string(), text);
            assert_eq!(topic.check().is_ok(), cfg!(feature = "kafka"), "{text}");
        }
        let long = format!("kafka://a/{}", "t".repeat(LONGEST + 1));
        for text in [
            "kafka://",
            "kafka://a",
            "kafka://a/",
            "kafka:///t",
            "kafka://a,/t",
            "kafka://a/t/u",
            "kafka://user:secret@a/t",
            &long,
        ] {
            assert!(
                Topic::of(Path::new(text)).unwrap().check().is_err(),
                "{text}"
            );
        }
        for path in ["events", "./kafka://a/t", "kafka:/a/t"] {
            assert!(!is_topic(Path::new(path)), "{path}");
        }
    }
}
