//! age plugins (C2SP age-plugin.md): programs that wrap and unwrap file keys, for example with keys
//! in hardware.
//!
//! [`PluginRecipient`] and [`PluginIdentity`] run the plugin of a recipient or an identity.
//! [`serve`] is the plugin `age-plugin-pqseal`. Both exchange stanzas over a pipe, in two phases:
//! the client sends its data, then the plugin asks and answers.

mod client;
mod server;
mod start;
mod wire;

pub use client::{PluginIdentity, PluginRecipient};
pub use server::{ServeError, serve};

pub use crate::error::{PluginError, PluginFailure};
use zeroize::Zeroizing;

/// A user interface for plugins. A `None` means that it is unavailable, and the plugin decides how
/// to continue.
pub trait Ui: Send + Sync {
    /// Shows a message, such as a request to touch a device.
    fn message(&self, plugin: &str, text: &str) -> Option<()>;

    /// Asks for a text, which is not shown while it is typed if it is `secret`.
    fn request(&self, plugin: &str, prompt: &str, secret: bool) -> Option<Zeroizing<String>>;

    /// Asks the user to choose `yes`, or `no` if there is such a choice.
    fn confirm(&self, plugin: &str, prompt: &str, yes: &str, no: Option<&str>) -> Option<bool>;
}

/// An interface for programs without a user. Every question fails.
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
