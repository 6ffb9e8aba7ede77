//! The limit of the size of files (`ulimit -f`), which acts as a quota: an error like a full
//! disk.

use crate::common::{PUBLIC_KEY, events, shell};

/// The limit, in units of 512 bytes.
const LIMIT: u64 = 64;

#[test]
fn a_file_beyond_the_limit_is_a_failure_and_is_not_left() {
    let dir = events(200);
    dir.write("text", vec![b'x'; 200_000]);
    shell(
        &dir,
        &format!("pqseal seal --to {PUBLIC_KEY} -o sealed text"),
    );
    let keys = "pqseal file keygen -o id 2> /dev/null && pqseal file keygen -y id > to";
    shell(
        &dir,
        &format!("{keys} && pqseal file encrypt -R to -o text.age text"),
    );
    shell(&dir, "mkdir in && cp events.ndjson in/");
    let before = dir.names();
    let seal = format!("logs seal --to {PUBLIC_KEY} --field RayID events.ndjson");
    for (command, code) in [
        ("logs open -k key.txt events.ndjson -o out.ndjson", 3),
        ("logs open -k key.txt events.ndjson -o out.ndjson.gz", 3),
        ("logs open -k key.txt events.ndjson -o out.ndjson.zst", 3),
        (
            "logs open -k key.txt in -o out/; ran=$?; rmdir out && exit $ran",
            1,
        ),
        (&format!("{seal} -o out.ndjson"), 3),
        ("logs generate 1000 -o out.ndjson", 3),
        ("open -k key.txt sealed -o out", 3),
        (&format!("seal --to {PUBLIC_KEY} text -o out"), 3),
        ("file encrypt -R to -o out text", 1),
        ("file encrypt -a -R to -o out text", 1),
        ("file decrypt -i id -o out text.age", 1),
    ] {
        let ran = dir.shell(&format!("ulimit -f {LIMIT} && pqseal {command}"));
        let limit = format!("may have at most {} bytes (ulimit -f)", LIMIT * 512);
        assert!(ran.err.contains(&limit), "{command}: {}", ran.err);
        assert_eq!(ran.code, Some(code), "{command}: {}", ran.err);
        assert_eq!(dir.names(), before, "{command}");
    }
    // To a file that the shell has opened.
    let ran = dir.shell(&format!(
        "ulimit -f {LIMIT} && pqseal logs open -k key.txt events.ndjson --stats json > out"
    ));
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("\"complete\":false"), "{}", ran.err);
}
