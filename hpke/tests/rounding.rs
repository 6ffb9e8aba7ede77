//! A program of its own: it changes the floating-point mode of threads, which others inherit.
//!
//! Messages are sealed and opened whatever a host program has done to the floating-point mode of
//! its threads: X25519 is computed with doubles where the machine has vectors for it.
#![cfg(all(target_arch = "x86_64", not(miri)))]

#[path = "../../crates/x25519-batch/tests/rounding/mxcsr.rs"]
mod mxcsr;

use backend_from_env as _;
use getrandom::SysRng;
use pqseal_hpke::{
    Aes128Gcm, HkdfSha256, Kem, Mode, Recipient, Sealed, Sender, Suite, X25519HkdfSha256,
};
use pqseal_kem_pq::MlKem768X25519;

const MESSAGES: usize = 64;

/// Both sides of a suite, and messages sealed in the caller's floating-point mode.
struct Sides<K: Kem + 'static> {
    recipient: Recipient<K, HkdfSha256, Aes128Gcm>,
    sender: Sender<'static, K, HkdfSha256, Aes128Gcm>,
    precomputed: Sender<'static, K, HkdfSha256, Aes128Gcm>,
}

impl<K: Kem> Sides<K> {
    fn new(kem: &'static K) -> Self {
        let suite = Suite::new(kem, &HkdfSha256, &Aes128Gcm);
        let (sk, pk) = suite.generate_key_pair(&mut SysRng).unwrap();
        let sender = |pk| Sender::new(suite, pk, b"mode", Mode::Base).unwrap();
        Self {
            recipient: Recipient::new(suite, sk, b"mode", Mode::Base).unwrap(),
            sender: sender(pk.clone()),
            precomputed: sender(pk).precompute(),
        }
    }

    fn seal(&self) -> Vec<(K::Enc, Vec<u8>)> {
        let senders = [&self.sender, &self.precomputed].into_iter().cycle();
        senders
            .take(MESSAGES)
            .map(|sender| sender.seal(b"", b"message", &mut SysRng).unwrap())
            .collect()
    }

    /// Counts the messages that open, one by one and in a batch.
    fn open(&self, messages: &[(K::Enc, Vec<u8>)]) -> [usize; 2] {
        let sealed: Vec<Sealed<'_>> = messages
            .iter()
            .map(|(enc, ct)| Sealed {
                enc: enc.as_ref(),
                aad: b"",
                ct,
            })
            .collect();
        let one = |message: &Sealed<'_>| self.recipient.open(message.enc, b"", message.ct);
        let count = |opened: Vec<Result<Vec<u8>, _>>| {
            let opened = opened.into_iter().flatten();
            opened.filter(|message| message == b"message").count()
        };
        [
            count(sealed.iter().map(one).collect()),
            count(self.recipient.open_batch(&sealed)),
        ]
    }

    fn check(&self) {
        let messages = self.seal();
        for mode in mxcsr::harmless().into_iter().chain(mxcsr::harmful()) {
            let (opened, _) = mxcsr::run_in(mode, || self.open(&messages));
            assert_eq!(opened, [MESSAGES; 2], "MXCSR {mode:04x}");
            let (messages, _) = mxcsr::run_in(mode, || self.seal());
            assert_eq!(
                self.open(&messages),
                [MESSAGES; 2],
                "sealed, MXCSR {mode:04x}"
            );
        }
    }
}

#[test]
fn every_mode_opens_all_messages() {
    Sides::new(&X25519HkdfSha256).check();
    Sides::new(&MlKem768X25519).check();
}

/// Tests threads that inherit a mode, like those of a pool that a host starts in its own mode.
#[test]
fn a_thread_that_inherits_a_mode_opens_all_messages() {
    let sides = Sides::new(&X25519HkdfSha256);
    let messages = sides.seal();
    for mode in mxcsr::harmful() {
        let (opened, _) = mxcsr::run_in(mode, || {
            std::thread::scope(|scope| {
                let thread = scope.spawn(|| (mxcsr::get(), sides.open(&messages)));
                thread.join().expect("the thread ends")
            })
        });
        let (inherited, opened) = opened;
        assert!(inherited == mode || cfg!(not(target_os = "linux")));
        assert_eq!(opened, [MESSAGES; 2], "MXCSR {mode:04x}");
    }
}
