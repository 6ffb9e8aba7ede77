//! `pqseal tls` with known servers: Go's with post-quantum groups, OpenSSL's without.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use pqseal_keys::base64;
use serde_json::{Value, json};

use crate::common::{Dir, free_address};

/// Returns the folder of this process with `identity.pem`, a certificate and its key.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let identity = folder.join("identity.pem");
        let arguments = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
                         -addext subjectAltName=DNS:localhost";
        let made = Command::new("openssl")
            .args(arguments.split(' '))
            .arg("-keyout")
            .arg(&identity)
            .arg("-out")
            .arg(folder.join("certificate.pem"))
            .stderr(Stdio::null())
            .status()
            .expect("openssl is missing (Debian: apt install openssl)");
        assert!(made.success());
        let both = fs::read_to_string(&identity).unwrap()
            + &fs::read_to_string(folder.join("certificate.pem")).unwrap();
        fs::write(&identity, both).unwrap();
        folder
    })
}

/// Returns the command of Go's crypto/tls.
fn go_peer() -> Command {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dev/interop/.build/tls-peer");
    assert!(
        program.exists(),
        "Go's crypto/tls is missing; run: dev/interop/setup.sh go"
    );
    Command::new(program)
}

/// A server, ended on drop.
struct Server(Child, String);

impl Server {
    fn go(ech: &[String]) -> Self {
        let mut child = go_peer()
            .arg("server")
            .arg(folder())
            .arg("default")
            .args(ech)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut address).unwrap();
        Self(child, address.trim().to_owned())
    }

    fn openssl(arguments: &[&str]) -> Self {
        let address = free_address();
        let identity = folder().join("identity.pem");
        let child = Command::new("openssl")
            .args(["s_server", "-quiet", "-accept", &address.to_string()])
            .arg("-cert")
            .arg(&identity)
            .arg("-key")
            .arg(&identity)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(started.elapsed() < Duration::from_secs(20));
            thread::sleep(Duration::from_millis(20));
        }
        Self(child, address.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Runs `pqseal --json tls` with these words, which must exit with `code`, and returns its
/// answer.
#[track_caller]
fn asked(dir: &Dir, line: &str, code: i32) -> Value {
    let ran = dir.words(&format!("--json tls {line}"));
    assert_eq!(ran.code, Some(code), "{}", ran.err);
    serde_json::from_slice(&ran.out).unwrap()
}

#[test]
fn a_post_quantum_server_exits_with_0() {
    let (dir, server) = (Dir::new(), Server::go(&[]));
    let report = asked(&dir, &format!("probe {}", server.1), 0);
    for (member, expected) in [
        ("/post_quantum", json!(true)),
        (
            "/FS_KEMs",
            json!(["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"]),
        ),
        ("/preference/order", json!("server")),
        ("/preference/group", json!("X25519MLKEM768")),
        ("/hello_retry_request", json!(true)),
        ("/certificate/key", json!("RSA 2048 bits")),
    ] {
        assert_eq!(report.pointer(member), Some(&expected));
    }
    let signature = report["certificate"]["signature"].as_str().unwrap();
    assert!(signature.starts_with("rsa_pss_rsae_sha"), "{signature}");
    let groups = "--groups X25519MLKEM768,x25519";
    let text = dir.words(&format!("tls probe {} {groups}", server.1));
    let line = "post-quantum key exchange    yes";
    assert!(text.out().contains(line), "{}", text.out());
}

#[test]
fn others_exit_with_1_or_3() {
    let dir = Dir::new();
    // Newer releases have post-quantum groups by default.
    let server = Server::openssl(&["-groups", "X25519:P-256"]);
    let line = format!("probe {} --server-name localhost", server.1);
    let report = asked(&dir, &line, 1);
    assert_eq!(report["post_quantum"], false);
    assert_eq!(report["FS_KEMs"], json!([]));
    assert_eq!(report["FS_ECDHE_curves"], json!(["X25519", "prime256v1"]));
    let report = asked(&dir, &format!("{line} --groups mlkem768,x25519"), 1);
    let groups = report["groups"].as_array().unwrap();
    let accepted: Vec<_> = groups.iter().map(|group| &group["accepted"]).collect();
    assert_eq!(accepted, [false, true]);
    let report = asked(&dir, &format!("{line} --groups X25519MLKEM768"), 1);
    assert_eq!(report["tls1_3"], true);

    let server = Server::openssl(&["-tls1_2"]);
    let report = asked(&dir, &format!("probe {}", server.1), 3);
    assert_eq!(report["tls1_3"], false);
    let ran = dir.words(&format!("tls probe {}", free_address()));
    assert_eq!(ran.code, Some(3));
    let words = "no connection: connection refused";
    assert!(ran.err.contains(words), "{}", ran.err);
}

#[test]
fn what_cannot_be_asked_exits_with_2() {
    for line in [
        "probe localhost:x => give HOST or HOST:PORT",
        "probe localhost --groups x25519_sikep434 => SIKE is broken",
        "probe localhost --groups x25519_bikel1 => --allow-experimental",
        "probe localhost --groups nonesuch => no group is named nonesuch; the groups are X25519MLKEM768, ",
        "ech-keygen --public-name 192.0.2.1 -o /dev/null => ",
        "ech-keygen --public-name a.example --kem mlkem768-x25519 -o - => use -o FILE, or --json",
    ] {
        let (line, reason) = line.split_once(" => ").unwrap();
        Dir::new().words(&format!("tls {line}")).fails(2, reason);
    }
}

/// Go's server takes the private key and the ECHConfig in hexadecimal.
#[test]
fn ech_keygen_writes_a_key_and_a_configuration_that_go_accepts() {
    for kem in ["x25519", "mlkem768-x25519"] {
        let dir = Dir::new();
        let keygen = format!("tls ech-keygen --public-name a.example --kem {kem} -o key");
        let made = dir.words(&keygen);
        assert_eq!(made.code, Some(0), "{}", made.err);
        let written = String::from_utf8(dir.read("key")).unwrap();
        // A hybrid has no PEM, and so no second block.
        if let Some((_, block)) = written.split_once("-----BEGIN ECHCONFIG-----\n") {
            let (block, _) = block.split_once("\n-----END ECHCONFIG-----").unwrap();
            assert_eq!(block.replace('\n', ""), made.out().trim());
        } else {
            assert_ne!(kem, "x25519");
        }
        assert_eq!(dir.words("pubkey key").code, Some(0));
        assert_eq!(dir.words(&keygen).code, Some(3), "it is not overwritten");
        let private = dir.words("key convert --form raw key");
        let [list, private] =
            [made, private].map(|ran| base64::decode(ran.out.trim_ascii()).unwrap());
        // The length of the list, then the version of its one configuration.
        let length = usize::from(list[0]) * 256 + usize::from(list[1]);
        assert_eq!((length, &list[2..4]), (list.len() - 2, &[0xfe, 0x0d][..]));
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let server = Server::go(&[hex(&list[2..]), hex(&private)]);
        let list: String = hex(&list);
        let go = go_peer()
            .arg("client")
            .arg(folder())
            .args([&server.1, "default", &list])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&go.stdout);
        assert!(text.contains("ech=true name=localhost"), "{kem}: {go:?}");
    }
}

#[test]
fn ech_keygen_to_standard_output_leaves_nothing_out() {
    let dir = Dir::new();
    let keygen = "ech-keygen --public-name a.example -o - --kem";
    let pem = dir.words(&format!("tls {keygen} x25519"));
    let pem = pem.out();
    assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----") && pem.contains("BEGIN ECHCONFIG"));
    for (kem, start) in [
        ("x25519", "-----BEGIN PRIVATE KEY-----\n"),
        ("mlkem768-x25519", "pqseal-private-key:mlkem768-x25519:"),
    ] {
        let made = asked(&dir, &format!("{keygen} {kem}"), 0);
        let private = made["private_key"].as_str().unwrap();
        assert!(private.starts_with(start));
        assert!(pqseal_keys::read_private(private, None).is_ok());
        let list = made["ech_config_list"].as_str().unwrap();
        assert!(base64::decode(list.as_bytes()).is_ok());
    }
}
