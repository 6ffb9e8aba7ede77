//! Opening of messages, and their description without a key.

use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use pqseal_formats::{
    Algorithm, PrivateKey as Key,
    jwe::{self, Enc, Opener, RecipientHeader, Serialization},
};
use pqseal_hpke::twice;
use pqseal_wasm_shared::{
    Error,
    memory::wiping_stack,
    value::{Options, list, object},
};
use wasm_bindgen::prelude::*;

use crate::{
    allowed, failed,
    keys::{self, Psk, header_object, json_text},
    seal::enc,
};

/// Opens a JWE in any serialization, with one key or an array of keys. If there are several
/// recipients, the first that opens is used.
///
/// `algorithms` are those that the message may use. There is no default: neither `alg` nor `kid` of
/// a message can make it use a key in a way that its owner did not choose. Pass the text as
/// received: a member that is given twice is refused, and `JSON.parse` would hide it.
#[wasm_bindgen(unchecked_return_type = "Opened")]
pub fn open(
    #[wasm_bindgen(js_name = jwe, unchecked_param_type = "Jwe")] message: &JsValue,
    #[wasm_bindgen(js_name = keys, unchecked_param_type = "PrivateKey | readonly PrivateKey[]")]
    private_keys: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "readonly Alg[]")] algorithms: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "OpenOptions")] options: &JsValue,
) -> Result<JsValue, Error> {
    let (keys, algorithms) = (keys::of(private_keys)?, allowed(algorithms)?);
    wiping_stack(|| {
        let known = Known::of(options)?;
        let message = json_text(message, "jwe")?;
        let opener = known.opener(&algorithms, &keys);
        let found = twice::opened(&mut || opener.open(&message), is_of_decryption);
        Ok(opened(&found.map_err(failed)?))
    })
}

/// Returns the serialization of a JWE and the header of each recipient, without a key. Nothing of
/// it is authenticated before the message is opened.
#[wasm_bindgen(unchecked_return_type = "Inspected")]
pub fn inspect(
    #[wasm_bindgen(js_name = jwe, unchecked_param_type = "Jwe")] message: &JsValue,
) -> Result<JsValue, Error> {
    let found = jwe::inspect(&json_text(message, "jwe")?);
    let (serialization, recipients) = found.map_err(failed)?;
    let recipients: Array = recipients.iter().map(recipient).collect();
    Ok(object([
        ("serialization", name(serialization).into()),
        ("recipients", recipients.into()),
    ]))
}

/// Counts the wrong computations that this module has noticed since it started. Some JavaScript
/// engines make them.
#[wasm_bindgen(unchecked_return_type = "Faults")]
pub fn faults() -> JsValue {
    pqseal_wasm_shared::faults()
}

/// The recipient's inputs besides the keys, which an [`Opener`] borrows.
struct Known {
    enc: Vec<Enc>,
    info: Vec<u8>,
    psks: Vec<Psk>,
    require_psk: bool,
}

impl Known {
    fn of(options: &JsValue) -> Result<Self, Error> {
        let options = Options::of(options, &["enc", "info", "psks", "requirePsk"])?;
        let encs = match options.value("enc")? {
            Some(names) => list(&names, "enc")?
                .iter()
                .map(|name| enc(&name))
                .collect::<Result<_, _>>()?,
            None => Enc::ALL.to_vec(),
        };
        let psks = options.value("psks")?;
        let psks = psks.map(|psks| Psk::list(&psks)).transpose()?;
        let required = options.value("requirePsk")?.map(|value| value.as_bool());
        Ok(Self {
            enc: encs,
            info: options.bytes("info")?,
            require_psk: match required {
                // An empty list requires a pre-shared key, too.
                None => psks.is_some(),
                Some(Some(required)) => required,
                Some(None) => return Err(Error::argument("requirePsk", "true or false")),
            },
            psks: psks.unwrap_or_default(),
        })
    }

    fn opener<'a>(&'a self, algorithms: &'a [Algorithm], keys: &'a [Rc<Key>]) -> Opener<'a> {
        let opener = Opener::new(algorithms).enc(&self.enc).info(&self.info);
        let opener = keys.iter().fold(opener, |opener, key| opener.key(key));
        let psks = self.psks.iter();
        let opener = psks.fold(opener, |opener, psk| opener.psk(&psk.id, &psk.key));
        match self.require_psk {
            true => opener.require_psk(),
            false => opener,
        }
    }
}

fn opened(opened: &jwe::Opened) -> JsValue {
    let psk_id = opened.psk_id.as_deref().map(Uint8Array::from);
    object([
        (
            "plaintext",
            Uint8Array::from(opened.plaintext.as_slice()).into(),
        ),
        ("alg", opened.algorithm.name().into()),
        ("header", header_object(&opened.header)),
        ("aad", Uint8Array::from(opened.aad.as_slice()).into()),
        ("recipient", number(opened.recipient)),
        ("key", number(opened.key)),
        ("pskId", psk_id.into()),
    ])
}

fn recipient(found: &RecipientHeader) -> JsValue {
    object([
        ("header", header_object(&found.header)),
        ("encryptedKeyLength", number(found.encrypted_key_len)),
    ])
}

fn is_of_decryption(error: &pqseal_formats::Error) -> bool {
    match error {
        pqseal_formats::Error::Open => true,
        pqseal_formats::Error::Hpke(error) => error.is_of_decryption(),
        _ => false,
    }
}

const fn name(serialization: Serialization) -> &'static str {
    match serialization {
        Serialization::Compact => "compact",
        Serialization::Flattened => "flattened",
        Serialization::General => "general",
    }
}

/// Converts a length or an index within a message, which is far below 2^32.
fn number(n: usize) -> JsValue {
    JsValue::from_f64(f64::from(u32::try_from(n).unwrap_or(u32::MAX)))
}
