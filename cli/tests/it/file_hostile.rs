//! `pqseal file` with hostile files, full disks, and ends that come at any time: an error that says
//! what is wrong, nothing unauthenticated, and nothing half-written.

use std::{fs, process::Stdio, thread::sleep, time::Duration};

use crate::common::{Dir, PQSEAL, shell};

/// `id` and `to`, and `text` of some chunks.
fn dir() -> Dir {
    let dir = Dir::new();
    let line = "pqseal file keygen -o id 2> /dev/null && pqseal file keygen -y id > to";
    shell(&dir, line);
    let text: Vec<u8> = (0..=250).cycle().take(300_001).collect();
    dir.write("text", text);
    dir
}

/// A gigabyte of header, in one line or in stanzas without end, in 600 MB of address space.
#[test]
fn an_endless_header_is_refused() {
    let dir = dir();
    for lines in [
        "head -c 1000000000 /dev/zero | tr '\\0' a",
        "yes -- '-> a\n'",
    ] {
        let line = format!(
            "{{ printf 'age-encryption.org/v1\\n-> a '; {lines}; }} 2> /dev/null | (ulimit -v 600000; pqseal file decrypt --threads 2 -i id)"
        );
        dir.shell(&line).fails(1, "longer than 16 MiB");
    }
}

/// The work of scrypt is refused before any of it is done, and before a terminal is asked.
#[test]
fn endless_work_is_refused() {
    let dir = dir();
    dir.write("pass", "x\n");
    dir.chmod("pass", 0o600);
    let (salt, body) = ("A".repeat(22), "A".repeat(43));
    for work in ["63", "21"] {
        let header =
            format!("age-encryption.org/v1\n-> scrypt {salt} {work}\n{body}\n--- {body}\n");
        dir.write("slow", format!("{header}{}", "A".repeat(99)));
        dir.shell("pqseal file decrypt --passphrase-file pass -o out slow")
            .fails(1, &format!("2^{work} steps"));
    }
    assert!(!dir.path("out").exists());
}

#[test]
fn a_full_disk_leaves_nothing() {
    let dir = dir();
    shell(&dir, "pqseal file encrypt -R to -o f text");
    shell(&dir, "pqseal file encrypt --reserve -R to -o roomy text");
    let names = dir.names();
    // 512 or 1,024 bytes each, by the shell.
    let limit = "trap '' XFSZ; ulimit -f 100;";
    for command in [
        "encrypt -R to",
        "encrypt -a -R to",
        "encrypt --threads 1 -R to",
    ] {
        dir.shell(&format!("{limit} pqseal file {command} -o out text"))
            .fails(1, "file too large");
        dir.shell(&format!("pqseal file {command} text > /dev/full"))
            .fails(1, "space");
    }
    for command in [
        "decrypt -i id",
        "decrypt --threads 1 -i id",
        "rekey -i id -R to",
    ] {
        dir.shell(&format!("{limit} pqseal file {command} -o out f"))
            .fails(1, "file too large");
    }
    // Without the room for a copy of the old header the file is not touched.
    let before = dir.read("roomy");
    dir.shell("trap '' XFSZ; ulimit -f 2; pqseal file rekey -i id -R to roomy")
        .fails(1, "file too large");
    assert!(dir.read("roomy") == before);
    fs::remove_file(dir.path("roomy.pqseal-header")).unwrap_or_default();
    assert_eq!(dir.names(), names);
}

#[test]
fn a_killed_run_leaves_what_the_next_one_removes() {
    let dir = dir();
    dir.write("there", "precious");
    let names = dir.names();
    let mut child = dir
        .command(PQSEAL)
        .args(["file", "encrypt", "--force", "-R", "to", "-o", "there"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    for _ in 0..500 {
        if dir.names() != names {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    assert_ne!(dir.names(), names, "it has begun");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(dir.read("there"), b"precious");
    shell(&dir, "pqseal file encrypt --force -R to -o there text");
    assert_eq!(dir.names(), names);
    assert!(shell(&dir, "pqseal file decrypt -i id there").out == dir.read("text"));
}

/// A reader that has enough is no error, and a program whose reader is gone ends.
#[test]
fn readers_may_go_early() {
    let dir = dir();
    shell(&dir, "pqseal file encrypt -R to -o f text");
    for command in [
        "decrypt -i id f",
        "encrypt -R to text",
        "encrypt -a -R to text",
    ] {
        let ran = shell(
            &dir,
            &format!("{{ pqseal file {command}; echo $? >&3; }} 3> code | head -c 10"),
        );
        assert_eq!(ran.out.len(), 10, "{command}");
        assert_eq!(dir.read("code"), b"0\n", "{command}");
    }
    shell(
        &dir,
        "yes | pqseal file encrypt -R to | head -c 100000 | wc -c",
    );
}

/// A file that is written while it is read is not taken for whole.
#[test]
fn a_file_that_grows_or_shrinks_is_an_error_or_whole() {
    let dir = dir();
    let big: Vec<u8> = (0..=250).cycle().take(40 << 20).collect();
    dir.write("big", &big);
    for change in ["printf x >> big", "truncate -s 1000000 big"] {
        let line = format!(
            "rm -f out; (sleep 0.02; {change}) & pqseal file encrypt -R to -o out big; code=$?; wait; exit $code"
        );
        let ran = dir.shell(&line);
        match ran.code {
            // It was read before the change, or begun after it.
            Some(0) => {
                let opened = shell(&dir, "pqseal file decrypt -i id out").out;
                let now = dir.read("big");
                assert!(opened == big || opened == now, "{change}");
            }
            code => {
                assert_eq!(code, Some(1), "{}", ran.err);
                assert!(ran.err.contains("changed while it was read"), "{}", ran.err);
                assert!(!dir.path("out").exists());
            }
        }
        dir.write("big", &big);
    }
}
