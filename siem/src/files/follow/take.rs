//! Pieces of files, through the pipeline.

use std::{
    io,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use super::{Event, Follower, Sink, piece::Piece, tail::Tail, written};
use crate::{Pipeline, Reason, Warning, batch::Transform, files::Error, pipeline::Observer};

/// How many pieces of a file are taken before others are looked at.
const TURN: usize = 8;

/// How a turn of a file ended.
#[derive(PartialEq, Eq)]
pub(super) enum Turn {
    /// There may be more.
    Unfinished,
    /// That was all, for now.
    Finished,
    /// It was rotated, and that was the rest of it.
    GivenUp,
}

/// Where pieces go.
pub(super) struct Taker<'t, T, S, F> {
    pipeline: &'t Pipeline<T>,
    output: &'t mut S,
    follower: &'t mut F,
}

impl<'t, T: Transform, S: Sink, F: Follower> Taker<'t, T, S, F> {
    pub(super) const fn new(
        pipeline: &'t Pipeline<T>,
        output: &'t mut S,
        follower: &'t mut F,
    ) -> Self {
        Self {
            pipeline,
            output,
            follower,
        }
    }

    /// Takes what is there of a file, or a turn of it. One that was rotated is given up after `rest`.
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
            match tail.next(self.pipeline.limits.record) {
                Ok(Some(piece)) => self.take(piece, tail.path())?,
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
        self.rest(tail)?;
        // It was not open any more, and is not there by its name.
        if tail.entry().is_some_and(|entry| entry.has_more()) {
            self.follower.event(tail.path(), Event::Lost);
        }
        Ok(Turn::GivenUp)
    }

    /// The unfinished last line, at the end.
    pub(super) fn rest(&mut self, tail: &mut Tail) -> Result<(), Error> {
        match tail.rest(self.pipeline.limits.record) {
            Some(piece) => self.take(piece, tail.path()),
            None => Ok(()),
        }
    }

    fn take(&mut self, piece: Piece, path: &Path) -> Result<(), Error> {
        self.run(piece, path).map_err(|error| match error {
            crate::Error::Record { .. } => Error::Record {
                path: path.to_owned(),
                error,
            },
            error => Error::Run(error),
        })?;
        self.output.flush().map_err(written)
    }

    fn run(&mut self, piece: Piece, path: &Path) -> Result<(), crate::Error> {
        match piece {
            Piece::Lines { bytes, number } => {
                self.output.end_line().map_err(crate::Error::Write)?;
                let mut follower = OfPiece {
                    follower: &mut *self.follower,
                    is_first: number == 1,
                };
                let (source, output) = (path.to_string_lossy(), &mut *self.output);
                let ran = self
                    .pipeline
                    .run_lines(&bytes, number, output, &source, &mut follower);
                ran.map(drop)
            }
            // What an earlier run has begun to copy must not pass in the clear.
            Piece::Middle { number, .. } if self.pipeline.transform().seals() => {
                let reason = Reason::TooLarge;
                Err(crate::Error::Record { number, reason })
            }
            Piece::Middle { bytes, .. } => {
                self.output.write_all(&bytes).map_err(crate::Error::Write)
            }
        }
    }
}

/// Hears of a piece of a file. What is said of a whole input is said once.
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

    fn wants_letters(&self) -> bool {
        self.follower.wants_letters()
    }
}
