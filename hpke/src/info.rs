//! Descriptions of algorithms: id, name, sizes in bytes and status.

use core::fmt;

/// The standardization status of an algorithm. Shown wherever a suite is named.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Defined by a published RFC.
    Standard,
    /// An Internet-Draft, named with its revision.
    Draft(&'static str),
    /// No registered id, or cryptanalysis that has not settled.
    Experimental,
}

/// One entry of the KEM registry (RFC 9180, section 7.1). Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KemInfo {
    /// The registered id.
    pub id: u16,
    /// The name in the registry, such as `DHKEM(X25519, HKDF-SHA256)`.
    pub name: &'static str,
    /// The name that users type, such as `x25519`.
    pub short_name: &'static str,
    /// Nsecret: a shared secret.
    pub n_secret: usize,
    /// Nenc: an encapsulated key.
    pub n_enc: usize,
    /// Npk: a serialized public key.
    pub n_pk: usize,
    /// Nsk: a serialized private key.
    pub n_sk: usize,
    /// The number of random bytes that one encapsulation draws.
    pub n_random: usize,
    /// True if the KEM has AuthEncap and AuthDecap (RFC 9180 only: the successor draft reserves
    /// the auth modes).
    pub auth: bool,
    /// The status.
    pub status: Status,
}

/// One entry of the KDF registry (RFC 9180, section 7.2, and draft-ietf-hpke-pq).
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KdfInfo {
    /// The registered id.
    pub id: u16,
    /// The name in the registry.
    pub name: &'static str,
    /// Nh: the output of Extract, or of the exporter secret of a one-stage KDF, in bytes.
    pub n_h: usize,
    /// True for a one-stage KDF of the successor draft.
    pub one_stage: bool,
    /// The status.
    pub status: Status,
}

/// One entry of the AEAD registry (RFC 9180, section 7.3). Sizes are in bytes.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AeadInfo {
    /// The registered id.
    pub id: u16,
    /// The name in the registry.
    pub name: &'static str,
    /// Nk: a key. Zero for export-only.
    pub n_k: usize,
    /// Nn: a nonce. Zero for export-only.
    pub n_n: usize,
    /// Nt: an authentication tag. Zero for export-only.
    pub n_t: usize,
    /// The status.
    pub status: Status,
}

/// The three ids that name a ciphersuite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SuiteId {
    /// The KEM's id.
    pub kem: u16,
    /// The KDF's id.
    pub kdf: u16,
    /// The AEAD's id.
    pub aead: u16,
}

impl SuiteId {
    /// Creates a suite id from the three ids, in the order on the wire.
    pub const fn new(kem: u16, kdf: u16, aead: u16) -> Self {
        Self { kem, kdf, aead }
    }

    /// Returns `suite_id` of RFC 9180, section 5.1: `"HPKE" || I2OSP(kem_id, 2) ||
    /// I2OSP(kdf_id, 2) || I2OSP(aead_id, 2)`.
    pub const fn to_bytes(self) -> [u8; 10] {
        let ([k0, k1], [d0, d1], [a0, a1]) = (
            self.kem.to_be_bytes(),
            self.kdf.to_be_bytes(),
            self.aead.to_be_bytes(),
        );
        [b'H', b'P', b'K', b'E', k0, k1, d0, d1, a0, a1]
    }
}

/// The part of a suite that an id belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// The key encapsulation mechanism.
    Kem,
    /// The key derivation function.
    Kdf,
    /// The authenticated encryption.
    Aead,
    /// A key exchange group of TLS, for a policy that covers TLS too.
    Group,
}

/// The reason why an algorithm is unsupported.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedReason {
    /// The given registries have no such id.
    Unknown,
    /// The policy does not allow algorithms of this status.
    Status(Status),
    /// The policy denies this id.
    Denied,
}

/// The unsupported part of a suite, and the reason.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The part.
    pub component: Component,
    /// Its id.
    pub id: u16,
    /// The reason.
    pub reason: UnsupportedReason,
}

impl Unsupported {
    /// Describes the part with this id, and the reason.
    pub const fn new(component: Component, id: u16, reason: UnsupportedReason) -> Self {
        Self {
            component,
            id,
            reason,
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kem => "KEM",
            Self::Kdf => "KDF",
            Self::Aead => "AEAD",
            Self::Group => "group",
        })
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.write_str("standard"),
            Self::Draft(document) => write!(f, "draft ({document})"),
            Self::Experimental => f.write_str("experimental"),
        }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:#06x} is ", self.component, self.id)?;
        match self.reason {
            UnsupportedReason::Unknown => f.write_str("unknown"),
            UnsupportedReason::Status(status) => {
                write!(f, "not allowed by the policy: its status is {status}")
            }
            UnsupportedReason::Denied => f.write_str("denied by the policy"),
        }
    }
}
