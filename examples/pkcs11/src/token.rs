//! DHKEM(P-256, HKDF-SHA256) with the private key in a token. The token computes the
//! Diffie-Hellman value (CKM_ECDH1_DERIVE), and this program performs ExtractAndExpand of RFC
//! 9180.

use std::{path::Path, sync::Mutex};

use cryptoki::{
    context::{CInitializeArgs, CInitializeFlags, Pkcs11},
    mechanism::{
        Mechanism,
        elliptic_curve::{EcKdf, Ecdh1DeriveParams},
    },
    object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle},
    session::{Session, UserType},
    types::AuthPin,
};
use pqseal_hpke::{
    AnyPublicKey, Decapsulator, Error as HpkeError, HPKE_V1, HkdfSha256, KemInfo, Secret,
    SharedSecret,
    dhkem::{Group, P256, extract_and_expand},
};
use pqseal_keys::kem_by_id;
use zeroize::Zeroizing;

use crate::Error;

/// DHKEM(P-256, HKDF-SHA256).
const KEM: u16 = 0x0010;
/// The object identifier of P-256 (secp256r1) in DER, as in CKA_EC_PARAMS.
const P256_OID: &[u8] = &[6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];

/// A token that its user has logged in to.
pub(crate) struct Token {
    session: Session,
}

/// A private key in a token.
pub(crate) struct Key {
    session: Mutex<Session>,
    private: ObjectHandle,
    /// The public key, Npk bytes.
    public: Vec<u8>,
}

impl Token {
    pub(crate) fn open(module: &Path, label: &str, pin: Zeroizing<String>) -> Result<Self, Error> {
        let pkcs11 = Pkcs11::new(module)?;
        pkcs11.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK))?;
        for slot in pkcs11.get_slots_with_token()? {
            if pkcs11.get_token_info(slot)?.label() == label {
                let session = pkcs11.open_rw_session(slot)?;
                session.login(UserType::User, Some(&AuthPin::from(pin.as_str())))?;
                return Ok(Self { session });
            }
        }
        Err(format!("no token has the label {label}").into())
    }

    /// Makes a key pair whose private key cannot leave the token.
    pub(crate) fn generate(&self, label: &str) -> Result<AnyPublicKey, Error> {
        if !self.find(ObjectClass::PRIVATE_KEY, label)?.is_empty() {
            return Err(format!("the token has a key with the label {label} already").into());
        }
        let name = Attribute::Label(label.as_bytes().to_vec());
        let public = [
            name.clone(),
            Attribute::Token(true),
            Attribute::Private(false),
            Attribute::EcParams(P256_OID.to_vec()),
        ];
        let private = [
            name,
            Attribute::Token(true),
            Attribute::Private(true),
            Attribute::Sensitive(true),
            Attribute::Extractable(false),
            Attribute::Derive(true),
        ];
        let (public, _) =
            self.session
                .generate_key_pair(&Mechanism::EccKeyPairGen, &public, &private)?;
        public_key(&self.point(public)?)
    }

    /// Returns the key with this label.
    pub(crate) fn key(self, label: &str) -> Result<Key, Error> {
        let one = |class, what| match self.find(class, label)?[..] {
            [key] => Ok::<_, Error>(key),
            [] => Err(format!("the token has no P-256 {what} key with the label {label}").into()),
            _ => Err(format!("several {what} keys have the label {label}").into()),
        };
        let private = one(ObjectClass::PRIVATE_KEY, "private")?;
        let public = self.point(one(ObjectClass::PUBLIC_KEY, "public")?)?;
        Ok(Key {
            session: Mutex::new(self.session),
            private,
            public,
        })
    }

    fn find(&self, class: ObjectClass, label: &str) -> Result<Vec<ObjectHandle>, Error> {
        Ok(self.session.find_objects(&[
            Attribute::Class(class),
            Attribute::KeyType(KeyType::EC),
            Attribute::EcParams(P256_OID.to_vec()),
            Attribute::Label(label.as_bytes().to_vec()),
        ])?)
    }

    /// Returns the point in CKA_EC_POINT: the uncompressed point in a DER octet string, 04 41
    /// and then 65 bytes.
    fn point(&self, public: ObjectHandle) -> Result<Vec<u8>, Error> {
        let found = self
            .session
            .get_attributes(public, &[AttributeType::EcPoint])?;
        match &found[..] {
            [Attribute::EcPoint(der)] => match der.strip_prefix(&[4, 65]) {
                Some(point) => Ok(point.to_vec()),
                None => Err("the token's public key is not an uncompressed point".into()),
            },
            _ => Err("the token does not show its public key".into()),
        }
    }
}

impl Key {
    pub(crate) fn public_key(&self) -> Result<AnyPublicKey, Error> {
        public_key(&self.public)
    }

    /// Computes DH() of RFC 9180, section 4.1, in the token. The session's key that holds the
    /// value is destroyed immediately.
    fn dh(&self, enc: &[u8]) -> Result<Secret, Error> {
        let session = self.session.lock().map_err(|_| "a thread has failed")?;
        let params = Ecdh1DeriveParams::new(EcKdf::null(), enc);
        let template = [
            Attribute::Class(ObjectClass::SECRET_KEY),
            Attribute::KeyType(KeyType::GENERIC_SECRET),
            Attribute::Token(false),
            Attribute::Sensitive(false),
            Attribute::Extractable(true),
        ];
        let value = session.derive_key(&Mechanism::Ecdh1Derive(params), self.private, &template)?;
        let found = session.get_attributes(value, &[AttributeType::Value]);
        session.destroy_object(value)?;
        match found?.pop() {
            Some(Attribute::Value(bytes)) if bytes.len() == 32 => Ok(Secret::new(bytes)),
            _ => Err("the token gives no Diffie-Hellman value of 32 bytes".into()),
        }
    }
}

impl Decapsulator for Key {
    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, HpkeError> {
        // Tokens need not check points, and one off the curve would reveal parts of the private
        // key.
        P256::point(enc).map_err(|_| HpkeError::Decap)?;
        let dh = self.dh(enc).map_err(|error| {
            eprintln!("pkcs11-helper: {error}");
            HpkeError::KeyUnavailable
        })?;
        let KemInfo { id, n_secret, .. } = *self.public_key().map_err(|_| HpkeError::Decap)?.kem();
        let kem_context = [enc, &self.public, b""];
        extract_and_expand(
            &HkdfSha256,
            id,
            HPKE_V1,
            [dh.as_ref(), b""],
            kem_context,
            n_secret,
        )
    }
}

fn public_key(point: &[u8]) -> Result<AnyPublicKey, Error> {
    let kem = kem_by_id(KEM).ok_or("P-256 is not supported")?;
    Ok(kem.deserialize_public_key(point)?)
}
