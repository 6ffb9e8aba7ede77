//! The run-time form: any [`Kem`] behind one object type, with keys that know their KEM.

use alloc::{sync::Arc, vec::Vec};
use core::{any::Any, fmt};

use crate::{Error, Kem, KemInfo, Secret, SharedSecret, SharedSecrets, twice::agreed};

/// A KEM chosen at run time.
pub type DynKem =
    dyn Kem<PrivateKey = AnyPrivateKey, PublicKey = AnyPublicKey, Enc = Vec<u8>> + Send + Sync;

/// A wrapper that makes a [`DynKem`] from any KEM. Each of its private keys holds a clone of the
/// KEM.
#[derive(Clone, Debug)]
pub struct Erased<K>(pub K);

/// A private key of a KEM that is chosen at run time. Clones share one key, which is wiped when the
/// last of them is dropped.
///
/// ```
/// use pqseal_hpke::{KEMS, Policy, Suite, SuiteId, SysRng};
///
/// let id = SuiteId::new(0x0020, 0x0001, 0x0003);
/// let suite = Suite::from_id(&[KEMS], id, &Policy::standard())?;
/// let (private, public) = suite.generate_key_pair(&mut SysRng)?;
/// let copy = suite.private_key(private.to_bytes()?.as_ref())?;
/// assert_eq!(copy.public_key()?, public);
/// assert_eq!(suite.public_key(public.as_ref())?, public);
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
#[derive(Clone)]
pub struct AnyPrivateKey {
    kem: KemInfo,
    key: Arc<dyn KeyWithKem>,
}

/// A public key of a KEM that is chosen at run time. Cheap to clone.
#[derive(Clone)]
pub struct AnyPublicKey {
    kem: KemInfo,
    key: Arc<dyn Any + Send + Sync>,
    bytes: Arc<[u8]>,
}

/// The operations of a recipient's private key, wherever it is: in hardware, in a service, in
/// another process. [`AnyPrivateKey::external`] makes a key from it.
pub trait Decapsulator: Send + Sync {
    /// Decapsulates `enc` (Decap of RFC 9180, section 4): returns the shared secret, Nsecret bytes.
    ///
    /// # Errors
    /// [`Error::Decap`] if `enc` is not valid, [`Error::KeyUnavailable`] if the key did not answer.
    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, Error>;

    /// Decapsulates many keys, results in order. A loop unless there is something faster.
    fn decap_batch(&self, encs: &[&[u8]]) -> SharedSecrets {
        encs.iter().map(|enc| self.decap(enc)).collect()
    }
}

/// The operations of a private key without a [`DynKem`] at hand.
trait KeyWithKem: Send + Sync {
    fn public_key(&self) -> Result<AnyPublicKey, Error>;
    fn to_bytes(&self) -> Result<Secret, Error>;
    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, Error>;
    fn decap_batch(&self, encs: &[&[u8]]) -> SharedSecrets;
    /// Returns the key as its KEM's own type.
    fn key(&self) -> &(dyn Any + Send + Sync);
}

struct Held<K: Kem> {
    kem: Erased<K>,
    key: K::PrivateKey,
}

/// A key that is held elsewhere.
struct External {
    public: AnyPublicKey,
    key: Arc<dyn Decapsulator>,
}

impl AnyPrivateKey {
    /// Makes a private key that is held elsewhere, such as in hardware, from its public key and its
    /// decapsulator. It works with each run-time [`Suite`](crate::Suite) of its KEM, in the modes
    /// base and psk, and cannot be exported.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use pqseal_hpke::{
    ///     AnyPrivateKey, Decapsulator, Error, KEMS, Mode, Policy, SharedSecret, Suite, SuiteId, SysRng,
    /// };
    ///
    /// struct Token {/* a session with the hardware */
    /// #   kem: &'static pqseal_hpke::DynKem, key: AnyPrivateKey
    /// }
    ///
    /// impl Decapsulator for Token {
    ///     fn decap(&self, enc: &[u8]) -> Result<SharedSecret, Error> {
    ///         // Ask the hardware; for a DHKEM, `dhkem::extract_and_expand` makes the shared secret
    ///         // of the Diffie-Hellman value.
    /// #       self.kem.decap(enc, &self.key)
    ///     }
    /// }
    ///
    /// let suite = Suite::from_id(&[KEMS], SuiteId::new(0x0010, 0x0001, 0x0001), &Policy::standard())?;
    /// # let (key, public) = suite.generate_key_pair(&mut SysRng)?;
    /// # let token = Token { kem: suite.kem(), key };
    /// let private = AnyPrivateKey::external(public.clone(), Arc::new(token));
    /// let (enc, ct) = suite.seal(&public, b"", Mode::Base, b"", b"GET /", &mut SysRng)?;
    /// assert_eq!(suite.open(&enc, &private, b"", Mode::Base, b"", &ct)?, b"GET /");
    /// assert!(private.to_bytes().is_err());
    /// let auth = suite.open(&enc, &private, b"", Mode::Auth(&public), b"", &ct);
    /// assert_eq!(auth, Err(Error::AuthUnsupported));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn external(public: AnyPublicKey, key: Arc<dyn Decapsulator>) -> Self {
        Self {
            kem: public.kem,
            key: Arc::new(External { public, key }),
        }
    }

    /// Returns the KEM that the key belongs to.
    pub fn kem(&self) -> &KemInfo {
        &self.kem
    }

    /// Returns the matching public key.
    ///
    /// # Errors
    /// Only those of a [`Kem`] implemented outside this project, whose own KEMs have none.
    pub fn public_key(&self) -> Result<AnyPublicKey, Error> {
        self.key.public_key()
    }

    /// Serializes the key (SerializePrivateKey): Nsk bytes, as they were given or derived.
    ///
    /// # Errors
    /// [`Error::NoSeed`] for a key that is held elsewhere ([`AnyPrivateKey::external`]), and those
    /// of a [`Kem`] implemented outside this project.
    pub fn to_bytes(&self) -> Result<Secret, Error> {
        self.key.to_bytes()
    }
}

impl AnyPublicKey {
    /// Returns the KEM that the key belongs to.
    pub fn kem(&self) -> &KemInfo {
        &self.kem
    }
}

impl AsRef<[u8]> for AnyPublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl PartialEq for AnyPublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.kem.id == other.kem.id && self.bytes == other.bytes
    }
}

impl Eq for AnyPublicKey {}

impl fmt::Debug for AnyPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyPrivateKey({})", self.kem.name)
    }
}

impl fmt::Debug for AnyPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyPublicKey({}, {:02x?})", self.kem.name, self.bytes)
    }
}

impl<K: Kem + Send + Sync> KeyWithKem for Held<K>
where
    K::PrivateKey: 'static,
    K::PublicKey: 'static,
{
    fn public_key(&self) -> Result<AnyPublicKey, Error> {
        let key = self.kem.0.public_key(&self.key)?;
        Ok(self.kem.wrap_public(key))
    }

    fn to_bytes(&self) -> Result<Secret, Error> {
        self.kem.0.serialize_private_key(&self.key)
    }

    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, Error> {
        self.kem.0.decap(enc, &self.key)
    }

    fn decap_batch(&self, encs: &[&[u8]]) -> SharedSecrets {
        self.kem.0.decap_batch(encs, &self.key)
    }

    fn key(&self) -> &(dyn Any + Send + Sync) {
        &self.key
    }
}

impl KeyWithKem for External {
    fn public_key(&self) -> Result<AnyPublicKey, Error> {
        Ok(self.public.clone())
    }

    fn to_bytes(&self) -> Result<Secret, Error> {
        Err(Error::NoSeed)
    }

    /// Checks the length: a shared secret of another length would be a key that nobody agreed on.
    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, Error> {
        let shared_secret = self.key.decap(enc)?;
        match shared_secret.as_ref().len() == self.public.kem.n_secret {
            true => Ok(shared_secret),
            false => Err(Error::KeyUnavailable),
        }
    }

    fn decap_batch(&self, encs: &[&[u8]]) -> SharedSecrets {
        let n_secret = self.public.kem.n_secret;
        let shared_secrets = self.key.decap_batch(encs);
        let are_whole = shared_secrets
            .iter()
            .flatten()
            .all(|secret| secret.as_ref().len() == n_secret);
        if shared_secrets.len() == encs.len() && are_whole {
            return shared_secrets;
        }
        encs.iter().map(|_| Err(Error::KeyUnavailable)).collect()
    }

    fn key(&self) -> &(dyn Any + Send + Sync) {
        &self.public
    }
}

impl<K: Kem> Erased<K>
where
    K::PrivateKey: 'static,
    K::PublicKey: 'static,
{
    /// Makes a run-time key from a key of the KEM's own type, such as an ML-KEM key that was
    /// imported without its seed.
    pub fn wrap_private(&self, key: K::PrivateKey) -> AnyPrivateKey
    where
        K: Clone + Send + Sync + 'static,
    {
        let kem = Self(self.0.clone());
        AnyPrivateKey {
            kem: *self.0.info(),
            key: Arc::new(Held { kem, key }),
        }
    }

    fn wrap_public(&self, key: K::PublicKey) -> AnyPublicKey {
        AnyPublicKey {
            kem: *self.0.info(),
            bytes: key.as_ref().into(),
            key: Arc::new(key),
        }
    }

    /// Checks that the key belongs to this KEM, since it decapsulates with its own.
    fn expect_own(&self, key: &AnyPrivateKey) -> Result<(), Error> {
        match key.kem.id == self.0.info().id {
            true => Ok(()),
            false => Err(Error::KeyMismatch),
        }
    }

    /// Returns the private key. Of a key that is held elsewhere only the public key is known.
    fn private<'a>(&self, key: &'a AnyPrivateKey) -> Result<&'a K::PrivateKey, Error> {
        let held = key.key.key();
        match held.is::<AnyPublicKey>() {
            true => self.expect_own(key).and(Err(Error::AuthUnsupported)),
            false => self.downcast(&key.kem, held),
        }
    }

    fn public<'a>(&self, key: &'a AnyPublicKey) -> Result<&'a K::PublicKey, Error> {
        self.downcast(&key.kem, &*key.key)
    }

    /// Checks the id and not only the type, since two KEMs may share their key types.
    fn downcast<'a, T: 'static>(
        &self,
        kem: &KemInfo,
        key: &'a (dyn Any + Send + Sync),
    ) -> Result<&'a T, Error> {
        if kem.id != self.0.info().id {
            return Err(Error::KeyMismatch);
        }
        key.downcast_ref().ok_or(Error::KeyMismatch)
    }
}

/// Private keys agree if their public halves do.
fn agreed_key(
    make: &mut dyn FnMut() -> Result<AnyPrivateKey, Error>,
) -> Result<AnyPrivateKey, Error> {
    agreed(make, |key| {
        Ok(Secret::new(key.public_key()?.as_ref().to_vec()))
    })
}

fn agreed_secret(
    encap: &mut dyn FnMut() -> Result<(SharedSecret, Vec<u8>), Error>,
) -> Result<(SharedSecret, Vec<u8>), Error> {
    agreed(encap, |(secret, enc)| {
        Ok(Secret::new([secret.as_ref(), enc].concat()))
    })
}

impl<K: Kem + Clone + Send + Sync + 'static> Kem for Erased<K>
where
    K::PrivateKey: 'static,
    K::PublicKey: 'static,
{
    type PrivateKey = AnyPrivateKey;
    type PublicKey = AnyPublicKey;
    type Enc = Vec<u8>;

    fn info(&self) -> &KemInfo {
        self.0.info()
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(AnyPrivateKey, AnyPublicKey), Error> {
        let sk = agreed_key(&mut || {
            let (sk, _) = self.0.derive_key_pair(ikm)?;
            Ok(self.wrap_private(sk))
        })?;
        let pk = sk.public_key()?;
        Ok((sk, pk))
    }

    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<AnyPrivateKey, Error> {
        agreed_key(&mut || {
            self.0
                .deserialize_private_key(bytes)
                .map(|key| self.wrap_private(key))
        })
    }

    fn serialize_private_key(&self, sk: &AnyPrivateKey) -> Result<Secret, Error> {
        self.expect_own(sk).and_then(|()| sk.to_bytes())
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<AnyPublicKey, Error> {
        self.0
            .deserialize_public_key(bytes)
            .map(|key| self.wrap_public(key))
    }

    fn public_key(&self, sk: &AnyPrivateKey) -> Result<AnyPublicKey, Error> {
        self.expect_own(sk).and_then(|()| sk.public_key())
    }

    /// Left out of WebAssembly, where no KEM has anything to precompute and each would add its own
    /// copy of this code.
    #[cfg(not(target_arch = "wasm32"))]
    fn precompute(&self, pk: &mut AnyPublicKey) {
        let Ok(key) = self.public(pk) else { return };
        let mut key = key.clone();
        self.0.precompute(&mut key);
        pk.key = Arc::new(key);
    }

    fn encap(
        &self,
        pk_r: &AnyPublicKey,
        randomness: &[u8],
    ) -> Result<(SharedSecret, Vec<u8>), Error> {
        let pk_r = self.public(pk_r)?;
        agreed_secret(&mut || {
            let (shared_secret, enc) = self.0.encap(pk_r, randomness)?;
            Ok((shared_secret, enc.as_ref().to_vec()))
        })
    }

    /// Left out of WebAssembly, as [`Kem::precompute`] is.
    #[cfg(not(target_arch = "wasm32"))]
    fn encap_batch(
        &self,
        pk_r: &AnyPublicKey,
        randomness: &[&[u8]],
    ) -> Result<(SharedSecrets, Vec<Vec<u8>>), Error> {
        let (shared_secrets, encs) = self.0.encap_batch(self.public(pk_r)?, randomness)?;
        let encs = encs.iter().map(|enc| enc.as_ref().to_vec()).collect();
        Ok((shared_secrets, encs))
    }

    fn decap(&self, enc: &[u8], sk_r: &AnyPrivateKey) -> Result<SharedSecret, Error> {
        self.expect_own(sk_r)?;
        sk_r.key.decap(enc)
    }

    fn decap_batch(&self, encs: &[&[u8]], sk_r: &AnyPrivateKey) -> SharedSecrets {
        match self.expect_own(sk_r) {
            Ok(()) => sk_r.key.decap_batch(encs),
            Err(error) => encs.iter().map(|_| Err(error)).collect(),
        }
    }

    fn auth_encap(
        &self,
        pk_r: &AnyPublicKey,
        sk_s: &AnyPrivateKey,
        randomness: &[u8],
    ) -> Result<(SharedSecret, Vec<u8>), Error> {
        let (pk_r, sk_s) = (self.public(pk_r)?, self.private(sk_s)?);
        agreed_secret(&mut || {
            let (shared_secret, enc) = self.0.auth_encap(pk_r, sk_s, randomness)?;
            Ok((shared_secret, enc.as_ref().to_vec()))
        })
    }

    fn auth_decap(
        &self,
        enc: &[u8],
        sk_r: &AnyPrivateKey,
        pk_s: &AnyPublicKey,
    ) -> Result<SharedSecret, Error> {
        self.0
            .auth_decap(enc, self.private(sk_r)?, self.public(pk_s)?)
    }
}
