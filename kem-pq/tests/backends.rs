//! The choice of a back end. Which one the other tests ran on is said here: `tools/test` runs all
//! of them on each.

use std::io::Write;
use std::process::Command;

use pqseal_kem_pq::{Backend, BackendError};

/// Says what this machine can be tested on, past the capture of test output.
#[test]
fn the_portable_back_end_is_everywhere() {
    let named = |available: bool| -> Vec<&str> {
        let backends = Backend::ALL
            .iter()
            .filter(|backend| backend.is_available() == available);
        backends.map(|backend| backend.name()).collect()
    };
    let (has, lacks) = (named(true), named(false));
    writeln!(
        std::io::stdout(),
        "back ends: running {}, has {has:?}, lacks {lacks:?}",
        Backend::chosen().name()
    )
    .unwrap();
    assert!(has.contains(&"portable"));
}

#[test]
fn the_one_that_was_asked_for_runs() {
    let asked = Backend::from_env().expect("PQSEAL_BACKEND names a back end that this machine has");
    assert_eq!(Backend::chosen(), asked.unwrap_or_else(best));
}

fn best() -> Backend {
    *Backend::ALL
        .iter()
        .rfind(|backend| backend.is_available())
        .expect("the portable one is everywhere")
}

/// The choice is made once a process, so each name is given to a process of its own: this test's.
#[test]
fn every_name_is_followed_or_answered_with_its_error() {
    for &backend in Backend::ALL {
        let expected = if backend.is_available() {
            (Ok(Some(backend)), backend)
        } else {
            (Err(BackendError::Unavailable(backend)), best())
        };
        assert_eq!(choice_with(Some(backend.name())), format!("{expected:?}"));
    }
    for unknown in ["", "AVX2", "avx2 ", "neon"] {
        let expected: (Result<Option<Backend>, _>, _) = (Err(BackendError::Unknown), best());
        assert_eq!(choice_with(Some(unknown)), format!("{expected:?}"));
    }
    let expected: (Result<_, BackendError>, _) = (Ok(None::<Backend>), best());
    assert_eq!(choice_with(None), format!("{expected:?}"));
}

/// What the child's `from_env` and `chosen` gave.
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
    let (_, choice) = text.split_once(MARK).expect("the child prints its mark");
    choice.lines().next().unwrap().to_owned()
}

/// Tells a child from the test run itself.
const CHILD: &str = "PQSEAL_TEST_CHILD";
const MARK: &str = "choice: ";

/// The child's side. In the test run itself it holds what the others build on: the choice does not
/// change.
#[test]
fn child_prints_its_choice() {
    let first = Backend::chosen();
    if std::env::var_os(CHILD).is_some() {
        println!("{MARK}{:?}", (Backend::from_env(), first));
    }
    assert_eq!(Backend::chosen(), first);
}

#[test]
fn an_error_says_what_can_be_done() {
    let unknown = "PQSEAL_BACKEND names no back end; there are portable, avx2, vpclmul256, avx512 and vpclmul";
    assert_eq!(BackendError::Unknown.to_string(), unknown);
    let unavailable = BackendError::Unavailable(Backend::Avx2).to_string();
    assert_eq!(
        unavailable,
        "PQSEAL_BACKEND asks for avx2, which this machine lacks"
    );
}
