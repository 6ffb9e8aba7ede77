//! The choice of a back end, which is made once a process: each name is given to a process of its
//! own.

mod common;

use std::process::Command;

use common::backends;
use x25519_batch::Backend;

/// Tells a child from the test run itself.
const CHILD: &str = "PQSEAL_TEST_CHILD";
const MARK: &str = "choice: ";

/// IFMA asks to be named.
fn best() -> Backend {
    let unasked = backends().filter(|backend| *backend != Backend::Ifma);
    unasked.last().expect("the portable one is everywhere")
}

fn choice_with(name: Option<&str>) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "child_prints_its_choice", "--nocapture"])
        .env(CHILD, "1")
        .env_remove("PQSEAL_BACKEND");
    child.envs(name.map(|name| ("PQSEAL_BACKEND", name)));
    let output = child.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_once(MARK)
        .expect("the child prints its mark")
        .1
        .lines()
        .next()
        .unwrap()
        .to_owned()
}

#[test]
fn child_prints_its_choice() {
    let first = Backend::chosen();
    if std::env::var_os(CHILD).is_some() {
        println!("{MARK}{}", first.name());
    }
    assert_eq!(Backend::chosen(), first);
}

/// So that a run of all tests that names a back end fails where the machine lacks it.
#[cfg(feature = "std")]
#[test]
fn the_one_that_was_asked_for_runs() {
    let asked = std::env::var_os("PQSEAL_BACKEND");
    let asked = Backend::ALL
        .iter()
        .copied()
        .find(|backend| asked.as_ref().is_some_and(|name| name == backend.name()));
    assert_eq!(Backend::chosen(), asked.unwrap_or_else(best));
}

// Without std there is no environment to read it from.
#[cfg(feature = "std")]
#[test]
fn a_name_that_the_machine_has_is_followed() {
    for backend in backends() {
        assert_eq!(choice_with(Some(backend.name())), backend.name());
    }
}

#[test]
fn else_the_fastest_runs() {
    let lacking = Backend::ALL
        .iter()
        .filter(|backend| !backend.is_available())
        .map(|backend| Some(backend.name()));
    for name in [None, Some(""), Some("AVX2"), Some("vpclmul")]
        .into_iter()
        .chain(lacking)
    {
        assert_eq!(choice_with(name), best().name());
    }
}
