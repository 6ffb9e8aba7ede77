//! The output that an earlier run wrote, and the part of it that the state records as done.

use std::{io, path::PathBuf};

use serde_json::Value;

use super::{Event, Follower, Sink, lines, place::Place, written};
use crate::files::Error;

/// The output as the state describes it.
#[derive(Default)]
pub(super) enum Noted {
    /// The output was not a file.
    #[default]
    NoFile,
    /// The size of the output. Earlier versions did not identify the file.
    Size(u64),
    /// The end of the output.
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

    /// Returns the bytes of the output that the state does not know. An empty output may replace
    /// the one that the state describes, since nothing can be lost.
    ///
    /// # Errors
    /// [`Error::OtherOutput`] if it is another file, and [`Error::Run`] if it cannot be read.
    pub(super) fn beyond(&self, output: &mut impl Sink) -> Result<Option<Beyond>, Error> {
        output.settle().map_err(written)?;
        let Some(end) = end(output).map_err(written)? else {
            return Ok(None);
        };
        let (size, is_known) = match self {
            Self::End(noted) if end.offset > 0 => match is_of(noted, output).map_err(written)? {
                true => (noted.offset, true),
                false => {
                    return Err(Error::OtherOutput {
                        noted: noted.path.clone(),
                        output: end.path,
                    });
                }
            },
            Self::Size(size) => (*size, false),
            _ => return Ok(None),
        };
        Ok((end.offset > size).then(|| Beyond {
            path: end.path,
            size,
            bytes: end.offset - size,
            is_known,
        }))
    }
}

/// The bytes of the output after the last entry in the state.
pub(super) struct Beyond {
    path: PathBuf,
    /// The number of bytes before them.
    size: u64,
    bytes: u64,
    /// Set if the state identifies the output file.
    is_known: bool,
}

impl Beyond {
    /// Truncates the output before these bytes if all of them are written again. Otherwise keeps
    /// them, since they may exist nowhere else.
    pub(super) fn settle(
        self,
        all_comes_again: bool,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> io::Result<()> {
        let bytes = self.bytes;
        let event = match (self.is_known, all_comes_again) {
            (true, true) => return output.cut(self.size),
            (true, false) => Event::Kept { bytes },
            (false, _) => Event::NotCut { bytes },
        };
        follower.event(&self.path, event);
        output.end_line()
    }
}

/// Returns the end of the output, if it is a file.
///
/// # Errors
/// An error if it cannot be read.
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
