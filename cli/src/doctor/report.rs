//! What the doctor says: one line a check, for people or for programs.

use serde_json::{Value, json};

use crate::{
    error::{Error, Exit},
    escape,
    output::to_stdout,
};

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    Note,
    Problem,
}

/// Checks, written as they are made.
pub(super) struct Report {
    json: bool,
    /// What the last check was about.
    about: String,
    problems: usize,
}

impl Report {
    pub(super) const fn new(json: bool) -> Self {
        Self {
            json,
            about: String::new(),
            problems: 0,
        }
    }

    /// All is well with `name` of `about`.
    pub(super) fn ok(&mut self, about: &str, name: &str, text: &str) -> Result<(), Error> {
        self.write(State::Ok, about, name, "ok", text)
    }

    /// Something to know, and no reason for a failure.
    pub(super) fn note(
        &mut self,
        about: &str,
        name: &str,
        code: &str,
        text: &str,
    ) -> Result<(), Error> {
        self.write(State::Note, about, name, code, text)
    }

    /// Something is wrong; `text` says what to do.
    pub(super) fn problem(
        &mut self,
        about: &str,
        name: &str,
        code: &str,
        text: &str,
    ) -> Result<(), Error> {
        self.problems += 1;
        self.write(State::Problem, about, name, code, text)
    }

    /// Says how many problems there were.
    pub(super) fn end(self) -> Result<Exit, Error> {
        let text = match self.problems {
            0 => "no problem was found".to_owned(),
            1 => "1 problem was found".to_owned(),
            more => format!("{more} problems were found"),
        };
        if self.json {
            to_stdout(format!("{}\n", json!({ "problems": self.problems })).as_bytes())?;
        } else {
            to_stdout(format!("\n{text}\n").as_bytes())?;
        }
        Ok(match self.problems {
            0 => Exit::Done,
            _ => Exit::Incomplete,
        })
    }

    fn write(
        &mut self,
        state: State,
        about: &str,
        name: &str,
        code: &str,
        text: &str,
    ) -> Result<(), Error> {
        if self.json {
            let check = check(state, about, name, code, text);
            return to_stdout(format!("{}\n", escape::json(&check.to_string())).as_bytes());
        }
        let mut lines = String::new();
        if self.about != about {
            let blank = if self.about.is_empty() { "" } else { "\n" };
            lines = format!("{blank}{}\n", escape::bytes(about.as_bytes()));
            about.clone_into(&mut self.about);
        }
        let (name, text) = (
            escape::bytes(name.as_bytes()),
            escape::bytes(text.as_bytes()),
        );
        lines += &format!("  {:8} {name:14} {text}\n", state.word());
        to_stdout(lines.as_bytes())
    }
}

fn check(state: State, about: &str, name: &str, code: &str, text: &str) -> Value {
    json!({ "check": {
        "about": about, "name": name, "state": state.word(), "code": code, "message": text,
    } })
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
