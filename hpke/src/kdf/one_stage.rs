//! One-stage KDFs: an extendable output function in place of Extract and Expand
//! (draft-ietf-hpke-hpke, draft-ietf-hpke-pq).

use alloc::vec::Vec;
use core::{fmt, marker::PhantomData};

use shake::{ExtendableOutput, Update, XofReader};

use super::{Kdf, ScheduleInputs, ScheduleParts, ScheduleSecrets, len16};
use crate::{Error, KdfInfo, Labels, Secret, Status, sealed::Sealed, secret::Short};

/// The function Derive, and its labeled form.
pub trait OneStage: Kdf {
    /// Computes `Derive(ikm, L)` with `ikm` in parts; the output fills `outs` in turn, L bytes in
    /// all.
    fn derive(&self, ikm: &[&[u8]], outs: &mut [&mut [u8]]);

    /// Computes `LabeledDerive(ikm, label, context, L)` with `ikm` and `context` in parts; the
    /// output fills `outs` in turn.
    ///
    /// # Errors
    /// [`Error::ExportTooLong`] beyond 65,535 bytes in all.
    fn labeled_derive(
        &self,
        labels: &Labels<'_>,
        ikm: &[&[u8]],
        label: &str,
        context: &[u8],
        outs: &mut [&mut [u8]],
    ) -> Result<(), Error> {
        let length =
            len16(outs.iter().map(|out| out.len()).sum()).map_err(|_| Error::ExportTooLong)?;
        let label_length = len16(label.len())?;
        let tail = [
            labels.version,
            labels.suite_id,
            &label_length,
            label.as_bytes(),
            &length,
            context,
        ];
        self.derive(&[ikm, &tail].concat(), outs);
        Ok(())
    }
}

/// A KDF of the extendable output function `X`; [`Shake128`](type@Shake128) and its siblings are
/// the parameter sets.
pub struct Xof<X> {
    info: KdfInfo,
    function: PhantomData<fn() -> X>,
}

/// SHAKE128 (FIPS 202), id 0x0010, Nh 32.
pub type Shake128 = Xof<shake::Shake128>;
/// SHAKE256 (FIPS 202), id 0x0011, Nh 64.
pub type Shake256 = Xof<shake::Shake256>;
/// TurboSHAKE128 (RFC 9861) with domain byte 0x1f, id 0x0012, Nh 32.
#[cfg(feature = "one-stage")]
pub type TurboShake128 = Xof<turboshake::TurboShake128>;
/// TurboSHAKE256 (RFC 9861) with domain byte 0x1f, id 0x0013, Nh 64.
#[cfg(feature = "one-stage")]
pub type TurboShake256 = Xof<turboshake::TurboShake256>;

/// SHAKE128 as a value.
#[allow(
    non_upper_case_globals,
    reason = "a row reads like a unit struct: one name for its type and its value"
)]
pub const Shake128: Shake128 = Xof::row(0x0010, "SHAKE128", 32);
/// SHAKE256 as a value.
#[allow(non_upper_case_globals, reason = "as Shake128")]
pub const Shake256: Shake256 = Xof::row(0x0011, "SHAKE256", 64);
/// TurboSHAKE128 as a value.
#[allow(non_upper_case_globals, reason = "as Shake128")]
#[cfg(feature = "one-stage")]
pub const TurboShake128: TurboShake128 = Xof::row(0x0012, "TurboSHAKE128", 32);
/// TurboSHAKE256 as a value.
#[allow(non_upper_case_globals, reason = "as Shake128")]
#[cfg(feature = "one-stage")]
pub const TurboShake256: TurboShake256 = Xof::row(0x0013, "TurboSHAKE256", 64);

#[cfg(feature = "one-stage")]
const _: () = assert!(turboshake::DEFAULT_DS == 0x1f);

impl<X> Xof<X> {
    const fn row(id: u16, name: &'static str, n_h: usize) -> Self {
        let status = Status::Draft("draft-ietf-hpke-pq-05");
        Self {
            info: KdfInfo {
                id,
                name,
                n_h,
                one_stage: true,
                status,
            },
            function: PhantomData,
        }
    }
}

impl<X> Clone for Xof<X> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<X> Copy for Xof<X> {}

impl<X: Default + Update + ExtendableOutput> OneStage for Xof<X> {
    fn derive(&self, ikm: &[&[u8]], outs: &mut [&mut [u8]]) {
        let mut function = X::default();
        ikm.iter().for_each(|part| function.update(part));
        let mut reader = function.finalize_xof();
        outs.iter_mut().for_each(|out| reader.read(out));
    }
}

impl<X: Default + Update + ExtendableOutput> Sealed for Xof<X> {}

impl<X: Default + Update + ExtendableOutput> Kdf for Xof<X> {
    fn info(&self) -> &KdfInfo {
        &self.info
    }

    /// Computes `mode || len16(psk_id) || psk_id || len16(info) || info`.
    fn key_schedule_context(
        &self,
        _labels: &Labels<'_>,
        mode: u8,
        psk_id: &[u8],
        info: &[u8],
    ) -> Result<Vec<u8>, Error> {
        Ok([
            &[mode][..],
            &len16(psk_id.len())?,
            psk_id,
            &len16(info.len())?,
            info,
        ]
        .concat())
    }

    /// Derives all three secrets in one call, in the order key, base_nonce, exporter_secret; L
    /// covers them whatever `parts` requests.
    fn combine_secrets(
        &self,
        labels: &Labels<'_>,
        inputs: &ScheduleInputs<'_>,
        _parts: ScheduleParts,
    ) -> Result<ScheduleSecrets, Error> {
        let mut secrets = ScheduleSecrets {
            key: Secret::zeros(inputs.aead.n_k),
            base_nonce: Secret::zeros(inputs.aead.n_n),
            exporter_secret: Secret::zeros(self.info.n_h),
        };
        let (psk, shared_secret) = (inputs.psk, inputs.shared_secret);
        let ikm = [
            &len16(psk.len())?[..],
            psk,
            &len16(shared_secret.len())?,
            shared_secret,
        ];
        let ScheduleSecrets {
            key,
            base_nonce,
            exporter_secret,
        } = &mut secrets;
        let mut outs = [key.as_mut(), base_nonce.as_mut(), exporter_secret.as_mut()];
        self.labeled_derive(
            labels,
            &ikm,
            "secret",
            inputs.key_schedule_context,
            &mut outs,
        )?;
        Ok(secrets)
    }

    fn export(
        &self,
        labels: &Labels<'_>,
        exporter_secret: &Secret<Short>,
        exporter_context: &[u8],
        out: &mut [u8],
    ) -> Result<(), Error> {
        len16(exporter_context.len())?;
        self.labeled_derive(
            labels,
            &[exporter_secret.as_ref()],
            "sec",
            exporter_context,
            &mut [out],
        )
    }

    /// Computes `Derive(len16(secret) || secret || len16(salt) || salt || "response")`. The draft
    /// has an example only for two-stage KDFs.
    fn response_key(
        &self,
        salt: [&[u8]; 2],
        secret: &[u8],
        key: &mut [u8],
        nonce: &mut [u8],
    ) -> Result<(), Error> {
        let salt_length = len16(salt[0].len() + salt[1].len())?;
        let ikm = [
            &len16(secret.len())?[..],
            secret,
            &salt_length,
            salt[0],
            salt[1],
            b"response",
        ];
        self.derive(&ikm, &mut [key, nonce]);
        Ok(())
    }
}

impl<X> fmt::Debug for Xof<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}
