//! Private keys under a passphrase in PKCS#8: the DER of one key, and PEM with any text around it.

use data_encoding::BASE64;
use pqseal_keys::pbes2;
use zeroize::Zeroizing;

/// The passphrase of every seed.
const PASSPHRASE: &str = "correct horse";

const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";

/// The reason why decryption stopped: the passphrase was requested, or the text was refused.
enum Stopped {
    Asked,
    Failed,
}

impl From<pbes2::Error> for Stopped {
    fn from(_: pbes2::Error) -> Self {
        Self::Failed
    }
}

/// Checks that opening puts a key in the place of each block, and leaves no block.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        check_text(text);
    }
    let block = format!("{BEGIN}\n{}\n{END}", BASE64.encode(bytes));
    let text = format!("before\n{block}\nafter");
    if check_text(&text) && is_cheap(bytes) {
        check_opened(&text);
    }
}

/// Reports whether a passphrase is requested, which only happens for text with such a block.
fn check_text(text: &str) -> bool {
    let asked = matches!(
        pbes2::decrypt(text, || Err(Stopped::Asked)),
        Err(Stopped::Asked)
    );
    assert!(!asked || pbes2::is_in(text.as_bytes()));
    asked
}

fn check_opened(text: &str) {
    let passphrase = || Ok::<_, pbes2::Error>(Zeroizing::new(PASSPHRASE.to_owned()));
    let Ok(opened) = pbes2::decrypt(text, passphrase) else {
        return;
    };
    assert!(opened.starts_with(b"before\n-----BEGIN PRIVATE KEY-----\n"));
    assert!(opened.ends_with(b"-----END PRIVATE KEY-----\nafter"));
    assert!(!pbes2::is_in(&opened));
}

/// Reports whether no INTEGER seems to have more than a byte. Such numbers may be iteration counts,
/// which take seconds. The same bytes after f7 0d are the end of a hash function's identifier.
fn is_cheap(der: &[u8]) -> bool {
    !der.windows(4)
        .any(|bytes| matches!(bytes, [_, _, 0x02, 2..=9]) && !matches!(bytes, [0xf7, 0x0d, ..]))
}

/// Returns a key under a passphrase, as text. `seeds/pkcs8` has DER with small numbers.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let text = pbes2::encrypt(&[0x30, 3, 2, 1, 5], PASSPHRASE).expect("random numbers");
    vec![text.into_bytes()]
}
