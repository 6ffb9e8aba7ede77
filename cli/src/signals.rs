//! The end by a signal: Ctrl-C, or SIGTERM of a service manager.

/// Lets SIGINT and SIGTERM end the process as they do anyway, after `last_words` and after its
/// temporary files are removed. A second signal ends it at once.
///
/// # Errors
/// If the system refuses.
#[cfg(unix)]
pub fn before_the_end(last_words: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    use std::{
        sync::{Arc, atomic::AtomicBool},
        thread,
    };

    use siem::files::temporary;
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        flag,
        iterator::Signals,
        low_level::emulate_default_handler,
    };

    let is_second = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, Arc::clone(&is_second))?;
        flag::register(signal, Arc::clone(&is_second))?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            last_words();
            let _removed = temporary::remove_all();
            let _ = emulate_default_handler(signal);
        }
    };
    thread::Builder::new().spawn(wait).map(drop)
}

/// Becomes true when SIGINT or SIGTERM asks the process to end. A second signal ends it at once.
///
/// # Errors
/// If the system refuses.
#[cfg(unix)]
pub fn asked_to_end() -> std::io::Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        flag,
    };

    let is_asked = std::sync::Arc::default();
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, std::sync::Arc::clone(&is_asked))?;
        flag::register(signal, std::sync::Arc::clone(&is_asked))?;
    }
    Ok(is_asked)
}

/// Other systems end a process at once.
#[cfg(not(unix))]
pub fn asked_to_end() -> std::io::Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
    Ok(std::sync::Arc::default())
}

/// Other systems end a process at once; the next run removes its temporary files.
#[cfg(not(unix))]
pub fn before_the_end(_last_words: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    Ok(())
}
