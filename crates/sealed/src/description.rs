//! Descriptions of sealed values, which need no key.

use crate::{
    Error, Kind, age,
    ai_gateway::{self, Object},
    jwe,
    receipt::{self, Envelope},
};

/// The properties of a sealed value that are known without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The kind.
    pub kind: Kind,
    /// The algorithms. Those of a JWE and an age file are any text that the input has there.
    pub algorithm: String,
    /// The size of the wrapped key, which is that of the RSA modulus, in bytes.
    pub wrapped_key_len: Option<usize>,
    /// The key that it names, which is not authenticated.
    pub kid: Option<String>,
    /// The size of the plaintext, in bytes; unknown for a JWE.
    pub plaintext_len: Option<usize>,
}

/// Describes the text of a value; `None` if it is not a sealed value.
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
            algorithm: "RSA-OAEP with SHA-256, AES-256-GCM".to_owned(),
            wrapped_key_len: Some(object.key.len()),
            kid: None,
            plaintext_len: Some(object.data.len() - ai_gateway::TAG),
        }),
        Some(kind @ Kind::AgentReceipt) => Envelope::parse(text)?.map(|envelope| Description {
            kind,
            algorithm: receipt::ALGORITHM.to_owned(),
            wrapped_key_len: None,
            plaintext_len: Some(envelope.ct.len() - receipt::TAG),
            kid: Some(envelope.kid),
        }),
        Some(kind @ Kind::Jwe) => {
            jwe::compact(text)
                .map(jwe::describe)
                .transpose()?
                .map(|(algorithm, kid)| Description {
                    kind,
                    algorithm,
                    wrapped_key_len: None,
                    kid,
                    plaintext_len: None,
                })
        }
        Some(kind @ Kind::Age) => {
            let (algorithm, plaintext_len) = age::describe(text)?;
            Some(Description {
                kind,
                algorithm,
                wrapped_key_len: None,
                kid: None,
                plaintext_len: Some(plaintext_len),
            })
        }
        Some(Kind::MatchedData) | None => None,
    })
}
