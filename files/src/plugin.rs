//! age plugins (C2SP age-plugin.md): programs that wrap and unwrap file keys, such as for keys in
//! hardware.
//!
//! [`PluginRecipient`] and [`PluginIdentity`] run the plugin of a recipient or an identity;
//! [`serve`] is the plugin `age-plugin-pqseal`. Both speak stanzas over a pipe, in two phases: the
//! client says what it has, then the plugin asks and answers.

mod client;
mod server;
mod start;
mod wire;

pub use client::{PluginIdentity, PluginRecipient};
pub use server::{ServeError, serve};

pub use crate::error::{PluginError, PluginFailure};
use zeroize::Zeroizing;

/// How a plugin reaches the user. A `None` says that it cannot, and the plugin decides what follows.
pub trait Ui: Send + Sync {
    /// Shows a message, such as to touch a device.
    fn message(&self, plugin: &str, text: &str) -> Option<()>;

    /// Asks for a text; a `secret` one is not shown while it is typed.
    fn request(&self, plugin: &str, prompt: &str, secret: bool) -> Option<Zeroizing<String>>;

    /// Asks whether the answer is `yes`, or else `no` if there is another.
    fn confirm(&self, plugin: &str, prompt: &str, yes: &str, no: Option<&str>) -> Option<bool>;
}

/// For programs that cannot ask anyone: every question fails.
#[derive(Clone, Copy, Debug)]
pub struct NoUi;

impl Ui for NoUi {
    fn message(&self, _: &str, _: &str) -> Option<()> {
        None
    }

    fn request(&self, _: &str, _: &str, _: bool) -> Option<Zeroizing<String>> {
        None
    }

    fn confirm(&self, _: &str, _: &str, _: &str, _: Option<&str>) -> Option<bool> {
        None
    }
}
