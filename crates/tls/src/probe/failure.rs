//! The reasons why a handshake failed, and their meaning.

use std::{fmt, io};

use rustls::{AlertDescription, Error, InvalidMessage, PeerIncompatible};

/// The reason why a server chose no group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// No address accepted a connection, for this reason.
    Connect(io::ErrorKind),
    /// The handshake was not complete in time.
    Timeout,
    /// The server closed or reset the connection without an alert.
    Closed,
    /// The server does not support TLS 1.3.
    NoTls13,
    /// The server refused with this alert.
    Alert(AlertDescription),
    /// The server ended the handshake without an answer, but chose another group when one was
    /// offered beside this one.
    NotChosen,
    /// The server sent more than 256 KiB.
    TooMuch,
    /// The server violated the protocol.
    Protocol(String),
}

impl Failure {
    /// Reports whether the failure means that the server does not support the group. Other
    /// failures leave that open.
    pub fn is_refusal(&self) -> bool {
        use AlertDescription::{HandshakeFailure, IllegalParameter, InsufficientSecurity};
        match self {
            Self::NoTls13 | Self::NotChosen => true,
            Self::Alert(alert) => {
                [HandshakeFailure, IllegalParameter, InsufficientSecurity].contains(alert)
            }
            _ => false,
        }
    }

    /// Reports whether the failure is specific to TLS 1.3. The alerts `handshake_failure` and
    /// `illegal_parameter` are not: a server without TLS 1.3 finds no cipher suite in our hello
    /// and sends them, too.
    pub(super) fn is_of_tls13(&self) -> bool {
        use AlertDescription::{CertificateRequired, MissingExtension};
        matches!(
            self,
            Self::NotChosen | Self::Alert(CertificateRequired | MissingExtension)
        )
    }

    /// Converts the failure of a server that had chosen the group, for which an alert is not a
    /// refusal.
    pub(super) fn after_choice(self) -> Self {
        match self {
            Self::Closed | Self::Timeout | Self::TooMuch | Self::Protocol(_) => self,
            other => Self::Protocol(format!("it selected the group, and then failed: {other}")),
        }
    }
}

/// Converts an error of a socket.
pub(super) fn failed(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Failure::Timeout,
        _ => Failure::Closed,
    }
}

/// Converts an error of rustls.
pub(super) fn refused(error: Error) -> Failure {
    match error {
        Error::AlertReceived(AlertDescription::ProtocolVersion)
        | Error::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13)
        | Error::PeerIncompatible(PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig) => {
            Failure::NoTls13
        }
        Error::AlertReceived(alert) => Failure::Alert(alert),
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            Failure::Protocol("its answer is not TLS; it may be plain HTTP".to_owned())
        }
        other => Failure::Protocol(other.to_string()),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(kind) => write!(f, "no connection: {kind}"),
            Self::Timeout => f.write_str("no answer in time"),
            Self::Closed => f.write_str("the server closed the connection without an alert"),
            Self::NoTls13 => f.write_str("the server has no TLS 1.3"),
            Self::Alert(AlertDescription::NoApplicationProtocol) => {
                f.write_str("the server has none of the application protocols that were offered")
            }
            Self::Alert(alert) => write!(f, "refused with the alert {alert:?}"),
            Self::NotChosen => f.write_str(
                "the server gave no answer, and chose another group when it was offered one",
            ),
            Self::TooMuch => {
                f.write_str("the server sent more than 256 KiB before the handshake was complete")
            }
            Self::Protocol(error) => write!(f, "the server broke the protocol: {error}"),
        }
    }
}

impl std::error::Error for Failure {}
