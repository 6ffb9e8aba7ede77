//! A program of its own: its allocator counts bytes, and inspects freed memory.
//!
//! The memory cost of hostile messages, and the wiping of refused keys and opened requests.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use backend_from_env as _;
use getrandom::SysRng;
use pqseal_formats::{
    ALGORITHMS, Error, algorithm, cose_key,
    jwe::{self, MAX_HEADER, MAX_MEMBERS, MAX_RECIPIENTS},
    ohttp::{AES_128_GCM, Client, Gateway},
};
use pqseal_hpke::Policy;

/// An allocator that counts allocated bytes, and looks for [`SECRET`] in freed memory.
struct Observed;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static FOUND: AtomicUsize = AtomicUsize::new(0);
/// One test at a time.
static TURN: Mutex<()> = Mutex::new(());
/// The bytes that freed memory must not contain.
const SECRET: [u8; 24] = *b"wiped before it is freed";

// SAFETY: every call goes to the system's allocator with the same arguments.
unsafe impl GlobalAlloc for Observed {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: as the caller promises. Zeroed, so that all of it may be read when it is freed.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the block is still the caller's, and was initialized when it was allocated.
        let bytes = unsafe { std::slice::from_raw_parts(start, layout.size()) };
        let found = bytes.windows(SECRET.len()).any(|window| window == SECRET);
        FOUND.fetch_add(usize::from(found), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static OBSERVED: Observed = Observed;

/// The most bytes that `run` has allocated at once.
fn peak(run: impl FnOnce()) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    run();
    PEAK.load(Relaxed) - before
}

/// Counts the blocks freed by `run` that contain the secret.
fn freed_with_the_secret(run: impl FnOnce()) -> usize {
    let before = FOUND.load(Relaxed);
    run();
    FOUND.load(Relaxed) - before
}

/// Each of 256 recipients has the shared header in its own: the longest one that is read, with the
/// most values.
#[test]
fn shared_headers_are_not_copied_for_each_recipient() {
    let _turn = TURN.lock();
    let array = format!("[{}0]", "0,".repeat(MAX_MEMBERS - 1));
    let count = MAX_HEADER / (array.len() + 7);
    let members: Vec<String> = (0..count).map(|n| format!("\"{n}\":{array}")).collect();
    let text = format!(
        r#"{{"unprotected":{{{}}},"recipients":[{}],"ciphertext":""}}"#,
        members.join(","),
        vec!["{}"; MAX_RECIPIENTS].join(",")
    );
    let peak = peak(|| {
        assert_eq!(jwe::inspect(&text).unwrap().1.len(), MAX_RECIPIENTS);
    });
    assert!(peak < 6 << 20, "{peak} bytes for {}", text.len());
}

/// A refused COSE_Key leaves no copy of its private key.
#[test]
fn refused_cose_keys_are_not_copied() {
    let _turn = TURN.lock();
    let secret: [u8; 32] = [&SECRET[..], &[1; 8]].concat().try_into().unwrap();
    let head = [0x01, 0x01, 0x20, 0x04, 0x23, 0x58, 0x20];
    let key = |count: u8, more: &[u8]| [&[0xa0 + count], &head[..], &secret, more].concat();
    for bytes in [
        key(3, &[0]),
        key(4, &[0x01, 0x01]),
        key(4, &[0xf5, 0x01]),
        key(3, &[]),
        [&[0x81], &key(3, &[])[..]].concat(),
    ] {
        let read = || {
            let error = cose_key::private_key(&bytes, ALGORITHMS).unwrap_err();
            assert!(matches!(error, Error::Key(_)), "{error:?}");
        };
        assert_eq!(freed_with_the_secret(read), 0, "{bytes:x?}");
    }
    // That it would be seen.
    assert_eq!(freed_with_the_secret(|| drop(key(3, &[]))), 1);
}

#[test]
fn opened_plaintexts_are_wiped() {
    let _turn = TURN.lock();
    let policy = Policy::draft();
    let kem = algorithm("HPKE-3").unwrap().kem().unwrap();
    let (private, _) = pqseal_keys::generate(kem, &policy, &mut SysRng).unwrap();
    let gateway = Gateway::new();
    let gateway = gateway.key(1, private, &[AES_128_GCM], &policy).unwrap();
    let configs: Vec<_> = gateway.configs().cloned().collect();
    let client = Client::new(&configs, &policy).unwrap();
    let (request, opener) = client.encapsulate(&SECRET, &mut SysRng).unwrap();
    let response = gateway.decapsulate(&request).unwrap().1;
    let response = response.seal(&SECRET, &mut SysRng).unwrap();
    let (mut sealer, _) = client.chunked(&mut SysRng).unwrap();
    let chunks = [(); 3].map(|()| sealer.seal(&SECRET).unwrap()).concat();
    let last = sealer.finish(&SECRET).unwrap();

    let found = freed_with_the_secret(|| {
        assert_eq!(gateway.decapsulate(&request).unwrap().0, SECRET);
        assert_eq!(opener.open(&response).unwrap(), SECRET);
        let mut opening = gateway.chunked();
        assert_eq!(opening.open(&chunks).unwrap(), SECRET.repeat(3));
        assert_eq!(opening.open(&last).unwrap(), b"");
        assert_eq!(opening.finish().unwrap(), SECRET);
    });
    // What it is compared with.
    assert_eq!(found, 1);
}
