//! Tests below the interface: the portable vector is the definition of the others, and ML-KEM on it
//! must agree with libcrux.

pub(crate) mod model;
mod numbers;
mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "wasm32"))]
mod vectors;
mod whole;

pub(crate) use numbers::Numbers;
