//! Each command's help ends with three examples that parse, and with the exit codes; the manual
//! pages have both.

use std::fs;

use crate::common::Dir;
use clap::Command;
use pqseal_cli::{args::Arguments, error::EXIT_CODES, parse::whole};

/// The subcommand of clap itself.
const WITHOUT: [&str; 1] = ["help"];

#[test]
fn every_command_shows_exit_codes_and_three_examples() {
    let mut seen = 0;
    for_each(&whole::<Arguments>(), "pqseal", &mut |path, command| {
        let end = command.get_after_long_help().map(ToString::to_string);
        let end = end.unwrap_or_else(|| panic!("{path} has no examples"));
        assert!(end.contains(EXIT_CODES), "{path} lists no exit codes");
        let examples: Vec<_> = end
            .lines()
            .filter(|line| line.starts_with("  # "))
            .collect();
        assert_eq!(examples.len(), 3, "{path}");
        let lines = end.lines().skip(2).step_by(2).take(3);
        lines.for_each(|line| parses(line.trim()));
        seen += 1;
    });
    assert!(seen >= 20, "{seen} commands");
}

#[test]
fn manual_pages_have_them() {
    let dir = Dir::new();
    dir.words("man -o pages").succeeds();
    for page in fs::read_dir(dir.path("pages")).unwrap() {
        let page = page.unwrap().path();
        let text = fs::read_to_string(&page).unwrap();
        let name = page.to_string_lossy();
        let is_help = WITHOUT.map(|command| name.ends_with(&format!("-{command}.1")));
        let has = text.contains("Examples:") && text.contains("Exit codes:");
        assert!(has || is_help.contains(&true), "{name}");
    }
}

/// A new private key without a reader would be lost.
#[test]
#[cfg(unix)]
fn a_new_key_needs_a_reader() {
    let dir = Dir::new();
    for keygen in ["keygen", "file keygen"] {
        let line = "(sleep 0.2; pqseal KEYGEN 2> err; echo $? > code) | true; cat code err";
        let ran = dir.shell(&line.replace("KEYGEN", keygen));
        assert!(ran.out().starts_with("3\n"), "{}", ran.out());
    }
}

/// Rust opens `/dev/null` in place of a closed standard output.
#[test]
#[cfg(unix)]
fn a_closed_standard_output_fails() {
    let dir = Dir::new();
    for line in [
        "--help",
        "logs open --help",
        "--version",
        "keygen",
        "keygen -o new.pem",
        "file keygen",
        "open -k key.txt blob.txt",
        "logs generate 1",
        "file encrypt -r age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj README.md",
    ] {
        let ran = dir.shell(&format!("pqseal {line} >&-"));
        assert!(matches!(ran.code, Some(1 | 3)), "{line}: {:?}", ran.code);
        assert!(ran.err.contains("it is closed"), "{line}: {}", ran.err);
    }
    // Nothing is lost where nothing is written.
    dir.shell("pqseal logs generate 1 -o events >&-").succeeds();
    dir.shell("pqseal open -k key.txt -o opened blob.txt >&-")
        .succeeds();
    // `/dev/null` is the output on purpose.
    dir.shell("pqseal suites > /dev/null; pqseal suites 1<> /dev/null")
        .succeeds();
}

/// A build without Kafka says so; one with it asks for a group before it asks a broker.
#[test]
fn topics_need_their_feature_and_a_group() {
    let dir = Dir::new();
    let from = dir.words("logs open -k key.txt kafka://127.0.0.1:9/t");
    let to = "logs open -k key.txt -o kafka://127.0.0.1:9/t README.md";
    if cfg!(feature = "kafka") {
        from.fails(2, "name one with --group");
        let to = dir.words(&format!("{to} --retry-max-time 1s"));
        to.fails(3, "no broker has answered");
    } else {
        let advice = "build it with `cargo install pqseal --features kafka`";
        from.fails(2, advice);
        dir.words(to).fails(2, advice);
        for option in ["--group g", "--kafka-config key.txt", "--until-end"] {
            let line = format!("logs open -k key.txt {option} kafka://127.0.0.1:9/t");
            dir.words(&line).fails(2, advice);
        }
    }
}

/// Settings that are wrong or unused are errors of the command line.
#[cfg(feature = "kafka")]
#[test]
fn settings_of_kafka_are_for_topics() {
    let dir = Dir::new();
    dir.write("wrong", "no.such=1\n");
    dir.chmod("wrong", 0o600);
    for (more, words) in [
        ("wrong --kafka-config wrong", "--kafka-config is for topics"),
        ("wrong -o TOPIC --kafka-config wrong", "no.such"),
        ("-o TOPIC --kafka-config - < wrong", "standard input"),
        ("wrong -o TOPIC --kafka-config - < wrong", "no.such"),
        (
            "TOPIC --group g --kafka-config wrong -o wrong",
            "would overwrite it",
        ),
    ] {
        let more = more.replace("TOPIC", "kafka://127.0.0.1:9/t");
        dir.shell(&format!("pqseal logs open -k key.txt {more}"))
            .fails(2, words);
    }
}

/// In a build without a feature, its command is not reported as misspelt.
#[test]
fn commands_that_were_left_out_are_named() {
    let dir = Dir::new();
    for (command, is_here) in [
        ("cose", cfg!(feature = "cose")),
        ("file", cfg!(feature = "file")),
        ("logs serve", cfg!(feature = "serve")),
        ("tls", cfg!(feature = "tls")),
    ] {
        let ran = dir.words(&format!("{command} --help"));
        match is_here {
            true => ran.succeeds(),
            false => ran.fails(2, &format!("this build has no `pqseal {command}`")),
        };
    }
    dir.words("tsl").fails(2, "unrecognized subcommand");
}

/// Checks that the commands of a line parse, without what only the shell understands.
fn parses(line: &str) {
    for part in line.split(['|', '&']).map(str::trim) {
        let part = part.trim_start_matches("eval \"$(").trim_end_matches(")\"");
        let words: Vec<_> = shell_words(part.split(" > ").next().unwrap());
        if words.first().is_some_and(|word| word == "pqseal")
            && let Err(error) = whole::<Arguments>().try_get_matches_from(&words)
        {
            panic!("{line}: {error}");
        }
    }
}

/// Splits a line into words, some of which are in single quotes.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in line.split('\'').enumerate() {
        match place % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

fn for_each(command: &Command, path: &str, check: &mut impl FnMut(&str, &Command)) {
    check(path, command);
    for command in command
        .get_subcommands()
        .filter(|command| !WITHOUT.contains(&command.get_name()))
    {
        for_each(command, &format!("{path} {}", command.get_name()), check);
    }
}
