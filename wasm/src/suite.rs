//! HPKE itself (RFC 9180, sections 5 and 6), with any suite.

use js_sys::Uint8Array;
use pqseal_hpke::{
    Aead, AnyPrivateKey, AnyPublicKey, Mode, Psk, Suite as HpkeSuite, SuiteId,
    twice::{agreed, opened},
};
use pqseal_keys::KEMS;
use wasm_bindgen::prelude::*;

use crate::{
    Error, PrivateKey, RecipientContext, SenderContext, SysRng,
    keys::public_key,
    memory::wiping_stack,
    registry,
    value::{Options, bytes, object, policy},
};

/// A ciphersuite: a KEM, a KDF and an AEAD. Names and operations are those of RFC 9180. The mode
/// follows from the options: `psk` with `pskId`, and the sender's key.
#[wasm_bindgen]
pub struct Suite(HpkeSuite);

#[wasm_bindgen]
extern "C" {
    /// A handle in an object of options.
    type SenderKey;

    #[wasm_bindgen(method, catch, js_name = clone)]
    fn share(this: &SenderKey) -> Result<PrivateKey, JsValue>;
}

#[wasm_bindgen]
impl Suite {
    /// Creates the suite with these names or ids, if the policy allows them: `"standard"` allows
    /// published RFCs, `"draft"` (if left out) also Internet-Drafts, `"experimental"` everything.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Algorithm")] kem: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Algorithm")] kdf: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Algorithm")] aead: &JsValue,
        #[wasm_bindgen(js_name = policy, unchecked_optional_param_type = "Policy")]
        allowed: &JsValue,
    ) -> Result<Suite, Error> {
        let missing = |name| move || Error::argument(name, registry::NAMED);
        let id = SuiteId::new(
            registry::given_kem(kem)?.info().id,
            registry::kdf(kdf)?.ok_or_else(missing("kdf"))?.info().id,
            registry::aead(aead)?.ok_or_else(missing("aead"))?.info().id,
        );
        Ok(Self(HpkeSuite::from_id(KEMS, id, &policy(allowed)?)?))
    }

    /// Returns the ids of its three parts.
    #[wasm_bindgen(getter, unchecked_return_type = "SuiteIds")]
    pub fn ids(&self) -> JsValue {
        registry::suite_ids(self.0.id())
    }

    /// GenerateKeyPair.
    #[wasm_bindgen(js_name = generateKeyPair, unchecked_return_type = "HpkeKeyPair")]
    pub fn generate_key_pair(&self) -> Result<JsValue, Error> {
        wiping_stack(|| Ok(key_pair(self.0.generate_key_pair(&mut SysRng)?)))
    }

    /// DeriveKeyPair: the same `ikm` gives the same key pair. It should have as many bytes as a
    /// private key, all of them secret.
    #[wasm_bindgen(js_name = deriveKeyPair, unchecked_return_type = "HpkeKeyPair")]
    pub fn derive_key_pair(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] ikm: &JsValue,
    ) -> Result<JsValue, Error> {
        wiping_stack(|| Ok(key_pair(self.0.kem().derive_key_pair(&bytes(ikm, "ikm")?)?)))
    }

    /// DeserializePublicKey, for its checks: throws `deserialize` if the bytes are not a public key
    /// of the KEM. The other functions check this too.
    #[wasm_bindgen(js_name = checkPublicKey)]
    pub fn check_public_key(
        &self,
        #[wasm_bindgen(js_name = publicKey, unchecked_param_type = "PublicKey | Bytes")]
        key: &JsValue,
    ) -> Result<(), Error> {
        self.public_key(key, "publicKey").map(drop)
    }

    /// Seals one message under a fresh encapsulated key.
    #[wasm_bindgen(unchecked_return_type = "Sealed")]
    pub fn seal(
        &self,
        #[wasm_bindgen(js_name = publicKey, unchecked_param_type = "PublicKey | Bytes")]
        key: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] plaintext: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SenderOptions & { aad?: Bytes }")]
        options: &JsValue,
    ) -> Result<JsValue, Error> {
        let inputs = Inputs::of(options, &["senderKey", "aad"])?;
        wiping_stack(|| {
            let (public, sender) = (self.public_key(key, "publicKey")?, inputs.sender()?);
            let (plaintext, aad) = (bytes(plaintext, "plaintext")?, inputs.aad()?);
            let mode = inputs.mode(sender.as_ref().map(PrivateKey::key))?;
            let (enc, ct) =
                self.0
                    .seal(&public, &inputs.info, mode, &aad, &plaintext, &mut SysRng)?;
            Ok(object([("enc", array(&enc)), ("ct", array(&ct))]))
        })
    }

    /// Opens the one message sealed under `enc`.
    pub fn open(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] enc: &JsValue,
        #[wasm_bindgen(js_name = privateKey)] private_key: &PrivateKey,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] ct: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "RecipientOptions & { aad?: Bytes }")]
        options: &JsValue,
    ) -> Result<Vec<u8>, Error> {
        let inputs = Inputs::of(options, &["senderPublicKey", "aad"])?;
        wiping_stack(|| {
            let (enc, ct, aad) = (bytes(enc, "enc")?, bytes(ct, "ct")?, inputs.aad()?);
            let sender = self.sender_public_key(&inputs)?;
            let (key, mode) = (private_key.key(), inputs.mode(sender.as_ref())?);
            Ok(opened(
                &mut || self.0.open(&enc, key, &inputs.info, mode, &aad, &ct),
                pqseal_hpke::Error::is_of_decryption,
            )?)
        })
    }

    /// SetupS: returns a fresh encapsulated key, and the context that seals any number of messages
    /// under it.
    #[wasm_bindgen(js_name = createSenderContext, unchecked_return_type = "SenderSetup")]
    pub fn setup_s(
        &self,
        #[wasm_bindgen(js_name = publicKey, unchecked_param_type = "PublicKey | Bytes")]
        key: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SenderOptions")] options: &JsValue,
    ) -> Result<JsValue, Error> {
        let inputs = Inputs::of(options, &["senderKey"])?;
        wiping_stack(|| {
            let (public, sender) = (self.public_key(key, "publicKey")?, inputs.sender()?);
            let mode = inputs.mode(sender.as_ref().map(PrivateKey::key))?;
            let (enc, context) = self.0.setup_s(&public, &inputs.info, mode, &mut SysRng)?;
            Ok(object([
                ("enc", array(&enc)),
                ("context", SenderContext::new(context).into()),
            ]))
        })
    }

    /// SetupR: returns the context that opens messages sealed under `enc`.
    #[wasm_bindgen(js_name = createRecipientContext)]
    pub fn setup_r(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] enc: &JsValue,
        #[wasm_bindgen(js_name = privateKey)] private_key: &PrivateKey,
        #[wasm_bindgen(unchecked_optional_param_type = "RecipientOptions")] options: &JsValue,
    ) -> Result<RecipientContext, Error> {
        let inputs = Inputs::of(options, &["senderPublicKey"])?;
        wiping_stack(|| {
            let (enc, sender) = (bytes(enc, "enc")?, self.sender_public_key(&inputs)?);
            let mode = inputs.mode(sender.as_ref())?;
            // The export is compared, since a wrong secret would not show otherwise.
            let context = agreed(
                &mut || self.0.setup_r(&enc, private_key.key(), &inputs.info, mode),
                |context| context.export(b"", 32),
            )?;
            Ok(RecipientContext::new(context))
        })
    }
}

impl Suite {
    fn public_key(&self, value: &JsValue, name: &str) -> Result<AnyPublicKey, Error> {
        match public_key(value)? {
            Some(key) => Ok(key),
            None => Ok(self.0.kem().deserialize_public_key(&bytes(value, name)?)?),
        }
    }

    fn sender_public_key(&self, inputs: &Inputs<'_>) -> Result<Option<AnyPublicKey>, Error> {
        let key = inputs.options.value("senderPublicKey")?;
        key.map(|key| self.public_key(&key, "senderPublicKey"))
            .transpose()
    }
}

/// The inputs that both sides must agree on.
struct Inputs<'a> {
    options: Options<'a>,
    info: Vec<u8>,
    psk: Option<Vec<u8>>,
    psk_id: Option<Vec<u8>>,
}

impl<'a> Inputs<'a> {
    /// Reads the inputs. `more` are the options besides those that every call of either side has.
    fn of(options: &'a JsValue, more: &[&str]) -> Result<Self, Error> {
        let options = Options::of(options, &[&["info", "psk", "pskId"], more].concat())?;
        Ok(Self {
            info: options.bytes("info")?,
            psk: options.given("psk")?,
            psk_id: options.given("pskId")?,
            options,
        })
    }

    fn aad(&self) -> Result<Vec<u8>, Error> {
        self.options.bytes("aad")
    }

    fn sender(&self) -> Result<Option<PrivateKey>, Error> {
        let Some(key) = self.options.value("senderKey")? else {
            return Ok(None);
        };
        let key = key.unchecked_ref::<SenderKey>().share().map_err(|_| {
            Error::argument(
                "senderKey",
                "a PrivateKey (after load(), one that was read after it)",
            )
        })?;
        Ok(Some(key))
    }

    /// Returns the mode. A psk without its id, an id without its psk, or an empty one of them is an
    /// error. It never selects the mode without a psk.
    fn mode<'k, Key>(&'k self, sender: Option<&'k Key>) -> Result<Mode<'k, Key>, Error> {
        let psk = match (&self.psk, &self.psk_id) {
            (None, None) => None,
            (psk, psk_id) => Some(Psk::new(
                psk.as_deref().unwrap_or_default(),
                psk_id.as_deref().unwrap_or_default(),
            )?),
        };
        Ok(match (psk, sender) {
            (None, None) => Mode::Base,
            (Some(psk), None) => Mode::Psk(psk),
            (None, Some(key)) => Mode::Auth(key),
            (Some(psk), Some(key)) => Mode::AuthPsk(key, psk),
        })
    }
}

fn key_pair((private, public): (AnyPrivateKey, AnyPublicKey)) -> JsValue {
    object([
        ("privateKey", PrivateKey::new(private).into()),
        ("publicKey", array(public.as_ref())),
    ])
}

fn array(bytes: &[u8]) -> JsValue {
    Uint8Array::from(bytes).into()
}
