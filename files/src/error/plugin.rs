//! Why an age plugin failed.

use std::{fmt, io};

/// What went wrong with a plugin.
#[derive(Debug)]
pub struct PluginError {
    /// Its name, as in `age-plugin-NAME`.
    pub plugin: String,
    /// What went wrong.
    pub why: PluginFailure,
}

/// What can go wrong with a plugin.
#[non_exhaustive]
#[derive(Debug)]
pub enum PluginFailure {
    /// No folder of `PATH` has the program. Relative folders are not searched.
    NotFound,
    /// It did not start.
    Start(io::Error),
    /// It ended, or closed its output, before it was done.
    Ended,
    /// It broke the protocol.
    Protocol,
    /// It reported an error, in its words. They may have any characters.
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
