//! The examples of `pqseal jwe` and `pqseal cose`.

use super::Example;

/// `pqseal jwe`
pub const JWE: [Example; 3] = [
    (
        "A key for JOSE",
        "pqseal keygen --form jwk --alg HPKE-9 --kid 2026-11 -o key.jwk > public.jwk",
    ),
    (
        "Encrypt a message",
        "echo hello | pqseal jwe seal --to public.jwk -o message.jwe",
    ),
    ("Decrypt it", "pqseal jwe open -k key.jwk message.jwe"),
];

/// `pqseal jwe seal`
pub const JWE_SEAL: [Example; 3] = [
    (
        "To a key that names its algorithm",
        "pqseal jwe seal --to public.jwk -o message.jwe message.txt",
    ),
    (
        "To an X25519 key, with a type in the header",
        "pqseal jwe seal --to public.pem --alg HPKE-3 --header typ=JWT claims.json",
    ),
    (
        "To two recipients",
        "pqseal jwe seal --to a.jwk --to b.jwk --alg HPKE-9-KE -o message.json message.txt",
    ),
];

/// `pqseal jwe open`
pub const JWE_OPEN: [Example; 3] = [
    (
        "With a key that names its algorithm",
        "pqseal jwe open -k key.jwk message.jwe",
    ),
    (
        "With any other key",
        "pqseal jwe open -k key.pem --alg HPKE-3 message.jwe",
    ),
    (
        "From a pipe, with the header, as JSON",
        "cat message.jwe | pqseal --json jwe open -k key.jwk",
    ),
];

/// `pqseal jwe inspect`
pub const JWE_INSPECT: [Example; 3] = [
    ("A file", "pqseal jwe inspect message.jwe"),
    ("From a pipe", "echo \"$token\" | pqseal jwe inspect"),
    ("As JSON", "pqseal --json jwe inspect message.jwe"),
];

/// `pqseal cose`
pub const COSE: [Example; 3] = [
    (
        "A key for COSE",
        "pqseal keygen --form cose-key --alg HPKE-9 --kid 2026-11 -o key.cose > public.jwk",
    ),
    (
        "Encrypt a message",
        "echo hello | pqseal cose seal --to public.jwk -o message.cose",
    ),
    ("Decrypt it", "pqseal cose open -k key.cose message.cose"),
];

/// `pqseal cose seal`
pub const COSE_SEAL: [Example; 3] = [
    (
        "To a key that names its algorithm",
        "pqseal cose seal --to public.cose -o message.cose message.txt",
    ),
    (
        "With external data, and the ciphertext in a separate file",
        "pqseal cose seal --to public.cose --aad 'device 7' --detached image.enc -o image.cose image.bin",
    ),
    (
        "To two recipients",
        "pqseal cose seal --to a.cose --to b.cose --alg HPKE-9-KE -o message.cose message.txt",
    ),
];

/// `pqseal cose open`
pub const COSE_OPEN: [Example; 3] = [
    (
        "With a key that names its algorithm",
        "pqseal cose open -k key.cose message.cose",
    ),
    (
        "With any other key",
        "pqseal cose open -k key.pem --alg HPKE-3 message.cose",
    ),
    (
        "With external data and a separate ciphertext",
        "pqseal cose open -k key.cose --aad 'device 7' --detached image.enc -o image.bin image.cose",
    ),
];

/// `pqseal cose inspect`
pub const COSE_INSPECT: [Example; 3] = [
    ("A file", "pqseal cose inspect message.cose"),
    ("From a pipe", "cat message.cose | pqseal cose inspect"),
    ("As JSON", "pqseal --json cose inspect message.cose"),
];
