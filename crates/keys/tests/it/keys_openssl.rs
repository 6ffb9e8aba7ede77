//! Key files against the OpenSSL of this machine: its keys are read here, ours there, and both
//! write the same bytes.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::{
    KeyError, KeyFormat, pbes2, public_key, read_private, read_private_der, read_public,
    read_public_der, write_private, write_private_der, write_public, write_public_der,
};

use crate::common;

/// The OpenSSL options that generate a key of a KEM.
const ALGORITHMS: [(&str, &str); 5] = [
    ("x25519", "-algorithm X25519"),
    ("x448", "-algorithm X448"),
    ("p256", "-algorithm EC -pkeyopt ec_paramgen_curve:P-256"),
    ("p384", "-algorithm EC -pkeyopt ec_paramgen_curve:P-384"),
    ("p521", "-algorithm EC -pkeyopt ec_paramgen_curve:P-521"),
];

/// The curves of `openssl ecparam`.
const CURVES: [(&str, &str); 3] = [
    ("p256", "prime256v1"),
    ("p384", "secp384r1"),
    ("p521", "secp521r1"),
];

/// Returns the output of `openssl <arguments>` for `input`.
fn openssl(arguments: &str, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("openssl")
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this test needs the program openssl, version 3: apt-get install openssl, or brew install openssl");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {arguments}: {error}");
    output.stdout
}

fn openssl_text(arguments: &str, input: &[u8]) -> String {
    String::from_utf8(openssl(arguments, input)).unwrap()
}

/// One pair of every KEM that OpenSSL 3.0 knows. Those of ML-KEM are in keys_ml_kem.rs.
fn curves() -> impl Iterator<Item = common::Pair> {
    common::pairs().filter(|key| common::is_curve(key.kem))
}

fn public_of(private: &str) -> (AnyPublicKey, &'static str) {
    let key = public_key(&read_private(private, None).unwrap()).unwrap();
    let name = key.kem().short_name;
    (key, name)
}

#[test]
fn keys_of_openssl_are_read() {
    for (name, algorithm) in ALGORITHMS {
        let private = openssl_text(&format!("genpkey {algorithm}"), b"");
        let public = openssl_text("pkey -pubout", private.as_bytes());
        let (key, found) = public_of(&private);
        assert_eq!(found, name);
        assert_eq!(read_public(&public, None).as_ref(), Ok(&key), "{name}");
        assert_eq!(read_public(&private, None).as_ref(), Ok(&key), "{name}");
        assert_eq!(
            write_public(&key, KeyFormat::Pem).unwrap(),
            public,
            "{name}"
        );
        assert_eq!(
            **write_private(&read_private(&private, None).unwrap(), KeyFormat::Pem).unwrap(),
            private,
            "{name}"
        );
    }
}

#[test]
fn der_of_openssl_is_read() {
    for (name, algorithm) in ALGORITHMS {
        let pem = openssl(&format!("genpkey {algorithm}"), b"");
        let private = openssl("pkcs8 -topk8 -nocrypt -outform DER", &pem);
        let public = openssl("pkey -inform DER -pubout -outform DER", &private);
        let key = read_private_der(&private).unwrap();
        assert_eq!(read_public_der(&public), public_key(&key), "{name}");
        assert_eq!(read_public_der(&private), public_key(&key), "{name}");
        assert_eq!(**write_private_der(&key).unwrap(), private, "{name}");
        assert_eq!(
            write_public_der(&public_key(&key).unwrap()).unwrap(),
            public,
            "{name}"
        );
    }
}

#[test]
fn our_keys_are_read_by_openssl() {
    for key in curves() {
        let private = write_private(&key.private, KeyFormat::Pem).unwrap();
        assert_eq!(openssl_text("pkey", private.as_bytes()), **private);
        assert_eq!(
            openssl_text("pkey -pubout", private.as_bytes()),
            write_public(&key.public, KeyFormat::Pem).unwrap()
        );
        let text = openssl_text("pkey -text -noout", private.as_bytes());
        let digits: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != ':')
            .collect();
        assert!(
            digits.contains(&data_encoding::HEXLOWER.encode(key.public.as_ref())),
            "{text}"
        );
        let der = write_private_der(&key.private).unwrap();
        assert_eq!(
            openssl("pkey -inform DER -pubout -outform DER", &der),
            write_public_der(&key.public).unwrap()
        );
    }
}

#[test]
fn our_public_keys_are_read_by_openssl() {
    for key in curves() {
        let public = write_public(&key.public, KeyFormat::Pem).unwrap();
        assert_eq!(openssl_text("pkey -pubin", public.as_bytes()), public);
        let der = write_public_der(&key.public).unwrap();
        assert_eq!(openssl("pkey -pubin -inform DER -outform DER", &der), der);
    }
}

/// The file has a block of parameters before the key, and the key is SEC 1.
#[test]
fn keys_of_ecparam_are_read() {
    for (name, curve) in CURVES {
        let text = openssl_text(&format!("ecparam -name {curve} -genkey"), b"");
        assert!(
            text.starts_with("-----BEGIN EC PARAMETERS-----")
                && text.contains("-----BEGIN EC PRIVATE KEY-----")
        );
        let (key, found) = public_of(&text);
        assert_eq!(found, name);
        assert_eq!(
            openssl_text("pkey -pubout", text.as_bytes()),
            write_public(&key, KeyFormat::Pem).unwrap()
        );
        let der = openssl("ec -outform DER", text.as_bytes());
        assert_eq!(
            public_key(&read_private_der(&der).unwrap()).as_ref(),
            Ok(&key),
            "SEC 1 DER"
        );
        let alone = openssl_text("ec -no_public", text.as_bytes());
        assert!(alone.len() < text.len());
        assert_eq!(public_of(&alone).0, key, "without the public key");
        let parameters = openssl_text(&format!("ecparam -name {curve}"), b"");
        assert_eq!(read_private(&parameters, None).err(), Some(KeyError::Pem));
    }
}

#[test]
fn text_around_the_block_is_passed_over() {
    for (name, algorithm) in ALGORITHMS {
        let after = openssl_text(&format!("genpkey {algorithm} -text"), b"");
        let (key, found) = public_of(&after);
        assert_eq!(found, name);
        let start = after.find("-----BEGIN").unwrap();
        let before = format!(
            "Bag Attributes\r\n    friendlyName: a {{key}}\r\n{}",
            after[start..].replace('\n', "\r\n")
        );
        assert_eq!(public_of(&before).0, key, "{name}, CRLF");
        let indented = after.replace('\n', "\n    ");
        assert_eq!(public_of(&indented).0, key, "{name}, indented");
    }
}

/// The public key read is that of the private key read, regardless of other contents of the file
/// and their order.
#[test]
fn of_several_blocks_the_private_key_counts() {
    let [a, b] = [1, 2].map(|number| common::pair(common::kem("x25519"), number));
    let private = write_private(&a.private, KeyFormat::Pem).unwrap();
    let public = write_public(&b.public, KeyFormat::Pem).unwrap();
    for text in [
        format!("{public}{}", *private),
        format!("{}{public}", *private),
    ] {
        assert_eq!(public_of(&text).0, a.public);
        assert_eq!(read_public(&text, None).as_ref(), Ok(&a.public));
    }
}

#[test]
fn encrypted_keys_are_reported() {
    let ec = openssl(
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256",
        b"",
    );
    let pkcs8 = openssl_text("pkcs8 -topk8 -v2 aes256 -passout pass:secret", &ec);
    let legacy = openssl_text("ec -aes256 -passout pass:secret", &ec);
    assert!(legacy.contains("Proc-Type") && pkcs8.contains("ENCRYPTED PRIVATE KEY"));
    for text in [pkcs8, legacy] {
        assert_eq!(read_private(&text, None).err(), Some(KeyError::Encrypted));
        assert_eq!(read_public(&text, None).err(), Some(KeyError::Encrypted));
    }
    let der = openssl(
        "pkcs8 -topk8 -v2 aes256 -passout pass:secret -outform DER",
        &ec,
    );
    assert_eq!(read_private_der(&der).err(), Some(KeyError::Encrypted));
}

/// PBKDF2 with HMAC-SHA1 is written without the name of the function, since it is the default (RFC
/// 8018, appendix A.2).
#[test]
fn encrypted_keys_are_decrypted_whatever_their_hash_function() {
    let key = openssl("genpkey -algorithm X25519", b"");
    let expected = public_of(&String::from_utf8(key.clone()).unwrap()).0;
    let passphrase = || Ok::<_, pbes2::Error>("secret".to_owned().into());
    for prf in ["SHA1", "SHA256", "SHA384", "SHA512"] {
        for cipher in ["aes-128-cbc", "aes-256-cbc"] {
            let arguments =
                format!("pkcs8 -topk8 -v2 {cipher} -v2prf hmacWith{prf} -passout pass:secret");
            let plain = pbes2::decrypt(openssl(&arguments, &key), passphrase).unwrap();
            assert_eq!(
                read_public(&*plain, None),
                Ok(expected.clone()),
                "{arguments}"
            );
        }
    }
    let des = openssl("pkcs8 -topk8 -v2 des3 -passout pass:secret", &key);
    let refused = pbes2::decrypt(des, passphrase);
    assert_eq!(refused.err(), Some(pbes2::Error::Unsupported));
}

#[test]
fn keys_that_are_not_for_hpke_are_refused() {
    for algorithm in [
        "-algorithm ED25519",
        "-algorithm ED448",
        "-algorithm EC -pkeyopt ec_paramgen_curve:secp256k1",
    ] {
        let private = openssl_text(&format!("genpkey {algorithm}"), b"");
        assert_eq!(
            read_private(&private, None).err(),
            Some(KeyError::UnknownKem),
            "{algorithm}"
        );
        let public = openssl_text("pkey -pubout", private.as_bytes());
        assert_eq!(
            read_public(&public, None).err(),
            Some(KeyError::UnknownKem),
            "{algorithm}"
        );
    }
    let sec1 = openssl_text("ecparam -name secp256k1 -genkey -noout", b"");
    assert_eq!(read_private(&sec1, None).err(), Some(KeyError::UnknownKem));
}

/// Curves given by their equation are not read.
#[test]
fn curves_given_by_their_equation_are_refused() {
    let ec = openssl(
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256",
        b"",
    );
    let explicit = openssl_text("ec -param_enc explicit", &ec);
    assert_eq!(read_private(&explicit, None).err(), Some(KeyError::Der));
}

/// The command in the error writes the key that is read, in text and in DER.
#[test]
fn compressed_points_are_refused_with_the_command_that_converts_them() {
    for (name, curve) in CURVES {
        let private = openssl(&format!("ecparam -name {curve} -genkey -noout"), b"");
        let text = openssl("ec -pubout -conv_form compressed", &private);
        let der = openssl("ec -pubout -conv_form compressed -outform DER", &private);
        let error = read_public(&text, None).unwrap_err().to_string();
        assert!(error.contains("its point is compressed"), "{name}: {error}");
        assert_eq!(read_public_der(&der).unwrap_err().to_string(), error);
        let command = error.split('`').nth(1).unwrap();
        let command = command
            .trim_start_matches("openssl ")
            .replace("-in FILE", "")
            .replace("-out FILE2", "");
        let expected = public_of(std::str::from_utf8(&private).unwrap()).0;
        for compressed in [text, der] {
            let converted = openssl(&command, &compressed);
            assert_eq!(read_public(converted, None), Ok(expected.clone()), "{name}");
        }
    }
}

#[test]
fn a_public_key_of_another_pair_within_is_refused() {
    for (name, curve) in CURVES {
        let der = openssl(
            &format!("ecparam -name {curve} -genkey -noout -outform DER"),
            b"",
        );
        let other = openssl(
            &format!("ecparam -name {curve} -genkey -noout -outform DER"),
            b"",
        );
        let n_pk = common::kem(name).info().n_pk;
        let mixed = [&der[..der.len() - n_pk], &other[other.len() - n_pk..]].concat();
        assert_eq!(
            read_private_der(&mixed).err(),
            Some(KeyError::Mismatch),
            "SEC 1"
        );
        let pkcs8 = write_private_der(&read_private_der(&der).unwrap()).unwrap();
        let mixed = [&pkcs8[..pkcs8.len() - n_pk], &other[other.len() - n_pk..]].concat();
        assert_eq!(
            read_private_der(&mixed).err(),
            Some(KeyError::Mismatch),
            "PKCS#8"
        );
        assert_eq!(
            read_public_der(&mixed).err(),
            Some(KeyError::Mismatch),
            "PKCS#8"
        );
    }
}

/// PKCS#8 may name the curve within as well: it has to be the same one.
#[test]
fn another_curve_within_is_refused() {
    let mut sec1 = openssl("ecparam -name prime256v1 -genkey -noout -outform DER", b"");
    let header = "308193020100301306072a8648ce3d020106082a8648ce3d0301070479";
    let header = data_encoding::HEXLOWER.decode(header.as_bytes()).unwrap();
    let key = read_private_der(&sec1).unwrap();
    assert_eq!(
        read_public_der(&[&header[..], &sec1].concat()),
        public_key(&key)
    );
    let prime256v1 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
    let place = sec1
        .windows(8)
        .position(|bytes| bytes == prime256v1)
        .unwrap();
    sec1[place + 7] = 0x06;
    assert_eq!(
        read_private_der(&[&header[..], &sec1].concat()).err(),
        Some(KeyError::Der)
    );
    assert_eq!(read_private_der(&sec1).err(), Some(KeyError::UnknownKem));
}
