//! `--decap-command` and `pqseal key serve`: a private key in another process, and helpers that
//! crash, sleep or lie.

use crate::common::{Dir, PLAINTEXT, PUBLIC_KEY, Ran, events};

const SERVE: &str = "pqseal key serve -k key.txt";

/// Runs `pqseal open` on the published blob with this helper.
fn open(dir: &Dir, helper: &str) -> Ran {
    dir.write("helper.sh", helper);
    dir.shell("pqseal open --format raw --decap-timeout 20s --decap-command 'exec sh ./helper.sh' blob.txt")
}

/// Runs `pqseal logs open` on the events with this helper, which may take long for an answer on an
/// emulated processor.
fn logs(dir: &Dir, helper: &str) -> Ran {
    logs_within(dir, "60s", helper)
}

fn logs_within(dir: &Dir, timeout: &str, helper: &str) -> Ran {
    dir.write("helper.sh", helper);
    dir.shell(&format!(
        "pqseal logs open --decap-timeout {timeout} --decap-command 'exec sh ./helper.sh' events.ndjson"
    ))
}

/// Returns shell code that passes on the first `count` lines of requests.
fn first(count: u32) -> String {
    format!("i=0; while [ $i -lt {count} ] && read -r line; do echo \"$line\"; i=$((i+1)); done")
}

#[test]
fn a_key_in_another_process_opens_versions_3_and_4() {
    let dir = Dir::new();
    assert_eq!(open(&dir, SERVE).succeeds().out(), PLAINTEXT);
    let ran = dir.shell(
        "pqseal keygen -o hybrid.key > hybrid.pub 2> id && \
         echo hello | pqseal seal --to hybrid.pub --info app | \
         pqseal --json open -k key.txt --decap-command 'pqseal key serve -k hybrid.key' --info app",
    );
    let ran = ran.succeeds();
    assert!(
        ran.out().contains(r#""plaintext":"hello\n""#),
        "{}",
        ran.out()
    );
    assert!(
        ran.out().contains("the key behind `pqseal key serve"),
        "{}",
        ran.out()
    );
}

#[test]
fn one_key_of_several_is_served_by_id_or_label() {
    let dir = Dir::new();
    dir.shell("pqseal keygen --kem x25519 --form line > other 2>&1; cat key.txt >> keys; echo '# old' >> keys; grep private other >> keys; chmod 600 keys")
        .succeeds();
    open(&dir, "pqseal key serve -k keys").fails(3, "it ended (exit status: 2)");
    open(&dir, "pqseal key serve -k keys --key-id none").fails(3, "no key with that id or label");
    open(&dir, "pqseal key serve -k keys --key-id old").fails(1, "sealed to another key");
    dir.pqseal(&["key", "serve", "-k", "-"])
        .fails(2, "name a key file");
}

/// Thousands of requests from several threads, answered in another order than asked.
#[test]
fn records_open_in_order_whatever_the_order_of_the_answers() {
    let dir = events(3000);
    let expected = dir
        .shell("pqseal logs open -k key.txt events.ndjson")
        .succeeds();
    let reversed = format!(
        "while read -r verb id enc; do case $verb in \
         decap) batch=\"$verb $id $enc\n$batch\" ;; \
         end) printf '%s' \"$batch\"; echo end; batch= ;; esac; done | {SERVE}"
    );
    let ran = logs(&dir, &reversed).succeeds();
    assert!(ran.out == expected.out, "the records differ");
}

#[test]
fn versions_1_and_2_need_the_key_itself() {
    let dir = Dir::new();
    let line = "pqseal open --decap-command 'pqseal key serve -k private_key.txt'";
    dir.shell(&format!("{line} matched_data_v1.txt"))
        .fails(1, "needs the bytes of its private key");
    dir.shell(&format!("{line} -k private_key.txt matched_data_v1.txt"))
        .succeeds();
}

/// A helper that crashes ends the run, since later records could not be opened either.
#[test]
fn a_crash_in_the_middle_stops_the_run() {
    let dir = events(3000);
    let ran = logs(&dir, &format!("{{ {}; }} | {SERVE}; exit 9", first(2500)));
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    for words in [
        "was not opened",
        "did not answer",
        "it ended (exit status: 9)",
    ] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    // Records before it are whole and opened.
    let lines = ran.out().lines();
    assert!(lines.clone().count() < 3000);
    assert!(
        lines
            .clone()
            .all(|line| line.ends_with('}') && !line.contains("key_unavailable"))
    );
}

#[test]
fn a_slow_helper_is_given_up() {
    let dir = events(10);
    logs_within(&dir, "1s", "exec sleep 30").fails(3, "it did not answer within 1 s");
    let slow = format!("{{ {}; exec sleep 30; }} | {SERVE}", first(2));
    let ran = dir.shell(&format!(
        "pqseal logs open --decap-timeout 1s --decap-command '{slow}' events.ndjson 2> err; code=$?; cat err >&2; exit $code"
    ));
    ran.fails(3, "it did not answer within 1 s");
}

#[test]
fn helpers_that_lie_or_do_not_speak_the_protocol_are_refused() {
    let dir = Dir::new();
    let other = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=";
    for line in [
        "exit 7 => it ended (exit status: 7)",
        "no-such-helper => it ended (exit status: 127)",
        "echo hello => its first line is not",
        "yes | tr -d '\\n' => longer than 16384 bytes",
        "echo pqseal-decap 2 x y => speaks version 2",
        "echo pqseal-decap 1 0x9999 PUBLIC => its KEM 0x9999 is not supported",
        "echo pqseal-decap 1 0x0020 AAAA => its public key is not valid",
        "SERVE | { read -r hello; echo pqseal-decap 1 0x0020 OTHER; exec cat; } => its private key does not belong to its public key",
        "HELLO; read -r r; echo invalid 0; END => does not belong to its public key",
        "HELLO; echo secret 7 OTHER; END => it answered request 7, which is not waiting for an answer",
        "HELLO; read -r r; echo secret 0 AAAA; END => a shared secret of 3 bytes instead of 32",
        "HELLO; read -r r; echo secret 1 OTHER; END => it answered request 1, which is not waiting for an answer",
        "HELLO; read -r r; echo thanks; END => a line that is not an answer",
        "HELLO; read -r r; echo error 0 no token in the slot; END => it reported: no token in the slot",
    ] {
        let (helper, message) = line.split_once(" => ").unwrap();
        let helper = helper
            .replace("HELLO", "echo pqseal-decap 1 0x0020 PUBLIC")
            .replace("PUBLIC", PUBLIC_KEY)
            .replace("OTHER", other)
            .replace("SERVE", SERVE)
            .replace("END", "cat > /dev/null");
        open(&dir, &helper).fails(3, message);
    }
}
