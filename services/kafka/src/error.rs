//! Failures of topics, each described in one sentence with what to do next.

use std::{fmt, io, time::Duration};

use pqseal_pipeline::one_line;
use rdkafka::{error::KafkaError, types::RDKafkaErrorCode as Code};

use crate::patience::GRACE;

/// The reason why a run ended early.
#[derive(Debug)]
pub enum Error {
    /// The topic was not read.
    Read(Failure),
    /// The offsets were not committed.
    Commit(Failure),
    /// The output topic was not written.
    Write(Failure),
    /// The output for lines was not written.
    Lines(io::Error),
    /// The pipeline stopped at a record of this partition.
    Pipeline(String, pqseal_pipeline::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(failure) => write!(f, "reading the topic: {failure}"),
            Self::Commit(failure) => write!(f, "committing offsets: {failure}"),
            Self::Write(failure) => write!(f, "writing the output topic: {failure}"),
            Self::Lines(error) => write!(f, "writing lines: {error}"),
            Self::Pipeline(partition, error) => write!(f, "{partition}: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(failure) | Self::Commit(failure) | Self::Write(failure) => Some(failure),
            Self::Lines(error) => Some(error),
            Self::Pipeline(_, error) => Some(error),
        }
    }
}

/// The reason why a topic is not read or written.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A setting is wrong.
    Setting(String),
    /// No group is named.
    NoGroup,
    /// No broker answered for as long as the user allows.
    Unreachable {
        /// The time that was waited for.
        waited: Duration,
        /// The last error of the client.
        reason: Option<String>,
    },
    /// The run was to end while a batch was being delivered.
    CutShort(Option<String>),
    /// The brokers refuse the client, or the client refuses the brokers.
    Refused(String),
    /// There is no such topic.
    NoTopic(String),
    /// The group's offset no longer exists.
    NoOffset,
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
    pub(crate) fn of(error: &KafkaError) -> Self {
        match (error.rdkafka_error_code(), error) {
            (Some(Code::AutoOffsetReset | Code::OffsetOutOfRange), _) => Self::NoOffset,
            (Some(Code::MessageSizeTooLarge), _) => Self::TooLarge,
            (Some(code), _) if is_refusal(code) || is_unknown(code) => {
                Self::of_code(code, "of that name")
            }
            (_, KafkaError::ClientConfig(_, what, name, _)) => {
                Self::Setting(one_line(&format!("{name}: {what}")))
            }
            (_, KafkaError::ClientCreation(why)) => Self::Setting(one_line(why)),
            (_, other) => Self::Other(one_line(&other.to_string())),
        }
    }

    /// Converts a broker's answer about `topic`.
    pub(crate) fn of_code(code: Code, topic: &str) -> Self {
        match code {
            code if is_unknown(code) => Self::NoTopic(topic.to_owned()),
            code if is_refusal(code) => Self::Refused(one_line(&code.to_string())),
            code => Self::Other(one_line(&code.to_string())),
        }
    }

    /// Reports whether a consumer with this failure cannot continue.
    pub(crate) const fn is_final(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::NoTopic(_) | Self::NoOffset)
    }

    /// Returns the code by which programs distinguish failures.
    pub fn code(&self) -> &'static str {
        self.described().0
    }

    fn described(&self) -> (&'static str, String) {
        let because = |reason: &Option<String>| {
            let reason = reason.as_ref();
            reason.map_or(String::new(), |reason| format!(" ({reason})"))
        };
        match self {
            Self::Setting(what) => (
                "kafka_setting",
                format!("a setting of the client is wrong ({what}); see --kafka-config"),
            ),
            Self::NoGroup => (
                "usage",
                "it is read by a consumer group; name one with --group, or as group.id in the file of --kafka-config".to_owned(),
            ),
            Self::Unreachable { waited, reason } => (
                "unreachable",
                format!(
                    "no broker has answered for {} s{}; check the address, or wait longer with --retry-max-time",
                    waited.as_secs(),
                    because(reason)
                ),
            ),
            Self::CutShort(reason) => (
                "cut_short",
                format!(
                    "a signal ended the run, and no broker has answered for {} s since{}; the next run repeats what was not acknowledged and committed",
                    GRACE.as_secs(),
                    because(reason)
                ),
            ),
            Self::Refused(why) => (
                "refused",
                format!("the cluster refused it ({why}); check the settings in the file of --kafka-config, and the permissions of this user"),
            ),
            Self::NoTopic(name) => (
                "no_topic",
                format!("topic {name} does not exist; create it with Kafka's tools, since pqseal creates no topics"),
            ),
            Self::NoOffset => (
                "no_offset",
                "the group's offset no longer exists: messages were deleted before they were read; set the group's offsets with Kafka's kafka-consumer-groups, or auto.offset.reset=earliest in the file of --kafka-config".to_owned(),
            ),
            Self::NotAcknowledged(why) => (
                "not_acknowledged",
                format!("a message was not acknowledged ({why}); the next run repeats what was not committed"),
            ),
            Self::TooLarge => (
                "too_large",
                "a message is larger than the topic or the client allows; raise max.message.bytes of the topic, and above 32 MiB also message.max.bytes in the file of --kafka-config".to_owned(),
            ),
            Self::Unreadable(why) => (
                "unreadable",
                format!("a message cannot be read ({why}), and is not skipped; check the topic on its brokers, or set the group's offset after the message with Kafka's kafka-consumer-groups"),
            ),
            Self::Other(why) => ("kafka", why.clone()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.described().1)
    }
}

impl std::error::Error for Failure {}

const fn is_unknown(code: Code) -> bool {
    matches!(code, Code::UnknownTopic | Code::UnknownTopicOrPartition)
}

/// Reports whether a retry would not help.
pub(crate) const fn is_refusal(code: Code) -> bool {
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
pub(crate) const fn is_unreadable(code: Code) -> bool {
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

/// Reports whether the group continued without this member.
pub(crate) const fn is_lost(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownMemberId
            | Code::IllegalGeneration
            | Code::RebalanceInProgress
            | Code::AssignmentLost
            | Code::StaleMemberEpoch
    )
}

/// Reports whether the error is temporary.
pub(crate) const fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::BrokerTransportFailure
            | Code::AllBrokersDown
            | Code::OperationTimedOut
            | Code::MessageTimedOut
            | Code::RequestTimedOut
            | Code::WaitingForCoordinator
            | Code::CoordinatorNotAvailable
            | Code::CoordinatorLoadInProgress
            | Code::NotCoordinator
            | Code::NetworkException
            | Code::LeaderNotAvailable
            | Code::NotLeaderForPartition
            | Code::UnstableOffsetCommit
    )
}
