//! The output of the doctor: one line per check, or one JSON object per check.

use serde_json::{Value, json};

use crate::{
    error::{Error, Exit},
    escape,
    output::to_stdout,
};

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Ok,
    Note,
    Problem,
}

/// The subject of a check.
#[derive(Default)]
pub(super) struct Subject<'a> {
    /// The input, or `this machine`.
    pub(super) about: &'a str,
    /// The part of it, for programs.
    pub(super) name: &'a str,
    /// The name for people, with its place or number; `name` if empty.
    pub(super) shown: String,
    /// More members of the check in JSON.
    pub(super) members: Vec<(&'static str, Value)>,
}

/// A report that writes checks as they are made.
pub(super) struct Report {
    json: bool,
    /// Writes the lines.
    write: fn(&[u8]) -> Result<(), Error>,
    /// The subject of the last check.
    about: String,
    problems: usize,
}

impl Report {
    pub(super) const fn new(json: bool) -> Self {
        Self {
            json,
            write: to_stdout,
            about: String::new(),
            problems: 0,
        }
    }

    /// Creates a report that only counts problems.
    #[cfg(test)]
    pub(super) fn silent() -> Self {
        Self {
            write: |_| Ok(()),
            ..Self::new(true)
        }
    }

    /// Returns the number of problems.
    #[cfg(test)]
    pub(super) const fn problems(&self) -> usize {
        self.problems
    }

    /// Reports that `name` of `about` is in order.
    pub(super) fn ok(&mut self, about: &str, name: &str, text: &str) -> Result<(), Error> {
        self.check(State::Ok, &Subject::new(about, name), "ok", text)
    }

    /// Reports a fact that is not a failure.
    pub(super) fn note(
        &mut self,
        about: &str,
        name: &str,
        code: &str,
        text: &str,
    ) -> Result<(), Error> {
        self.check(State::Note, &Subject::new(about, name), code, text)
    }

    /// Reports a problem; `text` says what to do.
    pub(super) fn problem(
        &mut self,
        about: &str,
        name: &str,
        code: &str,
        text: &str,
    ) -> Result<(), Error> {
        self.check(State::Problem, &Subject::new(about, name), code, text)
    }

    /// Reports the number of problems.
    pub(super) fn end(self) -> Result<Exit, Error> {
        let text = match self.problems {
            1 => "1 problem was found".to_owned(),
            more => format!("{more} problems were found"),
        };
        if self.json {
            (self.write)(format!("{}\n", json!({ "problems": self.problems })).as_bytes())?;
        } else {
            (self.write)(format!("\n{text}\n").as_bytes())?;
        }
        Ok(match self.problems {
            0 => Exit::Done,
            _ => Exit::Incomplete,
        })
    }

    /// Writes a check with this state; `code` is `ok` if nothing is wrong.
    pub(super) fn check(
        &mut self,
        state: State,
        subject: &Subject<'_>,
        code: &str,
        text: &str,
    ) -> Result<(), Error> {
        self.problems += usize::from(state == State::Problem);
        if self.json {
            let check = subject.json(state, code, text);
            return (self.write)(format!("{}\n", escape::json(&check.to_string())).as_bytes());
        }
        let mut lines = self.heading(subject.about);
        let (name, text) = (
            escape::bytes(subject.shown().as_bytes()),
            escape::bytes(text.as_bytes()),
        );
        lines += &format!("  {:8} {name:14} {text}\n", state.word());
        (self.write)(lines.as_bytes())
    }

    /// Returns the heading of the next checks, unless the last one had the same.
    fn heading(&mut self, about: &str) -> String {
        if self.about == about {
            return String::new();
        }
        let blank = if self.about.is_empty() { "" } else { "\n" };
        about.clone_into(&mut self.about);
        format!("{blank}{}\n", escape::bytes(about.as_bytes()))
    }
}

impl<'a> Subject<'a> {
    fn new(about: &'a str, name: &'a str) -> Self {
        Self {
            about,
            name,
            ..Self::default()
        }
    }

    fn shown(&self) -> &str {
        match self.shown.as_str() {
            "" => self.name,
            shown => shown,
        }
    }

    fn json(&self, state: State, code: &str, text: &str) -> Value {
        let mut check = json!({
            "about": self.about, "name": self.name, "state": state.word(), "code": code, "message": text,
        });
        for (name, value) in &self.members {
            check[*name] = value.clone();
        }
        json!({ "check": check })
    }
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}
