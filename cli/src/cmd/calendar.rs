//! `pqseal calendar`: key pairs for each day, hour or week.

mod check;
mod extend;
mod file;
mod lend;
mod new;
mod period;
mod public;
mod replace;
mod show;
mod shred;
mod unreached;

use clap::{Args, Subcommand};

use crate::error::{Error, Exit};

/// The arguments of `pqseal calendar`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::CALENDAR))]
pub struct Calendar {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    New(Box<new::New>),
    Public(public::Public),
    Show(show::Show),
    Shred(Box<shred::Shred>),
    Lend(Box<lend::Lend>),
    Extend(Box<extend::Extend>),
    Check(check::Check),
}

impl Calendar {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        match self.action {
            Action::New(new) => new.run(),
            Action::Public(public) => public.run(),
            Action::Show(show) => return show.run(json),
            Action::Shred(shred) => shred.run(),
            Action::Lend(lend) => lend.run(),
            Action::Extend(extend) => extend.run(),
            Action::Check(check) => return check.run(json),
        }
        .map(|()| Exit::Done)
    }
}
