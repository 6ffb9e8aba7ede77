//! Go's crypto/tls, in both roles, over a socket: groups, retry, and Encrypted Client Hello.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::{Arc, OnceLock},
    thread,
};

use data_encoding::HEXLOWER;
use pqseal_hpke::SuiteId;
use pqseal_tls::{
    HybridGroup, Policy,
    ech::{self, EchKey},
    groups, provider,
};
use rustls::{
    ClientConfig, ClientConnection, ServerConnection, StreamOwned,
    client::{EchConfig, EchMode, EchStatus},
    crypto::SupportedKxGroup,
    pki_types::EchConfigListBytes,
};

use super::{
    hostile,
    memory::{INNER, Identity, NAME, PUBLIC},
};

/// The three groups that Go supports.
static HYBRIDS: [&HybridGroup; 3] = [
    &groups::X25519MLKEM768,
    &groups::SECP256R1MLKEM768,
    &groups::SECP384R1MLKEM1024,
];

/// Returns a command for Go's crypto/tls, as `dev/interop/setup.sh go` builds it.
fn peer() -> Command {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dev/interop/.build/tls-peer");
    assert!(
        program.exists(),
        "Go's crypto/tls is missing; run: dev/interop/setup.sh go"
    );
    Command::new(program)
}

/// Returns the folder of this process with `identity.pem`, the certificate and its key.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let name = format!("tls-peer-{}", process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("identity.pem"), &Identity::get().pem).unwrap();
        folder
    })
}

/// A Go server, which is stopped on drop.
pub(crate) struct Server(Child, pub(crate) SocketAddr);

impl Server {
    /// Returns the file with the certificate and its key.
    pub(crate) fn identity() -> PathBuf {
        folder().join("identity.pem")
    }

    pub(crate) fn start(args: &[&str]) -> Self {
        let mut child = peer()
            .arg("server")
            .arg(folder())
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut address).unwrap();
        Self(child, address.trim().parse().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Connects our client to Go's server. Returns our group, Go's line, and the status of ECH.
fn connect(
    server: &Server,
    config: Arc<ClientConfig>,
    name: &'static str,
) -> Result<(u16, String, EchStatus), std::io::Error> {
    let connection = ClientConnection::new(config, name.try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(server.1)?);
    let mut line = String::new();
    // Go closes without waiting for our end, which may reset the connection after the line.
    if let (Err(error), true) = (stream.read_to_string(&mut line), line.is_empty()) {
        return Err(error);
    }
    let group = stream.conn.negotiated_key_exchange_group().unwrap();
    Ok((group.name().into(), line, stream.conn.ech_status()))
}

/// Connects Go's client to our server. Returns Go's line and our group.
fn accept(ours: &[&'static dyn SupportedKxGroup], theirs: &str) -> (String, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let config = Identity::get().server(ours);
    let server = thread::spawn(move || {
        let socket = listener.accept().unwrap().0;
        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), socket);
        stream.write_all(b"hello\n").unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
        let group = stream.conn.negotiated_key_exchange_group().unwrap();
        u16::from(group.name())
    });
    let go = peer()
        .arg("client")
        .arg(folder())
        .args([&address, theirs])
        .output()
        .unwrap();
    assert!(
        go.status.success(),
        "{}",
        String::from_utf8_lossy(&go.stderr)
    );
    (
        String::from_utf8(go.stdout).unwrap(),
        server.join().unwrap(),
    )
}

#[test]
fn our_client_connects_to_go_with_every_hybrid() {
    for group in HYBRIDS {
        let id = format!("{:#06x}", group.id());
        let server = Server::start(&[&id]);
        for (groups, retry) in [
            (vec![group as &'static dyn SupportedKxGroup], false),
            (vec![&groups::MLKEM768, group], true),
        ] {
            let config = Identity::get().client(&groups);
            let (ours, line, _) = connect(&server, config, NAME).unwrap();
            assert_eq!(ours, group.id());
            assert!(
                line.contains(&format!("group={id} retry={retry}")),
                "{line}"
            );
        }
    }
}

#[test]
fn go_refuses_swapped_halves() {
    let server = Server::start(&["0x11ec"]);
    let config = Identity::get().client(&[&hostile::SWAPPED]);
    let error = connect(&server, config, NAME).unwrap_err();
    assert!(error.to_string().contains("IllegalParameter"), "{error}");
}

#[test]
fn go_connects_to_our_server_with_every_hybrid() {
    for group in HYBRIDS {
        let id = format!("{:#06x}", group.id());
        for theirs in [id.clone(), format!("{id},0x1d")] {
            let (line, ours) = accept(&[group], &theirs);
            assert_eq!(ours, group.id());
            assert!(line.contains(&format!("group={id} ")), "{line}");
        }
    }
    // Go sends a share of its first hybrid only, and makes another on request.
    let (line, ours) = accept(&[&groups::SECP384R1MLKEM1024], "0x11ec,0x11ed");
    assert_eq!(ours, 0x11ed);
    assert!(line.contains("group=0x11ed retry=true"), "{line}");
    let (line, ours) = accept(&provider(&Policy::standard()).kx_groups, "default");
    assert_eq!(ours, 0x11ec, "{line}");
}

/// The KEM, KDF and AEAD of each configuration. Go does not support ML-KEM-512 and X448.
const ECH: [(u16, u16, u16); 9] = [
    (0x0020, 1, 1),
    (0x0020, 1, 3),
    (0x0010, 1, 1),
    (0x0011, 2, 2),
    (0x0012, 3, 2),
    (0x0041, 1, 1),
    (0x0050, 1, 1),
    (0x647a, 1, 3),
    (0x647a, 0x11, 2),
];

#[test]
fn go_accepts_our_encrypted_client_hello() {
    let first: [&'static dyn SupportedKxGroup; 2] =
        [&groups::X25519MLKEM768, &groups::SECP384R1MLKEM1024];
    for (kem, kdf, aead) in ECH {
        let suite = SuiteId::new(kem, kdf, aead);
        let key = EchKey::generate(1, PUBLIC, &[suite]).unwrap();
        let (config, private) = (
            HEXLOWER.encode(&key.config),
            HEXLOWER.encode(key.private_key.as_ref()),
        );
        let list = EchConfigListBytes::from(key.config_list());
        let mode = EchMode::from(EchConfig::new(list, &ech::SUITES).unwrap());
        let client = Identity::get().client_with_ech(&first, mode);
        // With a retry the sealer is used twice.
        for (group, retry) in [("0x11ec", false), ("0x11ed", true)] {
            let server = Server::start(&[group, &config, &private]);
            let (_, line, status) = connect(&server, client.clone(), INNER).unwrap();
            assert_eq!(status, EchStatus::Accepted, "{suite}");
            let expected = format!("group={group} retry={retry} ech=true name={INNER}");
            assert_eq!(line.trim(), expected, "{suite}");
        }
    }
}

#[test]
fn another_key_of_the_server_is_a_rejection() {
    let suite = [SuiteId::new(0x647a, 1, 1)];
    let [ours, theirs] = [(); 2].map(|()| EchKey::generate(1, PUBLIC, &suite).unwrap());
    let list = EchConfigListBytes::from(ours.config_list());
    let mode = EchMode::from(EchConfig::new(list, &ech::SUITES).unwrap());
    let client = Identity::get().client_with_ech(&[&groups::X25519MLKEM768], mode);
    let config = HEXLOWER.encode(&theirs.config);
    let private = HEXLOWER.encode(theirs.private_key.as_ref());
    let server = Server::start(&["default", &config, &private]);
    let error = connect(&server, client, INNER).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("ServerRejectedEncryptedClientHello"),
        "{text:.80}"
    );
}
