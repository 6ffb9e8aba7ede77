//! The cost of JWE and COSE over HPKE: `cargo bench -p pqseal-formats`, or with `--features
//! aws-lc`.
//!
//! Each line gives the processor time of HPKE's one-shot operation on the plaintext, and that of
//! each format as a ratio to it; the goal is 1.15. For 1 MiB the time of base64 is first subtracted
//! from that of JWE: the cost that JWE's base64 library adds if the caller encodes the sealed
//! bytes, or decodes them before opening. Every candidate wipes the opened plaintext. Content
//! encryption of -KE uses the AES of the suite. Short samples alternate between candidates, since
//! noise comes in waves.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use data_encoding::BASE64URL_NOPAD;
use getrandom::SysRng;
use pqseal_formats::{
    ALGORITHMS, Algorithm, KeyManagement, PrivateKey, PublicKey, algorithm,
    cose::{self, ContentAlgorithm},
    jwe::{self, Enc, Serialization},
};
use pqseal_hpke::Mode;
use rustix::time::{ClockId, clock_gettime};

/// The number of samples of each candidate.
const SAMPLES: usize = 61;
/// The minimum duration of a sample.
const SAMPLE: Duration = Duration::from_millis(2);

/// The candidates, and whether each is a text format.
const CANDIDATES: [(&str, bool); 3] = [
    ("compact JWE", true),
    ("flattened JWE", true),
    ("COSE", false),
];

struct Case {
    hpke: Box<dyn Fn()>,
    hpke_and_base64: Box<dyn Fn()>,
    formats: [Box<dyn Fn()>; CANDIDATES.len()],
}

fn main() {
    if !std::env::args().any(|arg| arg == "--bench") {
        // Under `cargo test --all-targets` one run without measuring is enough.
        return print("HPKE-3", 1 << 10, 1, Duration::ZERO);
    }
    println!("algorithm, size, operation: us of HPKE; {}", names());
    for size in [1 << 10, 1 << 20] {
        for name in [
            "HPKE-0",
            "HPKE-3",
            "HPKE-4",
            "HPKE-9",
            "HPKE-0-KE",
            "HPKE-3-KE",
        ] {
            print(name, size, SAMPLES, SAMPLE);
        }
    }
}

fn names() -> String {
    CANDIDATES.map(|(name, _)| name).join(", ")
}

fn print(name: &str, size: usize, samples: usize, sample: Duration) {
    let alg = algorithm(name).expect("an algorithm of the table");
    for (operation, case) in [("seal", seal(alg, size)), ("open", open(alg, size))] {
        let mut hpke = Vec::new();
        let mut ratios = CANDIDATES.map(|_| Vec::new());
        for _ in 0..samples {
            let [one_shot, both] = [&case.hpke, &case.hpke_and_base64].map(|run| time(run, sample));
            hpke.push(one_shot);
            let candidates = case.formats.iter().zip(CANDIDATES);
            for (ratios, (run, (_, is_text))) in ratios.iter_mut().zip(candidates) {
                let base64 = if is_text && size == 1 << 20 {
                    both - one_shot
                } else {
                    0.0
                };
                ratios.push((time(run, sample) - base64) / one_shot);
            }
        }
        let ratios = ratios.map(|ratios| format!("{:.2}", median(ratios)));
        println!(
            "{name}, {size}, {operation}: {:.1}; {}",
            median(hpke),
            ratios.join(", ")
        );
    }
}

fn pair(alg: Algorithm) -> (PrivateKey, PublicKey) {
    let suite = alg.suite().expect("a suite of this build");
    let (private, public) = suite.generate_key_pair(&mut SysRng).expect("it generates");
    (PrivateKey::new(private), PublicKey::new(public))
}

fn text(size: usize) -> Vec<u8> {
    (0..size).map(|n| n.to_le_bytes()[0]).collect()
}

fn jwe_of(alg: Algorithm, key: &PublicKey, form: Serialization, plain: &[u8]) -> String {
    let recipient = jwe::Recipient::new(alg, key).expect("a key of its KEM");
    let sealer = jwe::Sealer::new(recipient);
    let sealer = match alg.mode() {
        KeyManagement::Integrated => sealer,
        KeyManagement::KeyEncryption => sealer.enc(Enc::A128Gcm),
    };
    let sealed = sealer.seal(form, plain, &mut SysRng);
    sealed.expect("it seals")
}

fn cose_of(alg: Algorithm, key: &PublicKey, plain: &[u8]) -> Vec<u8> {
    let recipient = cose::Recipient::new(alg, key).expect("a key of its KEM");
    let sealer = cose::Sealer::new(recipient);
    let sealer = match alg.mode() {
        KeyManagement::Integrated => sealer,
        KeyManagement::KeyEncryption => sealer.content(ContentAlgorithm::A128Gcm),
    };
    let sealed = sealer.seal(plain, &mut SysRng);
    sealed.expect("it seals")
}

fn seal(alg: Algorithm, size: usize) -> Case {
    let (key, plain) = (Arc::new(pair(alg).1), Arc::new(text(size)));
    let suite = alg.suite().expect("its suite");
    let one_shot = {
        let (key, plain) = (key.clone(), plain.clone());
        move || {
            let sealed = suite.seal(key.key(), b"", Mode::Base, b"", &plain, &mut SysRng);
            sealed.expect("it seals").1
        }
    };
    let jwe = |form| -> Box<dyn Fn()> {
        let (key, plain) = (key.clone(), plain.clone());
        Box::new(move || keep(jwe_of(alg, &key, form, &plain)))
    };
    Case {
        hpke: Box::new({
            let one_shot = one_shot.clone();
            move || keep(one_shot())
        }),
        hpke_and_base64: Box::new(move || keep(BASE64URL_NOPAD.encode(&one_shot()))),
        formats: [
            jwe(Serialization::Compact),
            jwe(Serialization::Flattened),
            Box::new(move || keep(cose_of(alg, &key, &plain))),
        ],
    }
}

fn open(alg: Algorithm, size: usize) -> Case {
    let ((private, public), plain) = (pair(alg), text(size));
    let (suite, private) = (alg.suite().expect("its suite"), Arc::new(private));
    let sealed = suite.seal(public.key(), b"", Mode::Base, b"", &plain, &mut SysRng);
    let (enc, ct) = sealed.expect("it seals");
    let (encoded, message) = (BASE64URL_NOPAD.encode(&ct), cose_of(alg, &public, &plain));
    let one_shot = {
        let private = private.clone();
        move |ct: &[u8]| {
            let opened = suite.open(&enc, private.key(), b"", Mode::Base, b"", ct);
            let mut opened = opened.expect("it opens");
            opened.fill(0);
            keep(opened);
        }
    };
    let jwe = |form| -> Box<dyn Fn()> {
        let (key, text) = (private.clone(), jwe_of(alg, &public, form, &plain));
        Box::new(move || {
            let opened = jwe::Opener::new(ALGORITHMS).key(&key).open(&text);
            keep(opened.expect("it opens"));
        })
    };
    let formats = [
        jwe(Serialization::Compact),
        jwe(Serialization::Flattened),
        Box::new(move || {
            let opened = cose::Opener::new(ALGORITHMS).key(&private).open(&message);
            keep(opened.expect("it opens"));
        }),
    ];
    Case {
        hpke: Box::new({
            let one_shot = one_shot.clone();
            move || one_shot(&ct)
        }),
        hpke_and_base64: Box::new(move || {
            let decoded = BASE64URL_NOPAD.decode(encoded.as_bytes());
            one_shot(&decoded.expect("it decodes"));
        }),
        formats,
    }
}

/// Consumes a result, so that the compiler cannot remove its computation.
fn keep<T>(result: T) {
    let _ = black_box(result);
}

/// Returns the microseconds of one call, averaged over the calls that fit into a sample.
fn time(run: &dyn Fn(), sample: Duration) -> f64 {
    let (start, cpu, mut count) = (Instant::now(), cpu_seconds(), 0_u32);
    loop {
        run();
        count += 1;
        if start.elapsed() >= sample {
            return (cpu_seconds() - cpu) * 1e6 / f64::from(count);
        }
    }
}

/// Returns the processor time of this thread. On a shared machine wall-clock time is not useful.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
