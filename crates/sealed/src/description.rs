//! Descriptions of sealed values, which need no key.

use crate::{
    Error, Kind,
    ai_gateway::{self, Object},
    receipt::{self, Envelope},
};

/// The properties of a sealed value that are known without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The kind.
    pub kind: Kind,
    /// The algorithms.
    pub algorithm: &'static str,
    /// The size of the wrapped key, which is that of the RSA modulus, in bytes.
    pub wrapped_key_len: Option<usize>,
    /// The key that it names, which is not authenticated.
    pub kid: Option<String>,
    /// The size of the plaintext, in bytes.
    pub plaintext_len: usize,
}

/// Describes the text of a value; `None` if it is not a sealed object.
///
/// ```
/// let text = br#"{"type":"text","text":"in the clear"}"#;
/// assert_eq!(pqseal_sealed::describe(text), Ok(None));
/// ```
///
/// # Errors
/// The reason why no key opens it.
pub fn describe(text: &[u8]) -> Result<Option<Description>, Error> {
    Ok(match Kind::detect(text) {
        Some(kind @ Kind::AiGateway) => Object::parse(text)?.map(|object| Description {
            kind,
            algorithm: "RSA-OAEP with SHA-256, AES-256-GCM",
            wrapped_key_len: Some(object.key.len()),
            kid: None,
            plaintext_len: object.data.len() - ai_gateway::TAG,
        }),
        Some(kind @ Kind::AgentReceipt) => Envelope::parse(text)?.map(|envelope| Description {
            kind,
            algorithm: receipt::ALGORITHM,
            wrapped_key_len: None,
            plaintext_len: envelope.ct.len() - receipt::TAG,
            kid: Some(envelope.kid),
        }),
        Some(Kind::MatchedData) | None => None,
    })
}
