//! A private key behind a command: a helper process that takes encapsulated keys and returns shared
//! secrets, so that the private key never enters this process. The key may be in a hardware token,
//! a cloud service or another user's files.
//!
//! The protocol is lines of text, described in full in `docs/hardware-keys.md`:
//!
//! ```text
//! helper    pqseal-decap 1 0x0010 BHx3...          version, KEM id, public key
//! pqseal    decap 0 BAk1...                        id, encapsulated key
//! pqseal    decap 1 BPq7...
//! pqseal    end                                    of a batch
//! helper    secret 1 mK3v...                       id, shared secret; in any order
//! helper    invalid 0                              or `error 0 TEXT`
//! ```
//!
//! [`serve`] is the helper's side. A helper that breaks the protocol, ends or does not answer in
//! time is stopped. From then on each use of the key fails with
//! [`pqseal_hpke::Error::KeyUnavailable`], and [`DecapCommand::failure`] returns the reason.

mod connection;
mod error;
mod lines;
mod protocol;
mod serve;

use std::{process::Command, sync::Arc, time::Duration};

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, Decapsulator, Secret, SharedSecret, SharedSecrets};

pub use error::Failure;
pub use serve::serve;

use crate::SysRng;
use connection::Connection;

/// A running helper.
///
/// ```no_run
/// use std::{process::Command, time::Duration};
///
/// use pqseal_keys::decap_command::DecapCommand;
///
/// let mut command = Command::new("pkcs11-helper");
/// command.args(["--label", "logs"]);
/// let helper = DecapCommand::start(command, Duration::from_secs(60))?;
/// let key = helper.private_key(); // for a key ring, or any suite of its KEM
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DecapCommand {
    public: AnyPublicKey,
    connection: Arc<Connection>,
}

impl DecapCommand {
    /// Starts the helper, reads its first line, and has it decapsulate an encapsulated key that is
    /// made here, so that a helper whose private key does not match its public key is refused.
    ///
    /// `timeout` is how long the helper may be silent: until its first line, and while requests are
    /// open. The helper shares the standard error of this process.
    ///
    /// # Errors
    /// The reason why the helper is unusable. The helper is then stopped.
    pub fn start(command: Command, timeout: Duration) -> Result<Self, Arc<Failure>> {
        let (connection, hello) = Connection::open(command, timeout)?;
        let helper = Self {
            public: hello.public_key,
            connection: Arc::new(connection),
        };
        helper.check_key()?;
        Ok(helper)
    }

    /// Returns the key. It keeps the helper running; clones share it.
    pub fn private_key(&self) -> AnyPrivateKey {
        AnyPrivateKey::external(self.public.clone(), self.connection.clone())
    }

    /// Returns the public key that the helper named.
    pub const fn public_key(&self) -> &AnyPublicKey {
        &self.public
    }

    /// Returns the reason why the helper was stopped, if it was.
    pub fn failure(&self) -> Option<Arc<Failure>> {
        self.connection.failure()
    }

    fn check_key(&self) -> Result<(), Arc<Failure>> {
        let kem = crate::kem_by_id(self.public.kem().id).expect("the KEM was found by its id");
        let (ours, enc) = encap(kem, &self.public).map_err(|error| Arc::new(error.into()))?;
        match self.connection.decap(&enc) {
            Ok(theirs) if theirs == ours => Ok(()),
            _ => Err(self.connection.give_up(Failure::WrongKey)),
        }
    }
}

/// Encapsulates a fresh shared secret for `public`.
fn encap(
    kem: &pqseal_hpke::DynKem,
    public: &AnyPublicKey,
) -> Result<(SharedSecret, Vec<u8>), pqseal_hpke::Error> {
    use pqseal_hpke::rand_core::TryRng;
    let mut randomness = Secret::new(vec![0; kem.info().n_random]);
    SysRng
        .try_fill_bytes(randomness.as_mut())
        .map_err(|_| pqseal_hpke::Error::Rng)?;
    kem.encap(public, randomness.as_ref())
}

impl Decapsulator for Connection {
    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, pqseal_hpke::Error> {
        let answers = self.ask(&[enc]);
        answers[0]
            .as_ref()
            .map(|secret| SharedSecret::from_slice(secret.as_ref()))
            .map_err(|error| *error)
    }

    fn decap_batch(&self, encs: &[&[u8]]) -> SharedSecrets {
        self.ask(encs)
    }
}
