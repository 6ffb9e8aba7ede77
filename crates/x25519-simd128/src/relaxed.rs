//! The module `x25519-relaxed`, started at first use if a program has set its bytes and the
//! JavaScript engine supports relaxed SIMD.
//!
//! An engine without relaxed SIMD refuses the module, and some hosts refuse to compile at run time.
//! A processor may lack fused multiply-adds; an engine may then round twice, which gives another
//! result. In all of these cases this thread never uses the module.

use std::{cell::OnceCell, sync::OnceLock};

use js_sys::{Function, Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};
use x25519_inverse::from_bytes;

use crate::{field::BITS, ladder::quotient};

static MODULE: OnceLock<&'static [u8]> = OnceLock::new();

/// A private key, a point, and X25519 of both (RFC 7748, section 5.2).
const KNOWN_ANSWER: [[u8; 32]; 3] = [
    [
        0xa5, 0x46, 0xe3, 0x6b, 0xf0, 0x52, 0x7c, 0x9d, 0x3b, 0x16, 0x15, 0x4b, 0x82, 0x46, 0x5e,
        0xdd, 0x62, 0x14, 0x4c, 0x0a, 0xc1, 0xfc, 0x5a, 0x18, 0x50, 0x6a, 0x22, 0x44, 0xba, 0x44,
        0x9a, 0xc4,
    ],
    [
        0xe6, 0xdb, 0x68, 0x67, 0x58, 0x30, 0x30, 0xdb, 0x35, 0x94, 0xc1, 0xa4, 0x24, 0xb1, 0x5f,
        0x7c, 0x72, 0x66, 0x24, 0xec, 0x26, 0xb3, 0x35, 0x3b, 0x10, 0xa9, 0x03, 0xa6, 0xd0, 0xab,
        0x1c, 0x4c,
    ],
    [
        0xc3, 0xda, 0x55, 0x37, 0x9d, 0xe9, 0xc6, 0x90, 0x8e, 0x94, 0xea, 0x4d, 0xf2, 0x8d, 0x08,
        0x4f, 0x32, 0xec, 0xcf, 0x03, 0x49, 0x1c, 0x71, 0xf7, 0x54, 0xb4, 0x07, 0x55, 0x77, 0xa2,
        0x85, 0x52,
    ],
];

thread_local! {
    /// Empty until the first X25519 after the bytes were set; `None` if the module is unusable.
    static STARTED: OnceCell<Option<Relaxed>> = const { OnceCell::new() };
}

/// Stores the bytes. Only the first call has an effect.
pub(crate) fn set_module(module: &'static [u8]) {
    let _ = MODULE.set(module);
}

/// Computes the numerator and the denominator of `X25519(k, u)`, or returns `None` if the module is
/// unusable.
pub(crate) fn fraction(k: &[u8; 32], u: &[u8; 32]) -> Option<[[u8; 32]; 2]> {
    with_module(|module| module.fraction(k, u).ok())
}

pub(crate) fn is_running() -> bool {
    with_module(|_| Some(())).is_some()
}

fn with_module<T>(f: impl FnOnce(&Relaxed) -> Option<T>) -> Option<T> {
    let bytes = MODULE.get()?;
    let start = || Relaxed::start(bytes).ok().filter(Relaxed::is_right);
    STARTED.with(|started| f(started.get_or_init(start).as_ref()?))
}

/// The module's only function, and the parts of its memory that hold secrets while it runs.
struct Relaxed {
    multiply: Function,
    /// A private key and a point.
    input: Uint8Array,
    result: Uint8Array,
    /// All of the stack: from address 0 to its start.
    stack: Uint8Array,
}

impl Relaxed {
    fn start(bytes: &[u8]) -> Result<Self, JsValue> {
        let module = WebAssembly::Module::new(&Uint8Array::from(bytes))?;
        let exports = WebAssembly::Instance::new(&module, &Object::new())?.exports();
        let get = |name: &str| Reflect::get(&exports, &name.into());
        let memory = Uint8Array::new(
            &get("memory")?
                .unchecked_into::<WebAssembly::Memory>()
                .buffer(),
        );
        let buffer = address(&get("BUFFER")?)?;
        Ok(Self {
            multiply: get("multiply")?.unchecked_into(),
            input: memory.subarray(buffer, buffer + 64),
            result: memory.subarray(buffer + 64, buffer + 128),
            stack: memory.subarray(0, address(&get("__stack_pointer")?)?),
        })
    }

    /// Checks the known answer. Thousands of products are rounded on the way, and each would differ
    /// if rounded twice.
    fn is_right(&self) -> bool {
        let [k, u, expected] = KNOWN_ANSWER;
        self.fraction(&k, &u)
            .is_ok_and(|[x, z]| quotient(&from_bytes(&x, BITS as usize), &z) == expected)
    }

    fn fraction(&self, k: &[u8; 32], u: &[u8; 32]) -> Result<[[u8; 32]; 2], JsValue> {
        self.input.copy_from([*k, *u].as_flattened());
        let called = self.multiply.call0(&JsValue::UNDEFINED);
        let mut result = [[0; 32]; 2];
        self.result.copy_to(result.as_flattened_mut());
        for secrets in [&self.input, &self.result, &self.stack] {
            secrets.fill(0, 0, u32::MAX);
        }
        called.map(|_| result)
    }
}

/// Returns the value of an exported variable.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "addresses have 32 bits and no sign"
)]
fn address(global: &JsValue) -> Result<u32, JsValue> {
    let value = global.unchecked_ref::<WebAssembly::Global>().value();
    value.as_f64().map(|address| address as u32).ok_or(value)
}
