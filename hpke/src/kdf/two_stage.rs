//! Two-stage KDFs: Extract and Expand with the labels of RFC 9180, section 4.

use super::{Kdf, len16};
use crate::{Error, Labels, Secret, secret::Short};

/// The functions Extract and Expand, and their labeled forms.
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
