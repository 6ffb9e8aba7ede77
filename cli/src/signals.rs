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

/// Returns a flag that each SIGHUP sets, to ask that the output is opened again.
///
/// # Errors
/// If the system refuses.
pub fn asked_to_reopen() -> std::io::Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
    let is_asked = std::sync::Arc::default();
    #[cfg(unix)]
    signal_hook::flag::register(
        signal_hook::consts::SIGHUP,
        std::sync::Arc::clone(&is_asked),
    )?;
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

/// What a signal asks a server for.
#[cfg(feature = "serve")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// SIGHUP.
    ToReload,
    /// SIGINT or SIGTERM.
    ToEnd,
}

/// Tells each SIGHUP, and the first SIGINT or SIGTERM. A second one ends the process at once.
///
/// # Errors
/// If the system refuses.
#[cfg(all(unix, feature = "serve"))]
pub fn asked() -> std::io::Result<tokio::sync::mpsc::UnboundedReceiver<Asked>> {
    use std::sync::{Arc, atomic::AtomicBool};

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        flag,
        iterator::Signals,
    };

    let is_second = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, Arc::clone(&is_second))?;
        flag::register(signal, Arc::clone(&is_second))?;
    }
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let (sender, asked) = tokio::sync::mpsc::unbounded_channel();
    let wait = move || {
        for signal in signals.forever() {
            let what = match signal {
                SIGHUP => Asked::ToReload,
                _ => Asked::ToEnd,
            };
            if sender.send(what).is_err() {
                break;
            }
        }
    };
    std::thread::Builder::new().spawn(wait)?;
    Ok(asked)
}

/// Other systems end a process at once, and have no signal to reload: nothing is ever told.
#[cfg(all(not(unix), feature = "serve"))]
pub fn asked() -> std::io::Result<tokio::sync::mpsc::UnboundedReceiver<Asked>> {
    let (sender, asked) = tokio::sync::mpsc::unbounded_channel();
    // Dropped, it would tell the end of all signals.
    std::thread::Builder::new().spawn(move || {
        loop {
            let _kept = &sender;
            std::thread::park();
        }
    })?;
    Ok(asked)
}
