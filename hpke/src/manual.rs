//! The manual: one page per use. Every example runs as a test.

#[doc = include_str!("manual/seal_once.md")]
pub mod seal_once {}

#[doc = include_str!("manual/long_lived.md")]
pub mod long_lived {}

#[doc = include_str!("manual/psk.md")]
pub mod psk {}

#[doc = include_str!("manual/export.md")]
pub mod export {}

#[doc = include_str!("manual/agility.md")]
pub mod agility {}

#[doc = include_str!("manual/hardware.md")]
pub mod hardware {}

#[doc = include_str!("manual/no_std.md")]
pub mod no_std {}

#[doc = include_str!("manual/from_crate_hpke.md")]
pub mod from_crate_hpke {}
