//! The progress bar on a terminal. It also marks errors of the output, so that they are not
//! reported as errors of the input.

use std::{
    fmt,
    io::{self, IoSlice, IsTerminal, Write},
};

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar, if it is shown.
pub(super) struct Meter(Option<ProgressBar>);

/// The smallest input with a bar, in bytes. Smaller ones are done before a bar would be seen.
const LEAST: u64 = 64 << 20;

impl Meter {
    /// Creates a bar for an input of `size` bytes, if that is known; none if `quiet`, because the
    /// output goes to the screen.
    pub(super) fn new(size: Option<u64>, quiet: bool) -> Self {
        let seen = io::stderr().is_terminal() && !quiet;
        if !seen || size.is_some_and(|size| size < LEAST) {
            return Self(None);
        }
        let (bar, template) = match size {
            Some(size) => (
                ProgressBar::new(size),
                "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            ),
            None => (
                ProgressBar::no_length(),
                "{elapsed} {bytes} {bytes_per_sec}",
            ),
        };
        let style = ProgressStyle::with_template(template);
        Self(Some(
            bar.with_style(style.expect("our templates are templates")),
        ))
    }

    /// Counts the written bytes, and marks the errors of the output.
    pub(super) fn over<W: Write>(&self, output: W) -> Metered<W> {
        Metered {
            output,
            bar: self.0.clone(),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// An error of the output, not of the input.
#[derive(Debug)]
struct OfOutput(io::Error);

impl fmt::Display for OfOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for OfOutput {}

/// Marks an error as one of the output.
pub(super) fn of_output(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), OfOutput(error))
}

/// Marks the errors of an output that is not counted.
pub(super) fn marked<W: Write>(output: W) -> Metered<W> {
    Metered { output, bar: None }
}

/// Reports whether an error is marked as one of the output.
pub(super) fn is_of_output(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<OfOutput>())
}

/// An output whose bytes are counted.
pub(super) struct Metered<W> {
    output: W,
    bar: Option<ProgressBar>,
}

impl<W: Write> Write for Metered<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes).map_err(of_output)?;
        self.bar.iter().for_each(|bar| bar.inc(count as u64));
        Ok(count)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let count = self.output.write_vectored(slices).map_err(of_output)?;
        self.bar.iter().for_each(|bar| bar.inc(count as u64));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush().map_err(of_output)
    }
}
