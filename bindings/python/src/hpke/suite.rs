//! Ciphersuites and their one-shot operations (RFC 9180, sections 5 and 6).

use getrandom::SysRng;
use pqseal_hpke::{
    Aead, AnyPrivateKey, AnyPublicKey, Message, Mode, Psk, Recipient, Sealed, Sender, SuiteId,
};
use pqseal_keys::KEMS;
use pyo3::{prelude::*, types::PyBytes};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{Algorithm, PrivateKey, PublicInput, RecipientContext, SenderContext};
use crate::{
    argument::{self, Buffer, bytes},
    error::Error,
    process::{CHUNK, MANY, on_all_cores},
};

/// A ciphersuite: a KEM, a KDF and an AEAD, each by name or id.
///
/// The operations are those of RFC 9180. The mode follows from the arguments: with `psk` and
/// `psk_id` it is mode_psk, with the sender's key mode_auth, with both mode_auth_psk. `policy`
/// limits the algorithms: `standard` allows those that RFCs define, `draft` also those that
/// Internet-Drafts define, and `experimental` all.
#[pyclass(frozen, module = "pqseal.hpke")]
pub(crate) struct Suite(pqseal_hpke::Suite);

type Bytes<'py> = Bound<'py, PyBytes>;

#[pymethods]
impl Suite {
    #[new]
    #[pyo3(signature = (kem, kdf, aead, *, policy = "draft"))]
    #[allow(
        clippy::needless_pass_by_value,
        reason = "as Python's arguments are taken"
    )]
    fn new(kem: Algorithm, kdf: Algorithm, aead: Algorithm, policy: &str) -> PyResult<Self> {
        let id = SuiteId::new(
            kem.kem()?.info().id,
            kdf.kdf()?.info().id,
            Aead::info(aead.aead()?).id,
        );
        let suite = pqseal_hpke::Suite::from_id(KEMS, id, &argument::policy(policy)?);
        Ok(Self(suite.map_err(Error::from)?))
    }

    /// The ids of KEM, KDF and AEAD.
    #[getter]
    fn ids(&self) -> (u16, u16, u16) {
        let id = self.0.id();
        (id.kem, id.kdf, id.aead)
    }

    /// GenerateKeyPair: returns a private key, and the serialized public key.
    fn generate_key_pair<'py>(&self, py: Python<'py>) -> PyResult<(PrivateKey, Bytes<'py>)> {
        let pair = py.detach(|| self.0.generate_key_pair(&mut SysRng));
        Ok(key_pair(py, pair.map_err(Error::from)?))
    }

    /// DeriveKeyPair: derives a key pair from `ikm`, which should have at least Nsk bytes, all of
    /// them secret. The same `ikm` gives the same key pair.
    fn derive_key_pair<'py>(
        &self,
        py: Python<'py>,
        ikm: Buffer,
    ) -> PyResult<(PrivateKey, Bytes<'py>)> {
        let pair = py.detach(|| self.0.kem().derive_key_pair(&ikm));
        Ok(key_pair(py, pair.map_err(Error::from)?))
    }

    /// Seals one message under a fresh encapsulated key. Returns the encapsulated key and the
    /// ciphertext with its tag.
    #[pyo3(signature = (public_key, plaintext, *, info = None, aad = None, psk = None, psk_id = None, sender_key = None))]
    #[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        public_key: PublicInput,
        plaintext: Buffer,
        info: Option<Buffer>,
        aad: Option<Buffer>,
        psk: Option<Buffer>,
        psk_id: Option<Buffer>,
        sender_key: Option<&Bound<'py, PrivateKey>>,
    ) -> PyResult<(Bytes<'py>, Bytes<'py>)> {
        let inputs = Inputs { info, psk, psk_id };
        let sender = sender_key.map(|key| &key.get().0);
        let (enc, ct) = py.detach(|| {
            let key = self.public(&public_key)?;
            let (mode, aad) = (inputs.mode(sender)?, bytes(aad.as_ref()));
            let sealed = self
                .0
                .seal(&key, inputs.info(), mode, aad, &plaintext, &mut SysRng);
            Ok::<_, Error>(sealed?)
        })?;
        Ok((PyBytes::new(py, &enc), PyBytes::new(py, &ct)))
    }

    /// Opens the one message that was sealed under `enc`.
    #[pyo3(signature = (enc, private_key, ciphertext, *, info = None, aad = None, psk = None, psk_id = None, sender_public_key = None))]
    #[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn open<'py>(
        &self,
        py: Python<'py>,
        enc: Buffer,
        private_key: &PrivateKey,
        ciphertext: Buffer,
        info: Option<Buffer>,
        aad: Option<Buffer>,
        psk: Option<Buffer>,
        psk_id: Option<Buffer>,
        sender_public_key: Option<PublicInput>,
    ) -> PyResult<Bytes<'py>> {
        let inputs = Inputs { info, psk, psk_id };
        let plaintext = py.detach(|| {
            let sender = self.sender(sender_public_key.as_ref())?;
            let (mode, aad) = (inputs.mode(sender.as_ref())?, bytes(aad.as_ref()));
            let key = &private_key.0;
            let opened = self
                .0
                .open(&*enc, key, inputs.info(), mode, aad, &ciphertext);
            Ok::<_, Error>(Zeroizing::new(opened?))
        })?;
        Ok(PyBytes::new(py, &plaintext))
    }

    /// SetupS: returns a fresh encapsulated key, and the context that seals any number of messages
    /// under it.
    #[pyo3(signature = (public_key, *, info = None, psk = None, psk_id = None, sender_key = None))]
    #[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn setup_sender<'py>(
        &self,
        py: Python<'py>,
        public_key: PublicInput,
        info: Option<Buffer>,
        psk: Option<Buffer>,
        psk_id: Option<Buffer>,
        sender_key: Option<&Bound<'py, PrivateKey>>,
    ) -> PyResult<(Bytes<'py>, SenderContext)> {
        let inputs = Inputs { info, psk, psk_id };
        let sender = sender_key.map(|key| &key.get().0);
        let (enc, context) = py.detach(|| {
            let key = self.public(&public_key)?;
            let mode = inputs.mode(sender)?;
            Ok::<_, Error>(self.0.setup_s(&key, inputs.info(), mode, &mut SysRng)?)
        })?;
        Ok((PyBytes::new(py, &enc), SenderContext::new(context)))
    }

    /// SetupR: returns the context that opens messages sealed under `enc`.
    #[pyo3(signature = (enc, private_key, *, info = None, psk = None, psk_id = None, sender_public_key = None))]
    #[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn setup_recipient(
        &self,
        py: Python<'_>,
        enc: Buffer,
        private_key: &PrivateKey,
        info: Option<Buffer>,
        psk: Option<Buffer>,
        psk_id: Option<Buffer>,
        sender_public_key: Option<PublicInput>,
    ) -> PyResult<RecipientContext> {
        let inputs = Inputs { info, psk, psk_id };
        let context = py.detach(|| {
            let sender = self.sender(sender_public_key.as_ref())?;
            let mode = inputs.mode(sender.as_ref())?;
            let key = &private_key.0;
            Ok::<_, Error>(self.0.setup_r(&*enc, key, inputs.info(), mode)?)
        })?;
        Ok(RecipientContext::new(context))
    }

    /// Seals messages, each a tuple of aad and plaintext, and each under its own encapsulated key.
    /// Returns a tuple of encapsulated key and ciphertext for each, in order. Runs on all cores
    /// without the interpreter's lock.
    #[pyo3(signature = (public_key, messages, *, info = None, psk = None, psk_id = None, sender_key = None))]
    #[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn seal_batch<'py>(
        &self,
        py: Python<'py>,
        public_key: PublicInput,
        messages: Vec<(Buffer, Buffer)>,
        info: Option<Buffer>,
        psk: Option<Buffer>,
        psk_id: Option<Buffer>,
        sender_key: Option<&Bound<'py, PrivateKey>>,
    ) -> PyResult<Vec<(Bytes<'py>, Bytes<'py>)>> {
        let inputs = Inputs { info, psk, psk_id };
        let sender = sender_key.map(|key| &key.get().0);
        let sealed = py.detach(|| {
            let (key, mode) = (self.public(&public_key)?, inputs.mode(sender)?);
            let mut sender = Sender::new(self.0, key, inputs.info(), mode)?;
            if messages.len() >= MANY {
                sender = sender.precompute();
            }
            let chunks = messages.par_chunks(CHUNK).map(|chunk| {
                let messages: Vec<_> = chunk.iter().map(|(aad, pt)| Message { aad, pt }).collect();
                sender.seal_batch(&messages, &mut SysRng)
            });
            let sealed: Result<Vec<_>, _> = on_all_cores(|| chunks.collect())?;
            Ok::<_, Error>(sealed?.into_iter().flatten())
        })?;
        Ok(sealed
            .map(|(enc, ct)| (PyBytes::new(py, &enc), PyBytes::new(py, &ct)))
            .collect())
    }

    /// Opens messages, each a tuple of encapsulated key, aad and ciphertext. Returns the plaintext
    /// of each, in order, or a `PqsealError` for a message that does not open, which does not
    /// affect the others. Runs on all cores without the interpreter's lock.
    #[pyo3(signature = (private_key, messages, *, info = None, psk = None, psk_id = None, sender_public_key = None))]
    #[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn open_batch<'py>(
        &self,
        py: Python<'py>,
        private_key: &PrivateKey,
        messages: Vec<(Buffer, Buffer, Buffer)>,
        info: Option<Buffer>,
        psk: Option<Buffer>,
        psk_id: Option<Buffer>,
        sender_public_key: Option<PublicInput>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let inputs = Inputs { info, psk, psk_id };
        let opened = py.detach(|| {
            let sender = self.sender(sender_public_key.as_ref())?;
            let mode = inputs.mode(sender.as_ref())?;
            let recipient = Recipient::new(self.0, private_key.0.clone(), inputs.info(), mode)?;
            let chunks = messages.par_chunks(CHUNK).flat_map_iter(|chunk| {
                let sealed: Vec<_> = chunk
                    .iter()
                    .map(|(enc, aad, ct)| Sealed { enc, aad, ct })
                    .collect();
                recipient.open_batch(&sealed)
            });
            on_all_cores(|| chunks.collect::<Vec<_>>())
        })?;
        let answers = opened.into_iter().map(|opened| match opened {
            Ok(plaintext) => PyBytes::new(py, &Zeroizing::new(plaintext)).into_any(),
            Err(error) => PyErr::from(Error::from(error))
                .into_value(py)
                .into_bound(py)
                .into_any(),
        });
        Ok(answers.collect())
    }

    fn __repr__(&self) -> String {
        let names = [
            self.0.kem().info().short_name,
            self.0.kdf().info().name,
            Aead::info(self.0.aead()).name,
        ];
        format!("<pqseal.hpke.Suite {}>", names.join(", "))
    }
}

impl Suite {
    fn public(&self, key: &PublicInput) -> Result<AnyPublicKey, Error> {
        Ok(match key {
            PublicInput::Key(key) => key.get().0.clone(),
            PublicInput::Bytes(bytes) => self.0.public_key(bytes)?,
        })
    }

    fn sender(&self, public_key: Option<&PublicInput>) -> Result<Option<AnyPublicKey>, Error> {
        public_key.map(|key| self.public(key)).transpose()
    }
}

fn key_pair(
    py: Python<'_>,
    (private, public): (AnyPrivateKey, AnyPublicKey),
) -> (PrivateKey, Bytes<'_>) {
    (PrivateKey(private), PyBytes::new(py, public.as_ref()))
}

/// The inputs that both sides must agree on: info and pre-shared key.
struct Inputs {
    info: Option<Buffer>,
    psk: Option<Buffer>,
    psk_id: Option<Buffer>,
}

impl Inputs {
    fn info(&self) -> &[u8] {
        bytes(self.info.as_ref())
    }

    /// Returns the mode that follows from the given arguments. A psk without its id, or an id
    /// without its psk, is an error, and never the mode without a psk.
    fn mode<'a, Key>(&'a self, sender: Option<&'a Key>) -> Result<Mode<'a, Key>, Error> {
        let psk = match (&self.psk, &self.psk_id) {
            (None, None) => None,
            (psk, psk_id) => Some(Psk::new(bytes(psk.as_ref()), bytes(psk_id.as_ref()))?),
        };
        Ok(match (psk, sender) {
            (None, None) => Mode::Base,
            (Some(psk), None) => Mode::Psk(psk),
            (None, Some(key)) => Mode::Auth(key),
            (Some(psk), Some(key)) => Mode::AuthPsk(key, psk),
        })
    }
}
