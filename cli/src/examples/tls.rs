//! The examples of `pqseal tls`.

use super::Example;

/// `pqseal tls`
pub const TLS: [Example; 3] = [
    ("The groups of a server", "pqseal tls probe example.com"),
    (
        "Whether it is post-quantum, for a script",
        "pqseal --json tls probe example.com:8443",
    ),
    (
        "A key for Encrypted Client Hello",
        "pqseal tls ech-keygen --public-name example.com -o ech.pem",
    ),
];

/// `pqseal tls probe`
pub const TLS_PROBE: [Example; 3] = [
    ("All groups of a server", "pqseal tls probe example.com"),
    (
        "Two groups only",
        "pqseal tls probe --groups X25519MLKEM768,X25519 example.com",
    ),
    (
        "By address, with another name",
        "pqseal tls probe --server-name example.com 192.0.2.1:443",
    ),
];

/// `pqseal tls ech-keygen`
pub const TLS_ECH_KEYGEN: [Example; 3] = [
    (
        "A key, and its ECHConfigList for DNS",
        "pqseal tls ech-keygen --public-name example.com -o ech.pem",
    ),
    (
        "The next key, with another number",
        "pqseal tls ech-keygen --public-name example.com --config-id 1 -o next.pem",
    ),
    (
        "With a post-quantum KEM",
        "pqseal tls ech-keygen --public-name example.com --kem mlkem768-x25519 -o ech.key",
    ),
];
