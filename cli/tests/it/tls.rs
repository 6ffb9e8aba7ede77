//! `pqseal tls` beside servers that are known: Go's with post-quantum groups, OpenSSL's without.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{self, Child, Command, Output, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// The folder of this process with `identity.pem`, a certificate and its key.
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

/// Go's crypto/tls.
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
        let address = free();
        let identity = folder().join("identity.pem");
        let child = Command::new("openssl")
            .args([
                "s_server",
                "-quiet",
                "-accept",
                &address.to_string(),
                "-cert",
            ])
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

/// An address where nothing listens.
fn free() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

fn pqseal(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pqseal"))
        .args(arguments)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn a_post_quantum_server_exits_with_0() {
    let server = Server::go(&[]);
    let output = pqseal(&["--json", "tls", "probe", &server.1]);
    assert_eq!(code(&output), 0);
    let report = json(&output);
    assert_eq!(report["post_quantum"], true);
    let kems = ["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"];
    assert_eq!(report["FS_KEMs"], serde_json::json!(kems));
    assert_eq!(report["preference"]["order"], "server");
    assert_eq!(report["preference"]["group"], "X25519MLKEM768");
    assert_eq!(report["hello_retry_request"], true);
    assert_eq!(report["certificate"]["key"], "RSA 2048 bits");
    let signature = report["certificate"]["signature"].as_str().unwrap();
    assert!(signature.starts_with("rsa_pss_rsae_sha"), "{signature}");
    let text = String::from_utf8(pqseal(&["tls", "probe", &server.1]).stdout).unwrap();
    assert!(text.contains("post-quantum key exchange    yes"), "{text}");
}

#[test]
fn a_classical_server_exits_with_1() {
    // Newer releases have post-quantum groups by default.
    let server = Server::openssl(&["-groups", "X25519:P-256"]);
    let output = pqseal(&[
        "--json",
        "tls",
        "probe",
        &server.1,
        "--server-name",
        "localhost",
    ]);
    assert_eq!(code(&output), 1);
    let report = json(&output);
    assert_eq!(report["post_quantum"], false);
    assert_eq!(report["FS_KEMs"], serde_json::json!([]));
    assert_eq!(
        report["FS_ECDHE_curves"],
        serde_json::json!(["X25519", "prime256v1"])
    );
    let only = [
        "--json",
        "tls",
        "probe",
        &server.1,
        "--groups",
        "mlkem768,x25519",
    ];
    let groups = json(&pqseal(&only))["groups"].clone();
    assert_eq!(groups.as_array().unwrap().len(), 2);
    assert_eq!(groups[0]["accepted"], false);
    assert_eq!(groups[1]["accepted"], true);
    let only = [
        "--json",
        "tls",
        "probe",
        &server.1,
        "--groups",
        "X25519MLKEM768",
    ];
    let output = pqseal(&only);
    assert_eq!(code(&output), 1);
    assert_eq!(json(&output)["tls1_3"], true);
}

#[test]
fn a_server_without_tls_1_3_exits_with_3() {
    let server = Server::openssl(&["-tls1_2"]);
    let output = pqseal(&["--json", "tls", "probe", &server.1]);
    assert_eq!(code(&output), 3);
    assert_eq!(json(&output)["tls1_3"], false);
}

#[test]
fn a_server_that_is_not_there_exits_with_3() {
    let output = pqseal(&["tls", "probe", &free().to_string()]);
    assert_eq!(code(&output), 3);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("no connection: connection refused"), "{text}");
}

#[test]
fn what_cannot_be_asked_exits_with_2() {
    for (arguments, reason) in [
        (&["localhost:x"][..], "give HOST or HOST:PORT"),
        (
            &["localhost", "--groups", "x25519_sikep434"],
            "SIKE is broken",
        ),
        (
            &["localhost", "--groups", "x25519_bikel1"],
            "--allow-experimental",
        ),
        (
            &["localhost", "--groups", "nonesuch"],
            "no group is named nonesuch; the groups are X25519MLKEM768, ",
        ),
    ] {
        let output = pqseal(&[&["tls", "probe"], arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn ech_keygen_writes_a_key_and_a_configuration() {
    for kem in ["x25519", "mlkem768-x25519"] {
        let file = folder().join(format!("{kem}-{}.pem", std::process::id()));
        let name = file.to_str().unwrap();
        let arguments = [
            "tls",
            "ech-keygen",
            "--public-name",
            "a.example",
            "--kem",
            kem,
            "-o",
        ];
        let arguments = [&arguments[..], &[name]].concat();
        let output = pqseal(&arguments);
        assert_eq!(code(&output), 0, "{output:?}");
        let list = String::from_utf8(output.stdout).unwrap();
        let written = fs::read_to_string(&file).unwrap();
        // A hybrid has no PEM, and so no second block.
        if let Some((_, block)) = written.split_once("-----BEGIN ECHCONFIG-----\n") {
            let (block, _) = block.split_once("\n-----END ECHCONFIG-----").unwrap();
            assert_eq!(block.replace('\n', ""), list.trim());
        } else {
            assert_ne!(kem, "x25519");
        }
        let list = envelope::base64::decode(list.trim().as_bytes()).unwrap();
        // The length of the list, then the version of its one configuration.
        assert_eq!(
            usize::from(list[0]) * 256 + usize::from(list[1]),
            list.len() - 2
        );
        assert_eq!(list[2..4], [0xfe, 0x0d]);
        assert_eq!(code(&pqseal(&["pubkey", name])), 0);
        assert_eq!(code(&pqseal(&arguments)), 3, "the file is not overwritten");
        fs::remove_file(file).unwrap();
    }
    let bad = [
        "tls",
        "ech-keygen",
        "--public-name",
        "192.0.2.1",
        "-o",
        "/dev/null",
    ];
    assert_eq!(code(&pqseal(&bad)), 2);
}

/// The private key and the ECHConfig in hexadecimal, as Go's server takes them.
#[test]
fn go_accepts_what_ech_keygen_made() {
    for kem in ["x25519", "mlkem768-x25519"] {
        let file = folder().join(format!("go-{kem}-{}.key", std::process::id()));
        let name = file.to_str().unwrap();
        let public = ["--public-name", "a.example", "--kem", kem];
        let output = pqseal(&[&["tls", "ech-keygen", "-o", name], &public[..]].concat());
        let private = pqseal(&["key", "convert", "--form", "raw", name]);
        fs::remove_file(file).unwrap();
        let [list, private] = [output, private].map(|output| {
            assert_eq!(code(&output), 0, "{output:?}");
            envelope::base64::decode(output.stdout.trim_ascii()).unwrap()
        });
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (config, private): (String, String) = (hex(&list[2..]), hex(&private));
        let server = Server::go(&[config, private]);
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
    let keygen = |kem, json: &[&'static str]| {
        let arguments = ["tls", "ech-keygen", "--public-name", "a.example", "-o", "-"];
        pqseal(&[json, &arguments[..], &["--kem", kem]].concat())
    };
    let pem = String::from_utf8(keygen("x25519", &[]).stdout).unwrap();
    assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----") && pem.contains("BEGIN ECHCONFIG"));
    let refused = keygen("mlkem768-x25519", &[]);
    assert_eq!((code(&refused), refused.stdout.len()), (2, 0));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("use -o FILE, or --json"), "{text}");
    for (kem, start) in [
        ("x25519", "-----BEGIN PRIVATE KEY-----\n"),
        ("mlkem768-x25519", "pqseal-private-key:mlkem768-x25519:"),
    ] {
        let made = json(&keygen(kem, &["--json"]));
        let private = made["private_key"].as_str().unwrap();
        assert!(private.starts_with(start));
        assert!(envelope::keys::read_private(private, None).is_ok());
        let list = made["ech_config_list"].as_str().unwrap();
        assert!(envelope::base64::decode(list.as_bytes()).is_ok());
    }
}
