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
    /// Set if the KEM has AuthEncap and AuthDecap (RFC 9180 only: the successor draft reserves
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
    /// The feature of this crate that has the id, and is off.
    Feature(&'static str),
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

    /// Describes an id that a registry does not have: unknown, unless a feature that is off adds
    /// it.
    pub fn not_found(component: Component, id: u16) -> Self {
        let reason = match feature(component, id) {
            Some((feature, false)) => UnsupportedReason::Feature(feature),
            _ => UnsupportedReason::Unknown,
        };
        Self::new(component, id, reason)
    }
}

/// Returns the feature that adds this id, and whether it is on.
fn feature(component: Component, id: u16) -> Option<(&'static str, bool)> {
    Some(match (component, id) {
        (Component::Kem, 0x0010..=0x0012) => ("nist", cfg!(feature = "nist")),
        (Component::Kem, 0x0020) => ("x25519", cfg!(feature = "x25519")),
        (Component::Kem, 0x0021) => ("x448", cfg!(feature = "x448")),
        (Component::Kdf, 0x0001..=0x0003) => ("hkdf", cfg!(feature = "hkdf")),
        (Component::Kdf, 0x0010..=0x0013) => ("one-stage", cfg!(feature = "one-stage")),
        (Component::Aead, 0x0001..=0x0002) => ("aes-gcm", cfg!(feature = "aes-gcm")),
        (Component::Aead, 0x0003) => ("chacha20poly1305", cfg!(feature = "chacha20poly1305")),
        _ => return None,
    })
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
            UnsupportedReason::Feature(feature) => write!(
                f,
                "not in this build: the feature {feature} of pqseal-hpke adds it"
            ),
            UnsupportedReason::Status(status) => {
                write!(f, "not allowed by the policy: its status is {status}")
            }
            UnsupportedReason::Denied => f.write_str("denied by the policy"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AEADS, Aead, AnyAead, KDFS, KEMS};

    /// Tests have all features on.
    #[test]
    fn every_entry_of_the_registries_has_its_feature() {
        let kems = KEMS.iter().map(|kem| (Component::Kem, kem.info().id));
        let kdfs = KDFS.iter().map(|kdf| (Component::Kdf, kdf.info().id));
        let aeads = (AEADS.iter())
            .filter(|aead| !matches!(aead, AnyAead::ExportOnly(_)))
            .map(|aead| (Component::Aead, aead.info().id));
        for (component, id) in kems.chain(kdfs).chain(aeads) {
            let (_, on) = feature(component, id).expect("in the table");
            assert!(on, "{component} {id:#06x}");
        }
        let unknown = Unsupported::not_found(Component::Kem, 0x0013);
        assert_eq!(unknown.reason, UnsupportedReason::Unknown);
    }
}
