//! The processes of peers.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A child process that answers one JSON line with one JSON line.
pub struct Process {
    command: String,
    child: Child,
    /// `None` once the process is to end.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a program in the folder of this crate.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(command: &[&str]) -> Self {
        let name = command.join(" ");
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            // Node warns that the algorithms under test are experimental.
            .env("NODE_NO_WARNINGS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("the peer `{name}` does not start ({error}): run dev/interop/setup.sh")
            });
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self {
            command: name,
            child,
            requests,
            answers,
        }
    }

    /// Sends a request, and returns the answer as the type `T`.
    ///
    /// # Errors
    /// The message of the peer's error.
    ///
    /// # Panics
    /// If it does not answer in JSON.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &Value) -> Result<T, String> {
        let answer: Value =
            serde_json::from_str(&self.exchange(request)).expect("a peer answers in JSON");
        if let Some(error) = answer.get("error") {
            return Err(error.as_str().unwrap_or("an error without text").to_owned());
        }
        let parsed = serde_json::from_value(answer.clone());
        Ok(parsed.unwrap_or_else(|error| panic!("`{}` answers {answer}: {error}", self.command)))
    }

    fn exchange(&mut self, request: &Value) -> String {
        let mut line = String::new();
        let requests = self
            .requests
            .as_mut()
            .expect("the process runs until it is dropped");
        let written = writeln!(requests, "{request}").and_then(|()| requests.flush());
        let read = written.and_then(|()| self.answers.read_line(&mut line));
        match read {
            Ok(length) if length > 0 => line,
            other => panic!(
                "the peer `{}` does not answer ({other:?}): run dev/interop/setup.sh",
                self.command
            ),
        }
    }
}

impl Drop for Process {
    /// Ends the input, at which a peer ends.
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.wait();
    }
}
