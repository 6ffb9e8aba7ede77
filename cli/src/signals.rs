//! Signals: Ctrl-C, SIGTERM of a service manager, and SIGHUP.

/// Lets SIGINT and SIGTERM end the process as usual, after `last_words` and after its temporary
/// files are removed. A second signal ends it immediately.
///
/// # Errors
/// If the system refuses.
#[cfg(unix)]
pub fn before_the_end(last_words: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    use std::{
        sync::{Arc, atomic::AtomicBool},
        thread,
    };

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
    let thread = thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            last_words();
            let _removed = pqseal_atomic_file::remove_all();
            let _ = emulate_default_handler(signal);
        }
    });
    thread.map(drop)
}

/// Returns a flag that is set when SIGINT or SIGTERM asks the process to end. A second signal
/// ends it immediately.
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

/// Ends the process as the first SIGINT or SIGTERM does, after `last_words`, unless it has ended
/// within `patience`. A write to a pipe whose reader stalls would otherwise never end.
///
/// # Errors
/// If the system refuses.
#[cfg(unix)]
pub fn end_after(
    patience: std::time::Duration,
    last_words: impl FnOnce() + Send + 'static,
) -> std::io::Result<()> {
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        iterator::Signals,
        low_level::emulate_default_handler,
    };

    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let thread = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            std::thread::sleep(patience);
            last_words();
            let _ = emulate_default_handler(signal);
        }
    });
    thread.map(drop)
}

/// Does nothing. Other systems end a process immediately.
#[cfg(not(unix))]
pub fn end_after(
    _patience: std::time::Duration,
    _last_words: impl FnOnce() + Send + 'static,
) -> std::io::Result<()> {
    Ok(())
}

/// Returns a flag that each SIGHUP sets, to ask for an output to be opened, or a calendar to be
/// read, again.
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

/// Returns a flag that is never set, because other systems end a process immediately.
#[cfg(not(unix))]
pub fn asked_to_end() -> std::io::Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
    Ok(std::sync::Arc::default())
}

/// Does nothing. Other systems end a process immediately; the next run removes its temporary
/// files.
#[cfg(not(unix))]
pub fn before_the_end(_last_words: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    Ok(())
}
