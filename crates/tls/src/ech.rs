//! Encrypted Client Hello (RFC 9849): suites for rustls' client, and key configurations for a
//! server.
//!
//! ```no_run
//! use pqseal_tls::ech;
//! use rustls::{client::{EchConfig, EchMode}, pki_types::EchConfigListBytes};
//!
//! let list = EchConfigListBytes::from(std::fs::read("example.com.echconfiglist")?);
//! let mode = EchMode::from(EchConfig::new(list, &ech::SUITES)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `ClientConfig::builder_with_provider(..).with_ech(mode)` then hides the server's name. The
//! protection of that name is post-quantum if the server's KEM is.

use std::{fmt, sync::LazyLock};

use getrandom::SysRng;
use pqseal_hpke::{AEADS, Aead, DynKem, KDFS, KemInfo, Secret, Status, Suite, SuiteId};
use rustls::crypto::hpke::Hpke;

pub use crate::rustls_0_23::EchSuite;

/// All suites of a standard or current draft KEM, with each KDF and each AEAD that encrypts, for
/// `EchConfig::new`. They include X-Wing and the other hybrids.
pub static SUITES: LazyLock<Vec<&'static dyn Hpke>> =
    LazyLock::new(|| ALL.iter().map(|suite| suite as &'static dyn Hpke).collect());

static ALL: LazyLock<Vec<EchSuite>> = LazyLock::new(|| kems().flat_map(suites_of).collect());

/// X25519Kyber768Draft00, which has expired.
const EXPIRED: u16 = 0x0030;
/// The version of an ECHConfig (RFC 9849, section 4).
const VERSION: [u8; 2] = [0xfe, 0x0d];

/// A server's key for Encrypted Client Hello, with its configuration.
#[derive(Debug)]
pub struct EchKey {
    /// The ECHConfig (RFC 9849, section 4), which a client needs.
    pub config: Vec<u8>,
    /// The private key, as HPKE's SerializePrivateKey writes it.
    pub private_key: Secret,
    /// The public key, as HPKE's SerializePublicKey writes it.
    pub public_key: Vec<u8>,
}

/// The reason why no key was generated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EchError {
    /// The name is not a host name: 1 to 255 letters, digits, hyphens and dots, and not an IP
    /// address.
    PublicName(String),
    /// The suites are not one or more different suites of the same KEM.
    Suites,
    /// No suite for Encrypted Client Hello has these ids.
    Unsupported(SuiteId),
    /// HPKE failed.
    Hpke(pqseal_hpke::Error),
}

impl EchKey {
    /// Generates a key for a server whose visible name is `public_name`, for clients that support
    /// one of `suites`: one or more, all of the same KEM.
    ///
    /// # Errors
    /// [`EchError`].
    pub fn generate(
        config_id: u8,
        public_name: &str,
        suites: &[SuiteId],
    ) -> Result<Self, EchError> {
        check_public_name(public_name)?;
        for (at, id) in suites.iter().enumerate() {
            find(*id).ok_or(EchError::Unsupported(*id))?;
            if id.kem != suites[0].kem || suites[..at].contains(id) {
                return Err(EchError::Suites);
            }
        }
        let first = suites.first().and_then(|id| find(*id));
        let suite = first.ok_or(EchError::Suites)?;
        let (private, public) = suite.generate_key_pair(&mut SysRng)?;
        let public_key = public.as_ref().to_vec();
        Ok(Self {
            config: config(config_id, public_name, suites, &public_key),
            private_key: suite.kem().serialize_private_key(&private)?,
            public_key,
        })
    }

    /// Returns an ECHConfigList with only this configuration, as clients and HTTPS records in DNS
    /// use it.
    pub fn config_list(&self) -> Vec<u8> {
        vector(&self.config)
    }
}

/// Returns the KEMs for Encrypted Client Hello.
pub fn kems() -> impl Iterator<Item = &'static DynKem> {
    let all = pqseal_hpke::KEMS.iter().chain(pqseal_kem_pq::KEMS).copied();
    all.filter(|kem| {
        let KemInfo { id, status, .. } = *kem.info();
        id != EXPIRED && status != Status::Experimental
    })
}

/// Returns the suite with these ids, if it is in [`SUITES`].
fn find(id: SuiteId) -> Option<&'static Suite> {
    let mut suites = ALL.iter().map(EchSuite::suite);
    suites.find(|suite| suite.id() == id)
}

fn suites_of(kem: &'static DynKem) -> impl Iterator<Item = EchSuite> {
    KDFS.iter().flat_map(move |kdf| {
        // An AEAD without a key is for export only.
        let aeads = AEADS.iter().filter(|aead| aead.info().n_k != 0);
        aeads.map(move |aead| EchSuite(Suite::new(kem, *kdf, aead)))
    })
}

/// Returns an ECHConfig: version, length, then `HpkeKeyConfig key_config; uint8
/// maximum_name_length; opaque public_name<1..255>; ECHConfigExtension extensions<0..2^16-1>`. A
/// maximum of 0 lets the client choose its padding.
fn config(id: u8, public_name: &str, suites: &[SuiteId], public_key: &[u8]) -> Vec<u8> {
    let symmetric: Vec<u8> = suites
        .iter()
        .flat_map(|id| [id.kdf.to_be_bytes(), id.aead.to_be_bytes()].concat())
        .collect();
    let name_length = u8::try_from(public_name.len()).expect("the name was checked");
    let contents = [
        &[id],
        &suites[0].kem.to_be_bytes()[..],
        &vector(public_key),
        &vector(&symmetric),
        &[0, name_length],
        public_name.as_bytes(),
        &[0, 0],
    ];
    [&VERSION[..], &vector(&contents.concat())].concat()
}

/// Returns a vector, with a length of two bytes before it.
fn vector(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("all parts of a configuration are short");
    [&length.to_be_bytes(), bytes].concat()
}

/// Checks a public name (section 4): clients ignore a configuration whose name is not a host name
/// of letters, digits and hyphens, or looks like an IPv4 address.
fn check_public_name(name: &str) -> Result<(), EchError> {
    let mut labels = name.split('.');
    let labels = labels.all(|label| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    });
    let last = name.rsplit('.').next().unwrap_or_default();
    let numeric = last.bytes().all(|b| b.is_ascii_digit())
        || last
            .get(..2)
            .is_some_and(|start| start.eq_ignore_ascii_case("0x"));
    if name.len() <= 255 && labels && !numeric {
        Ok(())
    } else {
        Err(EchError::PublicName(name.into()))
    }
}

impl fmt::Display for EchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PublicName(name) => write!(
                f,
                "{name:?} is not a host name of letters, digits, hyphens and dots"
            ),
            Self::Suites => f.write_str("give one or more different suites of the same KEM"),
            Self::Unsupported(id) => write!(f, "no suite for Encrypted Client Hello has {id}"),
            Self::Hpke(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EchError {}

impl From<pqseal_hpke::Error> for EchError {
    fn from(error: pqseal_hpke::Error) -> Self {
        Self::Hpke(error)
    }
}
