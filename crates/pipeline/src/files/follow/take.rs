//! Processing of pieces of files by the pipeline.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use super::{
    Event, Follower, Sink, checkpoint::Checkpoints, known::Entry, piece::Piece, tail::Tail, written,
};
use crate::{
    Pipeline, Warning,
    batch::Transform,
    files::Error,
    pipeline::{Doubt, Observer},
};

/// The number of pieces of a file that are processed before other files are looked at.
const TURN: usize = 8;

/// The result of a turn of a file.
pub(super) enum Turn {
    /// The file may have more data.
    Unfinished,
    /// The file has no more data for now.
    Finished,
    /// The file was rotated, and its rest was processed.
    GivenUp,
    /// The name of the output belongs to another file.
    Renamed(Unwritten),
}

/// The output of a piece that was not written, since the output's name now belongs to another file.
pub(super) struct Unwritten {
    /// The position that the file was read to before.
    pub(super) before: Option<Entry>,
    lines: Vec<u8>,
    starts_line: bool,
}

impl Unwritten {
    /// Appends the lines to the output. Returns them if its name belongs to another file again.
    pub(super) fn write(self, output: &mut impl Sink) -> io::Result<Option<Self>> {
        let is_in = output.add(&self.lines, self.starts_line)?;
        Ok((!is_in).then_some(self))
    }
}

/// A processor of pieces, with the destination of the output.
pub(super) struct Taker<'t, T, S, F> {
    pipeline: &'t Pipeline<T>,
    output: &'t mut S,
    follower: &'t mut F,
    checkpoints: Option<&'t mut Checkpoints>,
}

impl<'t, T: Transform, S: Sink, F: Follower> Taker<'t, T, S, F> {
    pub(super) const fn new(
        pipeline: &'t Pipeline<T>,
        output: &'t mut S,
        follower: &'t mut F,
        checkpoints: Option<&'t mut Checkpoints>,
    ) -> Self {
        Self {
            pipeline,
            output,
            follower,
            checkpoints,
        }
    }

    /// Processes a file to its end, or for one turn. A rotated file is given up after `rest`.
    pub(super) fn turn(
        &mut self,
        tail: &mut Tail,
        rest: Duration,
        is_over: &AtomicBool,
    ) -> Result<Turn, Error> {
        for _ in 0..TURN {
            if is_over.load(Ordering::Relaxed) {
                return Ok(Turn::Unfinished);
            }
            let before = tail.entry();
            match tail.next(self.pipeline.limits.record) {
                Ok(Some(piece)) => {
                    if let Some(unwritten) = self.take(piece, tail, before)? {
                        return Ok(Turn::Renamed(unwritten));
                    }
                }
                Ok(None) if tail.is_given_up(rest) => return self.last(tail),
                Ok(None) => return Ok(Turn::Finished),
                Err(problem) => {
                    self.follower.event(tail.path(), problem);
                    return Ok(Turn::Finished);
                }
            }
        }
        Ok(Turn::Unfinished)
    }

    fn last(&mut self, tail: &mut Tail) -> Result<Turn, Error> {
        if let Some(unwritten) = self.rest(tail)? {
            return Ok(Turn::Renamed(unwritten));
        }
        // The file was not open any more, and does not exist under its name.
        if tail.entry().is_some_and(|entry| entry.has_more()) {
            self.follower.event(tail.path(), Event::Lost);
        }
        Ok(Turn::GivenUp)
    }

    /// Processes the unfinished last line at the end.
    pub(super) fn rest(&mut self, tail: &mut Tail) -> Result<Option<Unwritten>, Error> {
        let before = tail.entry();
        match tail.rest(self.pipeline.limits.record) {
            Some(piece) => self.take(piece, tail, before),
            None => Ok(None),
        }
    }

    /// Processes a piece. Returns its output if the name of the output belongs to another file.
    fn take(
        &mut self,
        piece: Piece,
        tail: &mut Tail,
        before: Option<Entry>,
    ) -> Result<Option<Unwritten>, Error> {
        let starts_line = matches!(piece, Piece::Lines { .. });
        let mut lines = Vec::new();
        let ran = self.run(piece, tail, &mut lines);
        if let (Some(checkpoints), Some(_)) = (&mut self.checkpoints, self.output.file()) {
            checkpoints
                .note_read(&tail.place())
                .map_err(Error::Create)?;
        }
        let unwritten = Unwritten {
            before,
            lines,
            starts_line,
        };
        // Records before the one that ends the run are written too.
        let unwritten = unwritten.write(self.output).map_err(written)?;
        ran.map_err(|error| match error {
            crate::Error::Record { .. } => Error::Record {
                path: tail.path().to_owned(),
                error,
            },
            error => Error::Run(error),
        })?;
        Ok(unwritten)
    }

    fn run(
        &mut self,
        piece: Piece,
        tail: &mut Tail,
        lines: &mut Vec<u8>,
    ) -> Result<(), crate::Error> {
        let source = tail.path().to_string_lossy().into_owned();
        match piece {
            Piece::Lines { bytes, number } => {
                let mut follower = OfPiece {
                    follower: &mut *self.follower,
                    is_first: number == 1,
                };
                let doubt = tail.doubt();
                let ran =
                    self.pipeline
                        .run_lines(&bytes, number, doubt, lines, &source, &mut follower);
                ran.map(drop)
            }
            // Plaintext must not pass through.
            Piece::Middle { bytes, number } if self.pipeline.transform().seals() => {
                let mut follower = OfPiece {
                    follower: &mut *self.follower,
                    is_first: false,
                };
                *tail.doubt() = Doubt::raised();
                self.pipeline
                    .run_part(&bytes, number, lines, &source, &mut follower)
            }
            Piece::Middle { bytes, .. } => {
                *lines = bytes;
                Ok(())
            }
        }
    }
}

/// An observer of a piece. Warnings that concern a whole input are passed on only for the first
/// piece.
struct OfPiece<'f, F> {
    follower: &'f mut F,
    is_first: bool,
}

impl<F: Follower> Observer for OfPiece<'_, F> {
    fn batch(&mut self, stats: &crate::Stats) {
        self.follower.batch(stats);
    }

    fn warning(&mut self, source: &str, warning: &Warning) {
        if self.is_first {
            self.follower.warning(source, warning);
        }
    }

    fn dead_letter(&mut self, letter: &[u8]) -> io::Result<()> {
        self.follower.dead_letter(letter)
    }

    fn letters_done(&mut self) -> io::Result<()> {
        self.follower.letters_done()
    }

    fn wants_letters(&self) -> bool {
        self.follower.wants_letters()
    }
}
