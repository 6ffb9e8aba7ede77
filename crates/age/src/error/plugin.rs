//! The reasons why an age plugin failed.

use std::{fmt, io};

/// A failure of a plugin.
#[derive(Debug)]
pub struct PluginError {
    /// The name of the plugin, as in `age-plugin-NAME`.
    pub plugin: String,
    /// The kind of the failure.
    pub why: PluginFailure,
}

/// The kind of a plugin's failure.
#[non_exhaustive]
#[derive(Debug)]
pub enum PluginFailure {
    /// No folder of `PATH` contains the program. Relative folders are not
    /// searched.
    NotFound,
    /// The program did not start.
    Start(io::Error),
    /// The program ended, or closed its output, too early.
    Ended,
    /// The program violated the protocol.
    Protocol,
    /// The program reported an error with this message, which may contain any
    /// characters.
    Reported(String),
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.plugin;
        match &self.why {
            PluginFailure::NotFound => {
                write!(
                    f,
                    "age-plugin-{name} is not in a folder of PATH; install it"
                )
            }
            PluginFailure::Start(error) => write!(f, "age-plugin-{name} does not start: {error}"),
            PluginFailure::Ended => write!(f, "age-plugin-{name} ended before it was done"),
            PluginFailure::Protocol => write!(f, "age-plugin-{name} breaks the plugin protocol"),
            PluginFailure::Reported(words) => write!(f, "age-plugin-{name}: {words}"),
        }
    }
}
