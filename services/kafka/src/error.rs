//! Failures of topics, each described in one sentence with what to do next.

use std::{io, time::Duration};

use pqseal_pipeline::one_line;
use rdkafka::{error::KafkaError, types::RDKafkaErrorCode as Code};
use thiserror::Error;

use crate::patience::GRACE;

/// The reason why a run ended early.
#[derive(Debug, Error)]
pub enum Error {
    /// A topic was not used. The word says for what: `read`, `commit` (its offsets), or `write`.
    #[error("cannot {0} the topic: {1}")]
    Topic(&'static str, #[source] Failure),
    /// The output for lines was not written.
    #[error("cannot write lines: {0}")]
    Lines(#[source] io::Error),
    /// The pipeline stopped at a record of this partition.
    #[error("{0}: {1}")]
    Pipeline(String, #[source] pqseal_pipeline::Error),
}

/// The reason why a topic is not read or written.
#[derive(Clone, Debug, Error)]
pub enum Failure {
    /// A setting is wrong.
    #[error("a setting of the client is wrong ({0}); see --kafka-config")]
    Setting(String),
    /// No group is named.
    #[error(
        "it is read by a consumer group; name one with --group, or as group.id in the file of --kafka-config"
    )]
    NoGroup,
    /// No broker answered for as long as the user allows.
    #[error(
        "no broker has answered for {} s{}; check the address, or wait longer with --retry-max-time",
        waited.as_secs(),
        because(reason)
    )]
    Unreachable {
        /// The time that was waited for.
        waited: Duration,
        /// The last error of the client.
        reason: Option<String>,
    },
    /// The run was to end while a batch was being delivered.
    #[error(
        "a signal ended the run, and no broker has answered for {} s since{}; the next run repeats what was not acknowledged and committed",
        GRACE.as_secs(),
        because(.0)
    )]
    CutShort(Option<String>),
    /// The brokers refuse the client, or the client refuses the brokers.
    #[error(
        "the cluster refused it ({0}); check the settings in the file of --kafka-config, and the permissions of this user"
    )]
    Refused(String),
    /// There is no such topic.
    #[error(
        "topic {0} does not exist; create it with Kafka's tools, since pqseal creates no topics"
    )]
    NoTopic(String),
    /// The group's offset no longer exists.
    #[error(
        "the group's offset no longer exists: messages were deleted before they were read; set the group's offsets with Kafka's kafka-consumer-groups, or auto.offset.reset=earliest in the file of --kafka-config"
    )]
    NoOffset,
    /// A message was not acknowledged.
    #[error("a message was not acknowledged ({0}); the next run repeats what was not committed")]
    NotAcknowledged(String),
    /// A message is larger than the topic allows.
    #[error(
        "a message is larger than the topic or the client allows; raise max.message.bytes of the topic, and above 32 MiB also message.max.bytes in the file of --kafka-config"
    )]
    TooLarge,
    /// Messages cannot be read: damaged, or in a format that the client does not know.
    #[error(
        "a message cannot be read ({0}), and is not skipped; check the topic on its brokers, or set the group's offset after the message with Kafka's kafka-consumer-groups"
    )]
    Unreadable(String),
    /// Anything else, in the client's words.
    #[error("{0}")]
    Other(String),
}

fn because(reason: &Option<String>) -> String {
    reason.iter().map(|why| format!(" ({why})")).collect()
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

    /// Returns the code by which programs distinguish failures.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Setting(_) => "kafka_setting",
            Self::NoGroup => "usage",
            Self::Unreachable { .. } => "unreachable",
            Self::CutShort(_) => "cut_short",
            Self::Refused(_) => "refused",
            Self::NoTopic(_) => "no_topic",
            Self::NoOffset => "no_offset",
            Self::NotAcknowledged(_) => "not_acknowledged",
            Self::TooLarge => "too_large",
            Self::Unreadable(_) => "unreadable",
            Self::Other(_) => "kafka",
        }
    }
}

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
