//! KeySchedule (RFC 9180, section 5.1), split at the shared secret: the part before it is computed
//! once for many messages.
//!
//! After X25519, opening a message takes 19 compressions of SHA-256 and sealing one takes 25, since
//! sealing also derives a key pair. With a hybrid, whose combiner is SHA3, either takes 12. Opening
//! takes four more if the key is not bound to its info. `tests/it/compressions.rs` counts them.

use alloc::{vec, vec::Vec};

use crate::{
    Aead, AeadInfo, Error, Kdf, Labels, Mode, Nonce, Secret, SharedSecret, SuiteId,
    aead::Sealing,
    kdf::{ScheduleInputs, ScheduleParts, ScheduleSecrets},
    secret::Short,
    twice::agreed,
};

/// The part of the key schedule that does not depend on the shared secret.
pub(crate) struct KeySchedule<D: ?Sized + 'static, A: 'static> {
    pub(crate) kdf: &'static D,
    pub(crate) aead: &'static A,
    pub(crate) suite_id: SuiteId,
    psk: Secret,
    key_schedule_context: Vec<u8>,
}

impl<D: Kdf + ?Sized, A: Aead> KeySchedule<D, A> {
    pub(crate) fn new<Key>(
        kdf: &'static D,
        aead: &'static A,
        suite_id: SuiteId,
        mode: &Mode<'_, Key>,
        info: &[u8],
    ) -> Result<Self, Error> {
        let id = suite_id.to_bytes();
        let key_schedule_context =
            kdf.key_schedule_context(&Labels::v1(&id), mode.id(), mode.psk_id(), info)?;
        Ok(Self {
            kdf,
            aead,
            suite_id,
            psk: Secret::from_bytes(mode.psk()),
            key_schedule_context,
        })
    }

    /// Derives the secrets of one context.
    pub(crate) fn secrets(
        &self,
        shared_secret: &SharedSecret,
        parts: ScheduleParts,
    ) -> Result<ScheduleSecrets, Error> {
        let aead: &AeadInfo = self.aead.info();
        let inputs = ScheduleInputs {
            key_schedule_context: &self.key_schedule_context,
            psk: self.psk.as_ref(),
            shared_secret: shared_secret.as_ref(),
            aead,
        };
        self.kdf
            .combine_secrets(&Labels::v1(&self.suite_id.to_bytes()), &inputs, parts)
    }

    /// Exports bytes (Context.Export, section 5.3).
    pub(crate) fn export(
        &self,
        secret: &Secret<Short>,
        exporter_context: &[u8],
        len: usize,
    ) -> Result<Secret, Error> {
        export(self.kdf, self.suite_id, secret, exporter_context, len)
    }
}

/// One message without a context: it is sealed under the base nonce. With a two-stage KDF no
/// exporter secret is derived.
impl<D: Kdf + ?Sized, A: Sealing> KeySchedule<D, A> {
    /// Seals after encapsulation (Seal of section 6.1).
    pub(crate) fn seal(
        &self,
        shared_secret: &SharedSecret,
        aad: &[u8],
        pt: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let mut seal =
            || self.one_message(shared_secret, |key, nonce| A::seal(key, nonce, aad, pt));
        agreed(&mut seal, |ct| Ok(Secret::new(ct.clone())))
    }

    /// Opens after decapsulation (Open of section 6.1).
    pub(crate) fn open(
        &self,
        shared_secret: &SharedSecret,
        aad: &[u8],
        ct: &[u8],
    ) -> Result<Vec<u8>, Error> {
        self.one_message(shared_secret, |key, nonce| A::open(key, nonce, aad, ct))
    }

    fn one_message(
        &self,
        shared_secret: &SharedSecret,
        apply: impl FnOnce(&A::Key, &Nonce) -> Result<Vec<u8>, Error>,
    ) -> Result<Vec<u8>, Error> {
        let secrets = self.secrets(shared_secret, ScheduleParts::Message)?;
        let key = self.aead.key(secrets.key.as_ref())?;
        apply(&key, secrets.nonce().bytes())
    }
}

/// Exports bytes (Context.Export, section 5.3), with the length checked before anything is
/// allocated.
pub(crate) fn export<D: Kdf + ?Sized>(
    kdf: &D,
    suite_id: SuiteId,
    exporter_secret: &Secret<Short>,
    exporter_context: &[u8],
    len: usize,
) -> Result<Secret, Error> {
    let info = kdf.info();
    let limit = if info.one_stage {
        usize::from(u16::MAX)
    } else {
        255 * info.n_h
    };
    if len > limit {
        return Err(Error::ExportTooLong);
    }
    let mut out = Secret::new(vec![0; len]);
    kdf.export(
        &Labels::v1(&suite_id.to_bytes()),
        exporter_secret,
        exporter_context,
        out.as_mut(),
    )?;
    Ok(out)
}
