//! Key derivation functions: the two-stage ones of RFC 9180, section 7.2, and the one-stage ones of
//! the successor draft.
//!
//! [`Kdf`] covers what both families share: combining the secrets and exporting. Operations of one
//! family are in [`TwoStage`] and [`OneStage`].

#[cfg(feature = "hkdf")]
mod hkdf;
#[cfg(feature = "shake")]
mod one_stage;

use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "hkdf")]
pub use hkdf::{Hkdf, HkdfSha256, HkdfSha384, HkdfSha512};
#[cfg(feature = "shake")]
pub use one_stage::{OneStage, Shake128, Shake256, Xof};
#[cfg(feature = "one-stage")]
pub use one_stage::{TurboShake128, TurboShake256};

use crate::{AeadInfo, Error, KdfInfo, Labels, Nonce, Secret, sealed::Sealed, secret::Short};

/// A KDF as the key schedule uses it (RFC 9180, section 5.1). Object-safe: [`DynKdf`] is the
/// run-time form. Sealed: the KDFs are those of this crate.
pub trait Kdf: Sealed + fmt::Debug + Send + Sync {
    /// Returns the id, name, size and status.
    fn info(&self) -> &KdfInfo;

    /// Computes `key_schedule_context`, which binds mode, psk_id and info to the keys.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] beyond 65,535 bytes with a one-stage KDF.
    fn key_schedule_context(
        &self,
        labels: &Labels<'_>,
        mode: u8,
        psk_id: &[u8],
        info: &[u8],
    ) -> Result<Vec<u8>, Error>;

    /// Combines the shared secret and the psk into the secrets of a context.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] beyond 65,535 bytes of psk with a one-stage KDF.
    fn combine_secrets(
        &self,
        labels: &Labels<'_>,
        inputs: &ScheduleInputs<'_>,
        parts: ScheduleParts,
    ) -> Result<ScheduleSecrets, Error>;

    /// Fills `out` with exported bytes (Context.Export of RFC 9180, section 5.3).
    ///
    /// # Errors
    /// [`Error::ExportTooLong`] and [`Error::InputTooLong`], by the limits of the KDF.
    fn export(
        &self,
        labels: &Labels<'_>,
        exporter_secret: &Secret<Short>,
        exporter_context: &[u8],
        out: &mut [u8],
    ) -> Result<(), Error>;

    /// Derives key and nonce of an answer ([`crate::Response`]) from a salt, in two parts, and an
    /// exported secret.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] beyond 65,535 bytes of salt with a one-stage KDF.
    fn response_key(
        &self,
        salt: [&[u8]; 2],
        secret: &[u8],
        key: &mut [u8],
        nonce: &mut [u8],
    ) -> Result<(), Error>;
}

/// A two-stage KDF: Extract and Expand, and their forms with the labels of RFC 9180, section 4.
pub trait TwoStage: Kdf {
    /// A pseudorandom key, ready to expand many times. Wiped on drop.
    type Prk;

    /// Computes `Extract(salt, ikm)` with `ikm` in parts: the bytes of a pseudorandom key.
    fn extract(&self, salt: &[u8], ikm: &[&[u8]]) -> Secret<Short>;

    /// Makes a pseudorandom key from these bytes, at least Nh of them.
    ///
    /// # Errors
    /// [`Error::KeyLength`] for fewer.
    fn prk(&self, bytes: &[u8]) -> Result<Self::Prk, Error>;

    /// Computes `Expand(prk, info, L)` with `info` in parts and L the length of `out`.
    ///
    /// # Errors
    /// [`Error::ExportTooLong`] beyond 255 * Nh bytes.
    fn expand(&self, prk: &Self::Prk, info: &[&[u8]], out: &mut [u8]) -> Result<(), Error>;

    /// Computes `LabeledExtract(salt, label, ikm)` with `ikm` in parts, at most two.
    fn labeled_extract(
        &self,
        labels: &Labels<'_>,
        salt: &[u8],
        label: &str,
        ikm: [&[u8]; 2],
    ) -> Secret<Short> {
        self.extract(
            salt,
            &[
                labels.version,
                labels.suite_id,
                label.as_bytes(),
                ikm[0],
                ikm[1],
            ],
        )
    }

    /// Computes [`TwoStage::labeled_extract`], as a key that is ready to expand.
    ///
    /// # Errors
    /// None for the KDFs of this crate: Extract gives Nh bytes.
    fn labeled_prk(
        &self,
        labels: &Labels<'_>,
        salt: &[u8],
        label: &str,
        ikm: [&[u8]; 2],
    ) -> Result<Self::Prk, Error> {
        self.prk(self.labeled_extract(labels, salt, label, ikm).as_ref())
    }

    /// Computes `LabeledExpand(prk, label, info, L)` with `info` in parts, at most three, and L the
    /// length of `out`.
    ///
    /// # Errors
    /// [`Error::ExportTooLong`] beyond 255 * Nh bytes.
    fn labeled_expand(
        &self,
        labels: &Labels<'_>,
        prk: &Self::Prk,
        label: &str,
        info: [&[u8]; 3],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let length = len16(out.len()).map_err(|_| Error::ExportTooLong)?;
        let [a, b, c] = info;
        self.expand(
            prk,
            &[
                &length,
                labels.version,
                labels.suite_id,
                label.as_bytes(),
                a,
                b,
                c,
            ],
            out,
        )
    }
}

/// A KDF chosen at run time, one of [`KDFS`].
pub type DynKdf = dyn Kdf;

/// Every KDF of the registry: HKDF with the feature `hkdf`, SHAKE and TurboSHAKE with `one-stage`.
pub static KDFS: &[&DynKdf] = &[
    #[cfg(feature = "hkdf")]
    &HkdfSha256,
    #[cfg(feature = "hkdf")]
    &HkdfSha384,
    #[cfg(feature = "hkdf")]
    &HkdfSha512,
    #[cfg(feature = "one-stage")]
    &Shake128,
    #[cfg(feature = "one-stage")]
    &Shake256,
    #[cfg(feature = "one-stage")]
    &TurboShake128,
    #[cfg(feature = "one-stage")]
    &TurboShake256,
];

/// Finds the KDF with this registered id.
pub fn kdf_by_id(id: u16) -> Option<&'static DynKdf> {
    KDFS.iter().copied().find(|kdf| kdf.info().id == id)
}

/// The inputs of the key schedule. Not `Debug`: it holds secrets.
#[derive(Clone, Copy)]
pub struct ScheduleInputs<'a> {
    /// The result of [`Kdf::key_schedule_context`].
    pub key_schedule_context: &'a [u8],
    /// The pre-shared key, empty without one.
    pub psk: &'a [u8],
    /// The shared secret of the KEM.
    pub shared_secret: &'a [u8],
    /// The AEAD whose key and nonce are derived.
    pub aead: &'a AeadInfo,
}

/// The secrets to derive. A two-stage KDF derives no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleParts {
    /// All three.
    All,
    /// Key and nonce: enough to seal or open.
    Message,
    /// The exporter secret: enough to export.
    Exporter,
}

/// The secrets of a context. Those that were not requested may be empty.
#[derive(Debug)]
pub struct ScheduleSecrets {
    /// Nk bytes.
    pub key: Secret<Short>,
    /// Nn bytes.
    pub base_nonce: Secret<Short>,
    /// Nh bytes.
    pub exporter_secret: Secret<Short>,
}

impl ScheduleSecrets {
    /// Returns the base nonce in the 12 bytes that an AEAD takes; all zeros for export-only.
    pub(crate) fn nonce(&self) -> Secret<Nonce> {
        let (base_nonce, mut nonce) = (self.base_nonce.as_ref(), Secret::new(Nonce::default()));
        nonce.as_mut()[..base_nonce.len()].copy_from_slice(base_nonce);
        nonce
    }
}

/// Encodes a length as `I2OSP(n, 2)`.
fn len16(n: usize) -> Result<[u8; 2], Error> {
    u16::try_from(n)
        .map(u16::to_be_bytes)
        .map_err(|_| Error::InputTooLong)
}
