//! Age plugins: `age` and `rage` run ours, and `pqseal file` runs those of others. A missing
//! program is a failure.

use crate::common::{Dir, age_and_rage, long_text, shell};

/// Creates a directory with `id` and `to` of MLKEM1024-P384, `text`, and `classical` of X25519.
fn dir() -> Dir {
    let dir = Dir::new();
    for (id, options) in [
        ("id", "--kem mlkem1024-p384"),
        ("other", "--kem mlkem1024-p384"),
        ("classic", ""),
    ] {
        let made = dir.shell(&format!("pqseal file keygen {options} -o {id}"));
        assert_eq!(made.code, Some(0), "{}", made.err);
        shell(&dir, &format!("pqseal file keygen -y {id} > {id}.to"));
    }
    dir.write("text", long_text());
    dir
}

#[test]
fn age_and_rage_encrypt_and_decrypt_with_our_plugin() {
    let dir = dir();
    let text = dir.read("text");
    shell(&dir, "pqseal file encrypt -R id.to -o ours text");
    for (peer, number) in age_and_rage().iter().zip(1..) {
        let decrypted = shell(&dir, &format!("{peer} -d -i id ours"));
        assert!(decrypted.out == text, "{peer}");
        shell(
            &dir,
            &format!("{peer} -R other.to -R id.to -o theirs{number} text"),
        );
        for opener in ["pqseal file decrypt", &format!("{peer} -d")] {
            let decrypted = shell(&dir, &format!("{opener} -i id theirs{number}"));
            assert!(decrypted.out == text, "{peer}, {opener}");
        }
        for refused in [
            format!("{peer} -d -i classic theirs{number}"),
            format!("{peer} -R classic.to -R id.to -o mixed text"),
        ] {
            let ran = dir.shell(&refused);
            assert!(ran.code != Some(0) && ran.out.is_empty(), "{refused}");
        }
    }
    let shown = shell(&dir, "pqseal file inspect theirs1");
    for line in ["recipient: pqseal (mlkem1024-p384)", "post-quantum: yes"] {
        assert!(shown.out().contains(line), "{}", shown.out());
    }
    dir.shell("pqseal file encrypt -R classic.to -R id.to text")
        .fails(2, "cannot be mixed");
    dir.shell("pqseal file encrypt -r $(tail -n 1 id) text")
        .fails(2, "argument");
}

#[test]
fn our_plugin_makes_identities() {
    let dir = dir();
    let made =
        dir.shell("age-plugin-pqseal --keygen -o new && age-plugin-pqseal --keygen --kem p521");
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert_eq!(dir.mode("new"), 0o600);
    assert!(
        made.out().contains("\nAGE-PLUGIN-PQSEAL-1"),
        "{}",
        made.out()
    );
    let line = "pqseal file keygen -y new > to && pqseal file encrypt -R to text | pqseal file decrypt -i new";
    assert!(shell(&dir, line).out == dir.read("text"));
    dir.shell("age-plugin-pqseal --keygen --kem bike-l1")
        .fails(2, "experimental");
    dir.shell("age-plugin-pqseal --age-plugin=x < text")
        .fails(3, "unknown state machine");
}

/// A plugin in Python, which reads its messages from `$SCRIPT`.
const PLUGIN: &str = include_str!("../plugins/age-plugin-test.py");

/// Installs the plugin, whose recipient and identity have no data. A file that this process has
/// open for writing could not be run, nor one that another test's child has inherited from it.
fn with_plugin(dir: &Dir) {
    dir.write("script", PLUGIN);
    shell(dir, "cp script age-plugin-test; chmod 755 age-plugin-test");
    dir.write("plugin.to", "age1test1qy9w83c3\n");
    dir.write("plugin", "AGE-PLUGIN-TEST-1QYELKZM2\n");
    dir.chmod("plugin", 0o600);
}

#[test]
fn plugins_of_others_wrap_and_unwrap() {
    let dir = dir();
    with_plugin(&dir);
    let path = "PATH=.:$PWD:$PATH";
    shell(
        &dir,
        &format!("{path} pqseal file encrypt -R plugin.to -R classic.to -o f text"),
    );
    for identity in ["plugin", "classic", "id -i plugin"] {
        let ran = dir.shell(&format!("{path} pqseal file decrypt -i {identity} f"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out == dir.read("text"), "{identity}");
    }
    // It says so, and is asked nothing that it does not know.
    let decrypt = "pqseal file decrypt -i plugin";
    let ran = dir.shell(&format!("SCRIPT=message {path} {decrypt} f"));
    assert_eq!(ran.err, "age-plugin-test: touch \\x1b[31mthe key\n");
    assert!(ran.out == dir.read("text"));
    // Labels are those of the plugin.
    let encrypt = format!("SCRIPT=labels {path} pqseal file encrypt -R plugin.to");
    dir.shell(&format!("{encrypt} -R classic.to text"))
        .fails(2, "cannot be mixed");
    shell(
        &dir,
        &format!("{encrypt} -R id.to text | pqseal file decrypt -i id | cmp - text"),
    );
    // Another identity may open what a plugin fails at.
    let ran = dir.shell(&format!("SCRIPT=error {path} {decrypt} -i classic f"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out == dir.read("text"));
}

#[test]
fn plugins_that_fail_leave_nothing() {
    let dir = dir();
    with_plugin(&dir);
    let path = "PATH=$PWD:$PATH";
    shell(
        &dir,
        &format!("{path} pqseal file encrypt -R plugin.to -o f text"),
    );
    let names = dir.names();
    for (script, words) in [
        ("error", "age-plugin-test: no \\x1bdevice"),
        ("exit", "ended before it was done"),
        ("noise", "breaks the plugin protocol"),
        ("long", "breaks the plugin protocol"),
        ("secret", "cannot ask"),
    ] {
        for command in [
            "encrypt -R plugin.to -o out text",
            "decrypt -i plugin -o out f",
        ] {
            let ran = dir.shell(&format!(
                "SCRIPT={script} {path} setsid pqseal file {command} < /dev/null"
            ));
            assert!(ran.err.contains(words), "{script}: {}", ran.err);
            assert_eq!((ran.code == Some(0), dir.names()), (false, names.clone()));
        }
    }
}

/// The plugin is not asked for the recipient.
#[test]
fn keygen_does_not_leave_out_an_identity_of_a_plugin() {
    let dir = dir();
    with_plugin(&dir);
    shell(&dir, "cat classic plugin > both");
    for (name, number) in [("plugin", 1), ("both", 2)] {
        dir.shell(&format!("pqseal file keygen -y -o recipients {name}"))
            .fails(
                3,
                &format!("{name}: identity number {number} belongs to a plugin"),
            );
    }
    assert!(!dir.path("recipients").exists());
}

/// GHSA-4fg7-vxc8-qx5w: a plugin in the current folder, or with a path in its name, is not run.
#[test]
fn plugins_are_not_taken_from_relative_folders() {
    let dir = dir();
    with_plugin(&dir);
    for path in [
        "PATH=.:$PATH",
        "PATH=:$PATH",
        "PATH=./../$(basename $PWD):$PATH",
    ] {
        dir.shell(&format!("{path} pqseal file encrypt -R plugin.to text"))
            .fails(3, "age-plugin-test is not in a folder of PATH");
    }
}
