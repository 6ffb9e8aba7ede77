//! Sealing of messages to one recipient or several.

use js_sys::{Array, ArrayBuffer, Reflect};
use pqseal_formats::{
    ALGORITHMS, Algorithm, PublicKey,
    jwe::{self, Enc, Header, Sealer, Serialization},
};
use pqseal_wasm_shared::{
    Error, SysRng,
    memory::wiping_stack,
    value::{Options, bytes, text},
};
use wasm_bindgen::prelude::*;

use crate::{
    failed, given_alg,
    keys::{Psk, json_text, kid, stringify},
};

/// Encrypts to a public JWK, to a recipient with further options, or to several of either.
///
/// Without `serialization`, the shortest one that can hold the message is used: compact, flattened
/// with `aad`, general for several recipients. Several recipients need algorithms that end in
/// `-KE`.
#[wasm_bindgen(unchecked_return_type = "string")]
pub fn seal(
    #[wasm_bindgen(unchecked_param_type = "Jwk | Recipient | readonly (Jwk | Recipient)[]")]
    to: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Bytes")] plaintext: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "SealOptions")] options: &JsValue,
) -> Result<String, Error> {
    let options = Options::of(options, &["serialization", "enc", "aad", "protected"])?;
    let aad = options.bytes("aad")?;
    wiping_stack(|| {
        let recipients = recipients(to)?;
        let plaintext = bytes(plaintext, "plaintext")?;
        let sealer = with_options(sealer(&recipients)?, &options, &aad)?;
        let serialization = serialization(&options)?.unwrap_or_else(|| sealer.serialization());
        let sealed = sealer.seal(serialization, &plaintext, &mut SysRng);
        sealed.map_err(failed)
    })
}

/// A recipient's key and options, which a [`jwe::Recipient`] borrows.
struct Recipient {
    key: PublicKey,
    alg: Algorithm,
    psk: Option<Psk>,
    info: Vec<u8>,
}

fn recipients(to: &JsValue) -> Result<Vec<Recipient>, Error> {
    match to.dyn_ref::<Array>() {
        Some(all) => all.iter().map(|one| Recipient::of(&one)).collect(),
        None => Ok(vec![Recipient::of(to)?]),
    }
}

impl Recipient {
    /// Reads a JWK, or an object that contains one and options. Such an object has a member
    /// `publicKey`, which no JWK has.
    fn of(value: &JsValue) -> Result<Self, Error> {
        let is_bytes = value.is_instance_of::<ArrayBuffer>() || ArrayBuffer::is_view(value);
        let has_options = value.is_object()
            && !is_bytes
            && Reflect::has(value, &"publicKey".into()).unwrap_or_default();
        let given = match has_options {
            true => value,
            false => &JsValue::UNDEFINED,
        };
        let options = Options::of(given, &["publicKey", "alg", "kid", "psk", "pskId", "info"])?;
        let jwk = options.value("publicKey")?;
        let jwk = json_text(jwk.as_ref().unwrap_or(value), "publicKey")?;
        let key = jwe::public_key(&jwk, ALGORITHMS).map_err(failed)?;
        let key = match kid(&options)? {
            Some(kid) => key.with_kid(kid),
            None => key,
        };
        let alg = given_alg(&options)?.or(key.alg());
        Ok(Self {
            alg: alg.ok_or_else(|| {
                Error::argument("alg", "given, since the key does not name its algorithm")
            })?,
            key,
            psk: Psk::of(&options)?,
            info: options.bytes("info")?,
        })
    }

    fn borrowed(&self) -> Result<jwe::Recipient<'_>, Error> {
        let recipient = jwe::Recipient::new(self.alg, &self.key).map_err(failed)?;
        let recipient = recipient.info(&self.info);
        match &self.psk {
            Some(psk) => recipient.psk(&psk.id, &psk.key).map_err(failed),
            None => Ok(recipient),
        }
    }
}

fn sealer(recipients: &[Recipient]) -> Result<Sealer<'_>, Error> {
    let (first, others) = recipients
        .split_first()
        .ok_or_else(|| Error::argument("to", "at least one recipient"))?;
    let first = Sealer::new(first.borrowed()?);
    others
        .iter()
        .try_fold(first, |sealer, one| Ok(sealer.and(one.borrowed()?)))
}

fn with_options<'a>(
    sealer: Sealer<'a>,
    options: &Options<'_>,
    aad: &'a [u8],
) -> Result<Sealer<'a>, Error> {
    let mut sealer = sealer.aad(aad);
    if let Some(name) = options.value("enc")? {
        sealer = sealer.enc(enc(&name)?);
    }
    for (name, value) in protected(options)?.iter() {
        sealer = sealer.protected(name, value.clone()).map_err(failed)?;
    }
    Ok(sealer)
}

/// Reads the option `protected`: an object whose members are JSON.
fn protected(options: &Options<'_>) -> Result<Header, Error> {
    let Some(members) = options.value("protected")? else {
        return Ok(Header::default());
    };
    let text = stringify(&members).filter(|_| members.is_object());
    let header = text.and_then(|text| serde_json::from_str(&text).ok());
    header.ok_or_else(|| Error::argument("protected", "an object of members of JSON"))
}

fn serialization(options: &Options<'_>) -> Result<Option<Serialization>, Error> {
    let Some(name) = options.value("serialization")? else {
        return Ok(None);
    };
    match name.as_string().as_deref() {
        Some("compact") => Ok(Some(Serialization::Compact)),
        Some("flattened") => Ok(Some(Serialization::Flattened)),
        Some("general") => Ok(Some(Serialization::General)),
        _ => Err(Error::argument(
            "serialization",
            "compact, flattened or general",
        )),
    }
}

/// Returns the content encryption with this name.
pub(crate) fn enc(name: &JsValue) -> Result<Enc, Error> {
    Enc::by_name(&text(name, "enc")?)
        .ok_or_else(|| Error::argument("enc", "A128GCM, A256GCM or A128CBC-HS256"))
}
