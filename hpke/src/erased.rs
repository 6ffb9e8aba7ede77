//! The run-time form: any [`Kem`] behind one object type, with keys that know their KEM.

use alloc::{sync::Arc, vec::Vec};
use core::{any::Any, fmt};

use crate::{Error, Kem, KemInfo, Secret, SharedSecret, SharedSecrets};

/// A KEM chosen at run time.
pub type DynKem =
    dyn Kem<PrivateKey = AnyPrivateKey, PublicKey = AnyPublicKey, Enc = Vec<u8>> + Send + Sync;

/// Makes a [`DynKem`] from any KEM. Each of its private keys holds a clone of the KEM.
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

/// What a private key does without a [`DynKem`] at hand.
trait KeyWithKem: Send + Sync {
    fn public_key(&self) -> Result<AnyPublicKey, Error>;
    fn to_bytes(&self) -> Result<Secret, Error>;
    fn key(&self) -> &(dyn Any + Send + Sync);
}

struct Held<K: Kem> {
    kem: Erased<K>,
    key: K::PrivateKey,
}

impl AnyPrivateKey {
    /// The KEM that the key belongs to.
    pub fn kem(&self) -> &KemInfo {
        &self.kem
    }

    /// The public key that belongs to it.
    ///
    /// # Errors
    /// Only those of a [`Kem`] that is implemented elsewhere: the KEMs of this project have none.
    pub fn public_key(&self) -> Result<AnyPublicKey, Error> {
        self.key.public_key()
    }

    /// SerializePrivateKey: Nsk bytes, as they were given or derived.
    ///
    /// # Errors
    /// Only those of a [`Kem`] that is implemented elsewhere, such as for a key that cannot leave
    /// its device.
    pub fn to_bytes(&self) -> Result<Secret, Error> {
        self.key.to_bytes()
    }
}

impl AnyPublicKey {
    /// The KEM that the key belongs to.
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

    fn key(&self) -> &(dyn Any + Send + Sync) {
        &self.key
    }
}

impl<K: Kem> Erased<K>
where
    K::PrivateKey: 'static,
    K::PublicKey: 'static,
{
    fn wrap_private(&self, key: K::PrivateKey) -> AnyPrivateKey
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

    fn private<'a>(&self, key: &'a AnyPrivateKey) -> Result<&'a K::PrivateKey, Error> {
        self.downcast(&key.kem, key.key.key())
    }

    fn public<'a>(&self, key: &'a AnyPublicKey) -> Result<&'a K::PublicKey, Error> {
        self.downcast(&key.kem, &*key.key)
    }

    /// Two KEMs may share their key types, so the id decides and not only the type.
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
        let (sk, pk) = self.0.derive_key_pair(ikm)?;
        Ok((self.wrap_private(sk), self.wrap_public(pk)))
    }

    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<AnyPrivateKey, Error> {
        self.0
            .deserialize_private_key(bytes)
            .map(|key| self.wrap_private(key))
    }

    fn serialize_private_key(&self, sk: &AnyPrivateKey) -> Result<Secret, Error> {
        self.private(sk).and_then(|_| sk.to_bytes())
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<AnyPublicKey, Error> {
        self.0
            .deserialize_public_key(bytes)
            .map(|key| self.wrap_public(key))
    }

    fn public_key(&self, sk: &AnyPrivateKey) -> Result<AnyPublicKey, Error> {
        self.private(sk).and_then(|_| sk.public_key())
    }

    /// Left out of WebAssembly, where no KEM has anything to precompute and each would bring its copy
    /// of this.
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
        let (shared_secret, enc) = self.0.encap(self.public(pk_r)?, randomness)?;
        Ok((shared_secret, enc.as_ref().to_vec()))
    }

    fn decap(&self, enc: &[u8], sk_r: &AnyPrivateKey) -> Result<SharedSecret, Error> {
        self.0.decap(enc, self.private(sk_r)?)
    }

    fn decap_batch(&self, encs: &[&[u8]], sk_r: &AnyPrivateKey) -> SharedSecrets {
        match self.private(sk_r) {
            Ok(sk_r) => self.0.decap_batch(encs, sk_r),
            Err(error) => encs.iter().map(|_| Err(error)).collect(),
        }
    }

    fn auth_encap(
        &self,
        pk_r: &AnyPublicKey,
        sk_s: &AnyPrivateKey,
        randomness: &[u8],
    ) -> Result<(SharedSecret, Vec<u8>), Error> {
        let (shared_secret, enc) =
            self.0
                .auth_encap(self.public(pk_r)?, self.private(sk_s)?, randomness)?;
        Ok((shared_secret, enc.as_ref().to_vec()))
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
