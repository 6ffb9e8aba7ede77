//! Which output an earlier run wrote, and how much of it the state says is done.

use std::io;

use serde_json::Value;

use super::{Event, Follower, Sink, lines, place::Place, written};
use crate::files::Error;

/// What the state says of the output.
#[derive(Default)]
pub(super) enum Noted {
    /// It was not a file.
    #[default]
    NoFile,
    /// Its size. Earlier versions did not say which file it is.
    Size(u64),
    /// Its end.
    End(Place),
}

impl Noted {
    pub(super) fn of(value: &Value) -> Self {
        match (lines::place(value, "file"), value.as_u64()) {
            (Some(place), _) => Self::End(place),
            (None, Some(size)) => Self::Size(size),
            (None, None) => Self::NoFile,
        }
    }

    /// Cuts off what came after the last note, which comes again. Only the file that the state
    /// describes is cut. One that is empty can take its place, since nothing of it can be lost.
    ///
    /// # Errors
    /// [`Error::OtherOutput`] if it is another file, [`Error::Run`] if it cannot be read or cut.
    pub(super) fn resume(
        &self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        output.settle().map_err(written)?;
        let Some(end) = end(output).map_err(written)? else {
            return Ok(());
        };
        match self {
            Self::End(noted) if end.offset > 0 => {
                if !is_of(noted, output).map_err(written)? {
                    return Err(Error::OtherOutput {
                        noted: noted.path.clone(),
                        output: end.path,
                    });
                }
                output.cut(noted.offset).map_err(written)?;
            }
            Self::Size(size) if end.offset > *size => follower.event(&end.path, Event::NotCut),
            _ => {}
        }
        Ok(())
    }
}

/// The end of the output, if it is a file.
///
/// # Errors
/// If it cannot be read.
pub(super) fn end(output: &mut impl Sink) -> io::Result<Option<Place>> {
    let file = output.file();
    file.map(|(path, file)| Place::end(path, file)).transpose()
}

fn is_of(noted: &Place, output: &mut impl Sink) -> io::Result<bool> {
    match output.file() {
        Some((path, file)) => noted.is_in(path, file),
        None => Ok(false),
    }
}
