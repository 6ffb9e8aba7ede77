//! Values of JavaScript. The crate `js-sys` is not used: its code for promises would be a twelfth of
//! this module.

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// A new object, whose members are set by name. Lists become arrays.
    pub type Object;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new() -> Object;
    #[wasm_bindgen(method, indexing_setter)]
    pub(crate) fn set_flag(this: &Object, name: &str, value: bool);
    #[wasm_bindgen(method, indexing_setter)]
    pub(crate) fn set_text(this: &Object, name: &str, value: &str);
    #[wasm_bindgen(method, indexing_setter)]
    pub(crate) fn set_object(this: &Object, name: &str, value: Object);
    #[wasm_bindgen(method, indexing_setter)]
    pub(crate) fn set_bytes(this: &Object, name: &str, value: Vec<u8>);
    #[wasm_bindgen(method, indexing_setter)]
    pub(crate) fn set_numbers(this: &Object, name: &str, value: Vec<u32>);
    #[wasm_bindgen(method, indexing_setter)]
    pub(crate) fn set_texts(this: &Object, name: &str, value: Vec<String>);
    #[wasm_bindgen(method, indexing_setter)]
    pub(crate) fn set_objects(this: &Object, name: &str, value: Vec<Object>);

    /// A function of the page.
    #[wasm_bindgen(typescript_type = "(found: Found) => Answers | undefined")]
    pub type Opener;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn call(
        this: &Opener,
        context: &JsValue,
        found: Object,
    ) -> Result<Option<Answered>, JsValue>;

    /// `Answers` of the types.
    pub type Answered;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn events(this: &Answered) -> Vec<u8>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn plaintexts(this: &Answered) -> Vec<u8>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn ends(this: &Answered) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn codes(this: &Answered) -> Vec<String>;

    #[wasm_bindgen(js_namespace = Math)]
    pub(crate) fn random() -> f64;
}
