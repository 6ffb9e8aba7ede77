//! The library in the languages that call it: C and C++ with AddressSanitizer and UBSan, Go by cgo,
//! Python by ctypes, each with all vectors of the RFC. Requires gcc, g++, clang, go and python3.

use std::{
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;
use test_vectors::HpkeVector;

/// The output of each program.
const EXPECTED: &str = "128 contexts, 288 messages, 384 exports\n";
/// The output of the program with threads.
const THREADS: &str = "12800 messages, 640 blobs\n";

const C: [&str; 5] = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
const CPP: [&str; 6] = ["-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror"];

const SANITIZERS: [&str; 3] = [
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover",
];

#[test]
fn c_with_sanitizers() {
    compiled("gcc", &C);
}

#[test]
fn c_by_clang_with_sanitizers() {
    compiled("clang", &C);
}

#[test]
fn cpp_with_sanitizers() {
    compiled("g++", &CPP);
}

#[test]
fn cpp_by_clang_with_sanitizers() {
    compiled("clang++", &CPP);
}

#[test]
fn go_by_cgo() {
    let dir = vectors();
    let program = dir.path().join("check");
    let flags = [here("include").display().to_string(), static_library()];
    let mut go = Command::new("go");
    go.current_dir(here("tests/programs/go"))
        .env("CGO_ENABLED", "1")
        .env("CGO_CFLAGS", format!("-I{}", flags[0]))
        .env(
            "CGO_LDFLAGS",
            format!("{} {}", flags[1], system().join(" ")),
        )
        .env("GOFLAGS", "-mod=mod")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".");
    run(&mut go, "install Go from https://go.dev");
    prints(Command::new(program).arg(dir.path().join("vectors")));
}

#[test]
fn python_by_ctypes() {
    let dir = vectors();
    let mut python = Command::new("python3");
    python
        .arg(here("tests/programs/check.py"))
        .arg(built("libpqseal.so"))
        .arg(dir.path().join("vectors"));
    prints(&mut python);
}

/// The README's example, which frees all that it allocates, with the files that install.sh
/// installs, found by pkg-config: with the shared library under its versioned name, then with the
/// static one.
#[test]
fn the_readme_with_pkg_config() {
    let dir = TempDir::new().unwrap();
    let readme = fs::read_to_string(here("README.md")).unwrap();
    let (_, example) = readme.split_once("```c\n#include <pqseal.h>\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let main = format!(
        "#include <pqseal.h>\n#include <stdio.h>\nint main(void) {{\n{example}\nreturn status != PQSEAL_OK || pt_len != 7;\n}}\n"
    );
    fs::write(dir.path().join("main.c"), main).unwrap();
    let mut install = Command::new(here("install.sh"));
    let built = built("libpqseal.so").parent().unwrap().to_owned();
    run(install.arg(dir.path()).env("BUILT", built), "");
    let line = "set -e
        compile='gcc -Wall -Werror -fsanitize=address main.c'
        $compile $(pkg-config --cflags --libs pqseal) -o shared
        readelf --dynamic shared | grep -q 'NEEDED.*\\[libpqseal.so[.][0-9.]*\\]'
        rm lib/libpqseal.so
        LD_LIBRARY_PATH=lib ./shared
        $compile $(pkg-config --static --cflags --libs pqseal) -o static
        ./static";
    let mut shell = Command::new("sh");
    shell.current_dir(dir.path()).args(["-c", line]);
    shell.env("PKG_CONFIG_PATH", dir.path().join("lib/pkgconfig"));
    run(&mut shell, "apt install binutils gcc pkg-config");
}

/// The kit's calendar of X25519 hours.
#[test]
fn c_with_calendars() {
    let kit = here("../../test-vectors/kit/calendars/answers.json");
    let kit: serde_json::Value = serde_json::from_slice(&fs::read(kit).unwrap()).unwrap();
    let group = &kit["testGroups"][0];
    for compiler in ["gcc", "clang"] {
        let dir = TempDir::new().unwrap();
        let flags = [&C[..], &SANITIZERS].concat();
        let program = compile(compiler, &flags, "calendar.c", dir.path());
        let mut command = Command::new(program);
        for (place, name) in [(0, "private"), (1, "public"), (3, "lent")] {
            let file = dir.path().join(name);
            let text = group["tests"][place]["file"].as_str().unwrap();
            fs::write(&file, text).unwrap();
            command.arg(file);
        }
        command.arg(group["periods"][0]["unix"].to_string());
        assert_eq!(run(&mut command, "see tools/setup"), "");
    }
}

/// Invalid sizes, numbers and empty secrets, and a fork.
#[test]
fn c_at_its_limits() {
    silent("limits.c");
}

/// Batches of matched data, with the names of keys.
#[test]
fn c_with_records() {
    silent("records.c");
}

/// Runs a program that prints nothing if all is well.
fn silent(source: &str) {
    for compiler in ["gcc", "clang"] {
        let dir = TempDir::new().unwrap();
        let flags = [&C[..], &SANITIZERS].concat();
        let program = compile(compiler, &flags, source, dir.path());
        assert_eq!(run(&mut Command::new(program), "see tools/setup"), "");
    }
}

/// Handles that 64 threads use at once, as the header allows. ThreadSanitizer lets the threads run
/// one after another, and observes only the program's use of the shared buffers.
#[test]
fn c_with_threads() {
    for flags in [&[][..], &["-g", "-fsanitize=thread"]] {
        let dir = TempDir::new().unwrap();
        let program = compile("clang", &[&C, flags].concat(), "threads.c", dir.path());
        assert_eq!(run(&mut Command::new(program), "see tools/setup"), THREADS);
    }
}

/// Compiles check.c with `compiler` and `flags`, and runs it.
fn compiled(compiler: &str, flags: &[&str]) {
    let dir = vectors();
    let program = compile(
        compiler,
        &[flags, &SANITIZERS].concat(),
        "check.c",
        dir.path(),
    );
    prints(Command::new(program).arg(dir.path().join("vectors")));
}

/// Compiles a program with the static library.
fn compile(compiler: &str, flags: &[&str], source: &str, dir: &Path) -> PathBuf {
    let program = dir.join("check");
    let mut command = Command::new(compiler);
    command
        .args(flags)
        .arg(format!("-I{}", here("include").display()))
        .arg(here("tests/programs").join(source))
        .args(["-x", "none"])
        .arg(static_library())
        .args(system())
        .arg("-o")
        .arg(&program);
    run(&mut command, "apt install gcc g++ clang");
    program
}

#[track_caller]
fn prints(command: &mut Command) {
    assert_eq!(run(command, "see tools/setup"), EXPECTED);
}

/// Returns the output of a program, which must succeed.
#[track_caller]
fn run(command: &mut Command, install: &str) -> String {
    let ran = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; {install}"));
    let (out, err) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(
        ran.status.success(),
        "{command:?}: {}\n{out}{err}",
        ran.status
    );
    out.into_owned()
}

/// Returns a folder with the vectors in a format that is easy to read in every language.
fn vectors() -> TempDir {
    let dir = TempDir::new().unwrap();
    let mut text = String::new();
    for vector in test_vectors::rfc9180().entries {
        lines(&vector, &mut text);
    }
    fs::write(dir.path().join("vectors"), text).unwrap();
    dir
}

fn lines(vector: &HpkeVector, text: &mut String) {
    let ids = [vector.kem_id, vector.kdf_id, vector.aead_id].map(|id| id.to_string());
    let keys = [&vector.info, &vector.ikm_r, &vector.sk_r, &vector.pk_r].map(|bytes| hex(bytes));
    let sender = [&vector.sk_s, &vector.pk_s, &vector.psk, &vector.psk_id]
        .map(|bytes| hex(bytes.as_deref().unwrap_or_default()));
    let fields = [&ids[..], &keys, &sender].concat().join(" ");
    let _ = writeln!(text, "S {} {fields} {}", vector.mode, hex(&vector.enc));
    for one in &vector.encryptions {
        let parts = [&one.aad, &one.pt, &one.ct].map(|bytes| hex(bytes));
        let _ = writeln!(text, "M {} {}", one.seq, parts.join(" "));
    }
    for export in &vector.exports {
        let (context, value) = (hex(&export.exporter_context), hex(&export.exported_value));
        let _ = writeln!(text, "E {context} {} {value}", export.length);
    }
}

fn hex(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".to_owned(),
        _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the system libraries that a static Rust library needs, from the pkg-config file.
fn system() -> Vec<String> {
    let file = fs::read_to_string(here("pkg/pqseal.pc.in")).unwrap();
    let line = file
        .lines()
        .find_map(|line| line.strip_prefix("Libs.private:"));
    line.unwrap()
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

fn static_library() -> String {
    built("libpqseal.a").display().to_string()
}

/// Returns a file that cargo built beside this test.
fn built(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let file = test.parent().unwrap().join(name);
    assert!(file.exists(), "{} is missing", file.display());
    file
}
