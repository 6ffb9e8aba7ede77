//! An allow-list of algorithms, which [`Suite::from_id`] takes.

use alloc::vec::Vec;
use core::{fmt, str::FromStr};

use crate::{
    Aead, Component, DynKem, Error, Status, Suite, SuiteId, Unsupported, UnsupportedReason,
    aead_by_id, kdf_by_id,
};

/// Registries of KEMs to choose from, such as `&[pqseal_hpke::KEMS]`.
pub type Kems = [&'static [&'static DynKem]];

/// The allowed algorithms: by their status, with exceptions by id.
///
/// ```
/// use pqseal_hpke::{Component, KEMS, Policy, Suite, SuiteId};
///
/// let id = SuiteId::new(0x0020, 0x0001, 0x0003);
/// assert!(Suite::from_id(&[KEMS], id, &Policy::standard()).is_ok());
/// let no_x25519 = Policy::standard().deny(Component::Kem, 0x0020);
/// let refused = Suite::from_id(&[KEMS], id, &no_x25519).unwrap_err();
/// assert_eq!(refused.to_string(), "KEM 0x0020 is denied by the policy");
/// ```
///
/// As text, for options and settings, a policy is `standard`, `draft` or `experimental`:
///
/// ```
/// use pqseal_hpke::Policy;
///
/// let policy: Policy = "experimental".parse()?;
/// assert_eq!(policy.to_string(), "experimental");
/// # Ok::<(), pqseal_hpke::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    standard: bool,
    drafts: bool,
    experimental: bool,
    exceptions: Vec<(Component, u16, bool)>,
}

impl Policy {
    /// Allows nothing: the start of a custom list made with [`Policy::allow`].
    pub const fn none() -> Self {
        Self {
            standard: false,
            drafts: false,
            experimental: false,
            exceptions: Vec::new(),
        }
    }

    /// Allows algorithms defined by a published RFC.
    pub const fn standard() -> Self {
        let mut policy = Self::none();
        policy.standard = true;
        policy
    }

    /// Allows, in addition to [`Policy::standard`], algorithms defined by Internet-Drafts: ML-KEM,
    /// its hybrids, one-stage KDFs.
    pub const fn draft() -> Self {
        let mut policy = Self::standard();
        policy.drafts = true;
        policy
    }

    /// Also allows algorithms without a registered id.
    #[must_use]
    pub const fn with_experimental(mut self) -> Self {
        self.experimental = true;
        self
    }

    /// Allows one id whatever its status.
    #[must_use]
    pub fn allow(mut self, component: Component, id: u16) -> Self {
        self.exceptions.push((component, id, true));
        self
    }

    /// Denies one id whatever its status.
    #[must_use]
    pub fn deny(mut self, component: Component, id: u16) -> Self {
        self.exceptions.push((component, id, false));
        self
    }

    /// Checks that an algorithm may be used. The last exception for its id decides, otherwise its
    /// status.
    ///
    /// # Errors
    /// The reason why it may not.
    pub fn check(&self, component: Component, id: u16, status: Status) -> Result<(), Unsupported> {
        let exception = self
            .exceptions
            .iter()
            .rfind(|exception| (exception.0, exception.1) == (component, id));
        match exception {
            Some((.., true)) => Ok(()),
            Some((.., false)) => Err(Unsupported {
                component,
                id,
                reason: UnsupportedReason::Denied,
            }),
            None if self.allows(status) => Ok(()),
            None => Err(Unsupported {
                component,
                id,
                reason: UnsupportedReason::Status(status),
            }),
        }
    }

    const fn allows(&self, status: Status) -> bool {
        match status {
            Status::Standard => self.standard,
            Status::Draft(_) => self.drafts,
            Status::Experimental => self.experimental,
        }
    }
}

/// The error of a text that is not one of the allowed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    expected: &'static str,
}

impl ParseError {
    /// Creates the error of a text that should have been `expected`.
    pub const fn new(expected: &'static str) -> Self {
        Self { expected }
    }

    /// Returns the allowed values.
    pub const fn expected(&self) -> &'static str {
        self.expected
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it must be {}", self.expected)
    }
}

impl core::error::Error for ParseError {}

/// Reads `standard`, `draft`, or `experimental`, which is [`Policy::draft`] plus experimental
/// algorithms.
impl FromStr for Policy {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text {
            "standard" => Ok(Self::standard()),
            "draft" => Ok(Self::draft()),
            "experimental" => Ok(Self::draft().with_experimental()),
            _ => Err(ParseError::new("standard, draft or experimental")),
        }
    }
}

/// Writes the text that [`Policy`] parses, for a policy made by `standard`, `draft` or
/// `with_experimental`. Others have more words, such as `standard, but not KEM 0x0020`.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.standard, self.drafts, self.experimental) {
            (_, true, true) => "experimental",
            (_, true, false) => "draft",
            (true, false, false) => "standard",
            (true, false, true) => "standard and experimental",
            (false, false, true) => "experimental only",
            (false, false, false) => "none",
        })?;
        self.exceptions
            .iter()
            .try_for_each(|(component, id, allowed)| {
                let word = if *allowed { "and" } else { "but not" };
                write!(f, ", {word} {component} {id:#06x}")
            })
    }
}

impl Default for Policy {
    /// Returns [`Policy::draft`]: everything that a document defines.
    fn default() -> Self {
        Self::draft()
    }
}

impl Suite {
    /// Finds the suite with these ids, if the registries have it and the policy allows it.
    ///
    /// # Errors
    /// [`Error::UnsupportedSuite`], which names the part and the reason.
    pub fn from_id(kems: &Kems, id: SuiteId, policy: &Policy) -> Result<Self, Error> {
        Self::find(kems, id, policy).map_err(Error::UnsupportedSuite)
    }

    fn find(kems: &Kems, id: SuiteId, policy: &Policy) -> Result<Self, Unsupported> {
        let kem = kems
            .iter()
            .copied()
            .flatten()
            .copied()
            .find(|kem| kem.info().id == id.kem);
        let kem: &'static DynKem = kem.ok_or(Unsupported::not_found(Component::Kem, id.kem))?;
        let kdf = kdf_by_id(id.kdf).ok_or(Unsupported::not_found(Component::Kdf, id.kdf))?;
        let aead = aead_by_id(id.aead).ok_or(Unsupported::not_found(Component::Aead, id.aead))?;
        policy.check(Component::Kem, id.kem, kem.info().status)?;
        policy.check(Component::Kdf, id.kdf, kdf.info().status)?;
        policy.check(Component::Aead, id.aead, aead.info().status)?;
        Ok(Self::new(kem, kdf, aead))
    }
}
