//! A suite from three ids, a context with a pre-shared key, and an export.
//!
//! `cargo run -p pqseal-hpke --example agile 0x0020 0x0001 0x0003`

use pqseal_hpke::{Error, KEMS, Mode, Policy, Psk, Suite, SuiteId, SysRng};

fn main() -> Result<(), Error> {
    let ids: Vec<u16> = std::env::args().skip(1).map(|id| parse(&id)).collect();
    let [kem, kdf, aead] = ids[..] else {
        panic!("give three ids: KEM KDF AEAD")
    };
    let suite = Suite::from_id(&[KEMS], SuiteId::new(kem, kdf, aead), &Policy::draft())?;
    println!("{suite:?}");

    let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
    let psk = Psk::new(b"thirty-two bytes of random data!", b"fleet key 3")?;

    let (enc, mut sender) = suite.setup_s(&pk, b"example", Mode::Psk(psk), &mut SysRng)?;
    let ct = sender.seal(b"event 7", b"GET /admin")?;

    let mut recipient = suite.setup_r(&enc, &sk, b"example", Mode::Psk(psk))?;
    let pt = recipient.open(b"event 7", &ct)?;
    println!("{}", String::from_utf8_lossy(&pt));

    let ours = sender.export(b"session key", 32)?;
    let theirs = recipient.export(b"session key", 32)?;
    println!("exported secrets are equal: {}", ours == theirs);
    Ok(())
}

fn parse(id: &str) -> u16 {
    u16::from_str_radix(id.trim_start_matches("0x"), 16)
        .expect("an id is hexadecimal, such as 0x0020")
}
