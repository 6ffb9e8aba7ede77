//! Failures of topics, each described in one sentence with what to do next.

use std::{fmt, time::Duration};

use rdkafka::{error::KafkaError, types::RDKafkaErrorCode as Code};

use super::patience::GRACE;
use crate::{
    error::{Error, Exit},
    escape::words,
};

/// The reason why a topic is not read or written.
#[derive(Clone, Debug)]
pub(in crate::cmd::logs) enum Failure {
    /// The file of settings cannot be read.
    File(Error),
    /// A setting is wrong.
    Setting(String),
    /// No group is named.
    NoGroup,
    /// No broker answered for as long as the user allows.
    Unreachable {
        waited: Duration,
        reason: Option<String>,
    },
    /// A signal ended the run while a batch was being delivered.
    CutShort(Option<String>),
    /// The brokers refuse the client, or the client refuses the brokers.
    Refused(String),
    /// There is no such topic.
    NoTopic(String),
    /// The group's offset no longer exists.
    NoPlace,
    /// A message was not acknowledged.
    NotAcknowledged(String),
    /// A message is larger than the topic allows.
    TooLarge,
    /// Messages cannot be read: damaged, or in a format that the client does not know.
    Unreadable(String),
    /// Anything else, in the client's words.
    Other(String),
}

impl Failure {
    /// Converts the error of a call of the client.
    pub(super) fn of(error: &KafkaError) -> Self {
        match error.rdkafka_error_code() {
            Some(code) if is_refusal(code) => Self::Refused(words(&code.to_string())),
            Some(Code::UnknownTopic | Code::UnknownTopicOrPartition) => {
                Self::NoTopic("of that name".to_owned())
            }
            Some(Code::AutoOffsetReset | Code::OffsetOutOfRange) => Self::NoPlace,
            Some(Code::MessageSizeTooLarge) => Self::TooLarge,
            _ => match error {
                KafkaError::ClientConfig(_, what, name, _) => {
                    Self::Setting(words(&format!("{name}: {what}")))
                }
                KafkaError::ClientCreation(why) => Self::Setting(words(why)),
                other => Self::Other(words(&other.to_string())),
            },
        }
    }

    /// Reports whether a consumer with this failure cannot continue.
    pub(super) const fn is_final(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::NoTopic(_) | Self::NoPlace)
    }

    /// Makes the error that is shown to users, with the name of the topic.
    pub(in crate::cmd::logs) fn on(self, address: &str, doing: &str) -> Error {
        let (exit, code) = match &self {
            Self::File(error) => return error.clone(),
            Self::Setting(_) => (Exit::Usage, "kafka_setting"),
            Self::NoGroup => (Exit::Usage, "usage"),
            Self::Unreachable { .. } => (Exit::Stopped, "unreachable"),
            Self::CutShort(_) => (Exit::Stopped, "cut_short"),
            Self::Refused(_) => (Exit::Stopped, "refused"),
            Self::NoTopic(_) => (Exit::Stopped, "no_topic"),
            Self::NoPlace => (Exit::Stopped, "no_offset"),
            Self::NotAcknowledged(_) => (Exit::Stopped, "not_acknowledged"),
            Self::TooLarge => (Exit::Stopped, "too_large"),
            Self::Unreadable(_) => (Exit::Stopped, "unreadable"),
            Self::Other(_) => (Exit::Stopped, "kafka"),
        };
        Error {
            exit,
            code,
            message: format!("cannot {doing} {address}: {self}"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => f.write_str(&error.message),
            Self::Setting(what) => write!(
                f,
                "a setting of the client is wrong ({what}); see --kafka-config"
            ),
            Self::NoGroup => f.write_str(
                "it is read by a consumer group; name one with --group, or as group.id in the file of --kafka-config",
            ),
            Self::Unreachable { waited, reason } => {
                write!(f, "no broker has answered for {} s", waited.as_secs())?;
                if let Some(reason) = reason {
                    write!(f, " ({reason})")?;
                }
                f.write_str("; check the address, or wait longer with --retry-max-time")
            }
            Self::CutShort(reason) => {
                write!(
                    f,
                    "a signal ended the run, and no broker has answered for {} s since",
                    GRACE.as_secs()
                )?;
                if let Some(reason) = reason {
                    write!(f, " ({reason})")?;
                }
                f.write_str("; the next run repeats what was not acknowledged and committed")
            }
            Self::Refused(why) => write!(
                f,
                "the cluster refused it ({why}); check the settings in the file of --kafka-config, and the permissions of this user"
            ),
            Self::NoTopic(name) => write!(
                f,
                "topic {name} does not exist; create it with Kafka's tools, since pqseal creates no topics"
            ),
            Self::NoPlace => f.write_str(
                "the group's offset no longer exists: messages were deleted before they were read; set the group's offsets with Kafka's kafka-consumer-groups, or auto.offset.reset=earliest in the file of --kafka-config",
            ),
            Self::NotAcknowledged(why) => write!(
                f,
                "a message was not acknowledged ({why}); the next run repeats what was not committed"
            ),
            Self::TooLarge => f.write_str(
                "a message is larger than the topic or the client allows; raise max.message.bytes of the topic, and above 32 MiB also message.max.bytes in the file of --kafka-config",
            ),
            Self::Unreadable(why) => write!(
                f,
                "a message cannot be read ({why}), and is not skipped; check the topic on its brokers, or set the group's offset after the message with Kafka's kafka-consumer-groups"
            ),
            Self::Other(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Failure {}

/// Reports whether a retry would not help.
pub(super) const fn is_refusal(code: Code) -> bool {
    matches!(
        code,
        Code::Authentication
            | Code::SaslAuthenticationFailed
            | Code::TopicAuthorizationFailed
            | Code::GroupAuthorizationFailed
            | Code::ClusterAuthorizationFailed
            | Code::UnsupportedSASLMechanism
    )
}

/// Reports whether messages exist that cannot be read. The client skips some of them, and requests
/// others forever.
pub(super) const fn is_unreadable(code: Code) -> bool {
    matches!(
        code,
        // The checksum is wrong, here or on the broker.
        Code::BadMessage
            | Code::InvalidMessage
            // The format or the compression is not supported.
            | Code::NotImplemented
            | Code::BadCompression
            | Code::MessageSizeTooLarge
    )
}
