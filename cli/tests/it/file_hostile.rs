//! `pqseal file` with full disks, and inputs that end at any place: an error that says what is
//! wrong, and no partial output.

use std::{fs, process::Stdio, thread::sleep, time::Duration};

use crate::{
    common::{PQSEAL, shell},
    file::dir,
};

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
    // Without room for a copy of the old header the file is not changed.
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

/// A reader that closes early is not an error, and a program whose reader is gone ends.
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
