//! The text files of CCTV's ML-KEM folder, and two others of the same format: `name = hex` lines,
//! or only hex.

use crate::sources::{Source, Sources, set};
use crate::{Output, Result};
use data_encoding::HEXLOWER;
use serde::Serialize;
use test_vectors::{
    AccumulatedVector, DecapsVector, EncapsVector, NonCanonicalKeys, ParameterSet, Verdict, sha256,
};

/// The modulus q of ML-KEM.
const MODULUS: u16 = 3329;

/// The names in file names, and our parameter sets.
const SETS: [(&str, ParameterSet); 3] = [
    ("ML-KEM-512", ParameterSet::MlKem512),
    ("ML-KEM-768", ParameterSet::MlKem768),
    ("ML-KEM-1024", ParameterSet::MlKem1024),
];

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    Ok(vec![
        modulus(sources)?,
        encaps(sources)?,
        decaps(sources)?,
        invalid_dk(sources)?,
        accumulated(sources)?,
    ])
}

fn modulus(sources: &Sources) -> Result<Output> {
    let note = "775, 780 and 1,040 keys, kept as differences: each is ek with one coefficient replaced by a value from q to 4,095. \
        NonCanonicalKeys::keys gives them whole; checked at import. ek itself is not in the source: it is what they have in common.";
    over_sets(
        sources,
        &["modulus"],
        ".txt.gz",
        "cctv-ml-kem-modulus",
        note,
        |source, set, _| bad_keys(source, set),
    )
}

fn encaps(sources: &Sources) -> Result<Output> {
    let note = "From ek on: the source's step from the seed to the key predates the final FIPS 203. c is kept as SHA-256, the \
        intermediate values are left out.";
    over_sets(
        sources,
        &["intermediate", "unluckysample"],
        ".txt",
        "cctv-ml-kem-encaps",
        note,
        |source, set, folder| {
            Ok(EncapsVector {
                parameter_set: set,
                id: 0,
                comment: folder.to_owned(),
                ek: field(source, "ek")?,
                m: field(source, "m")?,
                c_sha256: sha256(&field(source, "c")?).to_vec(),
                k: field(source, "K")?,
                result: Verdict::Valid,
            })
        },
    )
}

fn decaps(sources: &Sources) -> Result<Output> {
    let note = "From dk on: the source's step from the seed to the key predates the final FIPS 203. In strcmp the ciphertexts compared \
        are equal up to a zero byte: k is the secret of the rejection.";
    let folders = ["intermediate", "unluckysample", "strcmp"];
    over_sets(
        sources,
        &folders,
        ".txt",
        "cctv-ml-kem-decaps",
        note,
        |source, set, folder| {
            Ok(DecapsVector {
                parameter_set: set,
                id: 0,
                comment: folder.to_owned(),
                seed: None,
                dk: Some(field(source, "dk")?),
                c: field(source, "c")?,
                k: field(source, "K")?,
                result: Verdict::Valid,
            })
        },
    )
}

/// Makes one set over folders and parameter sets, with one entry per file.
fn over_sets<T: Serialize>(
    sources: &Sources,
    folders: &[&str],
    ending: &str,
    name: &str,
    note: &str,
    entry: impl Fn(&Source, ParameterSet, &str) -> Result<T>,
) -> Result<Output> {
    let (mut files, mut entries) = (Vec::new(), Vec::new());
    for folder in folders {
        for (number, parameter_set) in SETS {
            let source = sources.file(&format!("cctv/ML-KEM/{folder}/{number}{ending}"))?;
            entries.push(entry(&source, parameter_set, folder)?);
            files.push(source);
        }
    }
    Output::new(&set(&files.iter().collect::<Vec<_>>(), name, note, entries))
}

fn invalid_dk(sources: &Sources) -> Result<Output> {
    let (mut files, mut entries) = (Vec::new(), Vec::new());
    for (number, parameter_set) in SETS {
        let source = sources.file(&format!(
            "libcrux/invalid_dk-{}.txt",
            number.trim_start_matches("ML-KEM-")
        ))?;
        let lines: Vec<Vec<u8>> = source
            .text()
            .lines()
            .map(|line| hex(&source, line))
            .collect::<Result<_>>()?;
        let [dk, c] = lines
            .try_into()
            .map_err(|_| source.error("not a line dk and a line c"))?;
        let comment = "H(ek) in dk is wrong".to_owned();
        let result = Verdict::Invalid;
        entries.push(DecapsVector {
            parameter_set,
            id: 0,
            comment,
            seed: None,
            dk: Some(dk),
            c,
            k: Vec::new(),
            result,
        });
        files.push(source);
    }
    let note = "A line with dk and one with a ciphertext for each parameter set; the key must be refused, so k is empty.";
    Output::new(&set(
        &files.iter().collect::<Vec<_>>(),
        "libcrux-ml-kem-invalid-dk",
        note,
        entries,
    ))
}

/// Reads lines of name, rounds, and two values with their titles. The value in Go's format is kept.
fn accumulated(sources: &Sources) -> Result<Output> {
    let source = sources.file("cctv/accumulated-final-fips203.txt")?;
    let mut entries = Vec::new();
    for line in source.text().lines() {
        let [name, rounds, _, _, "go-format", outputs] = line.split(' ').collect::<Vec<_>>()[..]
        else {
            return Err(source.error(format!("not six fields: {line}")));
        };
        let parameter_set = SETS
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| source.error(name))?
            .1;
        let origin = match parameter_set {
            ParameterSet::MlKem768 => "Go 1.26, src/crypto/mlkem/mlkem_test.go, TestAccumulated",
            _ => "Go's TestAccumulated with another parameter set",
        };
        let (rounds, outputs) = (rounds.parse()?, hex(&source, outputs)?);
        entries.push(AccumulatedVector {
            parameter_set,
            rounds,
            outputs,
            origin: origin.to_owned(),
        });
    }
    let note = "The procedure is CCTV's without dk among the outputs, as Go has it. CCTV's own values predate the final FIPS 203.";
    Output::new(&source.set("ml-kem-accumulated", note, entries))
}

/// Returns the value of the line `name = value`.
fn field(source: &Source, name: &str) -> Result<Vec<u8>> {
    let mut lines = source
        .text()
        .lines()
        .filter_map(|line| line.split_once(" = "));
    let (_, value) = lines
        .find(|(found, _)| *found == name)
        .ok_or_else(|| source.error(format!("no {name}")))?;
    hex(source, value)
}

fn hex(source: &Source, text: &str) -> Result<Vec<u8>> {
    HEXLOWER
        .decode(text.as_bytes())
        .map_err(|error| source.error(error))
}

/// Reads the keys of a file, which differ only in one coefficient each.
fn bad_keys(source: &Source, parameter_set: ParameterSet) -> Result<NonCanonicalKeys> {
    let keys: Vec<Vec<u8>> = source
        .text()
        .lines()
        .map(|line| hex(source, line))
        .collect::<Result<_>>()?;
    source.expect_count(keys.len())?;
    let bad: Vec<(u16, u16)> = keys.iter().map(|key| over_modulus(key)).collect();
    let ek = valid_key(&keys, &bad);
    let entry = NonCanonicalKeys {
        parameter_set,
        ek,
        bad,
    };
    if entry.keys().ne(keys) {
        return Err(source.error("the keys differ in more than one coefficient"));
    }
    Ok(entry)
}

/// Returns the first coefficient that is not below q, with its index. The seed follows the
/// coefficients, at indices beyond the valid ones.
fn over_modulus(ek: &[u8]) -> (u16, u16) {
    let pairs = ek.chunks_exact(3).flat_map(|b| {
        [
            u16::from_le_bytes([b[0], b[1] & 0x0f]),
            u16::from_le_bytes([b[1] >> 4 | b[2] << 4, b[2] >> 4]),
        ]
    });
    (0..)
        .zip(pairs)
        .find(|(_, value)| *value >= MODULUS)
        .unwrap_or_default()
}

/// Returns the first key with its bad coefficient taken from the first key in which another one is
/// bad. Three bytes hold two coefficients.
fn valid_key(keys: &[Vec<u8>], bad: &[(u16, u16)]) -> Vec<u8> {
    let pair = bad[0].0 / 2;
    let Some(other) = bad.iter().position(|(index, _)| index / 2 != pair) else {
        return Vec::new();
    };
    let (mut ek, at) = (keys[0].clone(), usize::from(pair) * 3);
    ek[at..at + 3].copy_from_slice(&keys[other][at..at + 3]);
    ek
}
