//! NIST's ACVP files: the prompts in one, the expected results in another, joined by `tcId`.

use crate::sources::{Source, Sources, set};
use crate::{Output, Result};
use data_encoding::HEXUPPER;
use serde::Deserialize;
use std::collections::HashMap;
use test_vectors::{
    DecapsVector, EncapsVector, KeyCheckVector, KeyGenVector, ParameterSet, Verdict, sha256,
};

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    let mut outputs = vec![key_gen(sources)?];
    outputs.extend(encap_decap(sources)?);
    Ok(outputs)
}

fn key_gen(sources: &Sources) -> Result<Output> {
    let files = Files::open(
        sources,
        "keyGen-prompt.json",
        "keyGen-expectedResults.json.gz",
    )?;
    let note = "ek is kept as SHA-256; it is part of dk. seed is the source's d || z.";
    let vectors = files.tests.iter().map(|test| {
        Ok(KeyGenVector {
            parameter_set: test.parameter_set,
            id: test.id,
            seed: [test.prompt("d")?, test.prompt("z")?].concat(),
            ek_sha256: sha256(&test.result("ek")?).to_vec(),
            dk: Some(test.result("dk")?),
        })
    });
    Output::new(&files.set("acvp-ml-kem-key-gen", note, vectors.collect::<Result<_>>()?))
}

fn encap_decap(sources: &Sources) -> Result<Vec<Output>> {
    let files = Files::open(
        sources,
        "encapDecap-prompt.json.gz",
        "encapDecap-expectedResults.json",
    )?;
    let encaps = files
        .of("encapsulation")
        .map(encaps)
        .collect::<Result<_>>()?;
    let decaps = files
        .of("decapsulation")
        .map(decaps)
        .collect::<Result<_>>()?;
    let ek_check = files
        .of("encapsulationKeyCheck")
        .map(|test| key_check(test, "ek"))
        .collect::<Result<_>>()?;
    let dk_check = files
        .of("decapsulationKeyCheck")
        .map(|test| key_check(test, "dk"))
        .collect::<Result<_>>()?;
    let note =
        |what| format!("The source's tests of the function {what}; its 165 tests make four sets.");
    Ok(vec![
        Output::new(&files.set(
            "acvp-ml-kem-encaps",
            &(note("encapsulation") + " c is kept as SHA-256."),
            encaps,
        ))?,
        Output::new(&files.set("acvp-ml-kem-decaps", &note("decapsulation"), decaps))?,
        Output::new(&files.set(
            "acvp-ml-kem-ek-check",
            &note("encapsulationKeyCheck"),
            ek_check,
        ))?,
        Output::new(&files.set(
            "acvp-ml-kem-dk-check",
            &note("decapsulationKeyCheck"),
            dk_check,
        ))?,
    ])
}

fn encaps(test: &Test) -> Result<EncapsVector> {
    Ok(EncapsVector {
        parameter_set: test.parameter_set,
        id: test.id,
        comment: String::new(),
        ek: test.prompt("ek")?,
        m: test.prompt("m")?,
        c_sha256: sha256(&test.result("c")?).to_vec(),
        k: test.result("k")?,
        result: Verdict::Valid,
    })
}

fn decaps(test: &Test) -> Result<DecapsVector> {
    Ok(DecapsVector {
        parameter_set: test.parameter_set,
        id: test.id,
        comment: String::new(),
        seed: None,
        dk: Some(test.prompt("dk")?),
        c: test.prompt("c")?,
        k: test.result("k")?,
        result: Verdict::Valid,
    })
}

fn key_check(test: &Test, key: &str) -> Result<KeyCheckVector> {
    let passes = test
        .result
        .test_passed
        .ok_or_else(|| format!("test {} has no testPassed", test.id))?;
    Ok(KeyCheckVector {
        parameter_set: test.parameter_set,
        id: test.id,
        key: test.prompt(key)?,
        passes,
    })
}

/// The two files, and their joined tests.
struct Files {
    prompt: Source,
    expected: Source,
    tests: Vec<Test>,
}

/// A prompt with its result.
struct Test {
    id: u32,
    parameter_set: ParameterSet,
    function: String,
    prompt: HashMap<String, String>,
    result: Answer,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File<G> {
    test_groups: Vec<G>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Questions {
    parameter_set: ParameterSet,
    #[serde(default)]
    function: String,
    tests: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    #[serde(rename = "tcId")]
    id: u32,
    #[serde(flatten)]
    fields: HashMap<String, String>,
}

#[derive(Deserialize)]
struct Answers {
    tests: Vec<Answer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(rename = "tcId")]
    id: u32,
    test_passed: Option<bool>,
    #[serde(flatten)]
    fields: HashMap<String, String>,
}

impl Files {
    fn open(sources: &Sources, prompt: &str, expected: &str) -> Result<Self> {
        let [prompt, expected] =
            [prompt, expected].map(|file| sources.file(&format!("acvp/v1.1.0.40/{file}")));
        let (prompt, expected) = (prompt?, expected?);
        let answers = expected
            .json::<File<Answers>>()?
            .test_groups
            .into_iter()
            .flat_map(|group| group.tests);
        let mut answers: HashMap<u32, Answer> = answers.map(|answer| (answer.id, answer)).collect();
        let mut tests = Vec::new();
        for group in prompt.json::<File<Questions>>()?.test_groups {
            for Question { id, fields } in group.tests {
                let result = answers
                    .remove(&id)
                    .ok_or_else(|| expected.error(format!("no result of test {id}")))?;
                let (parameter_set, function) = (group.parameter_set, group.function.clone());
                tests.push(Test {
                    id,
                    parameter_set,
                    function,
                    prompt: fields,
                    result,
                });
            }
        }
        prompt.expect_count(tests.len())?;
        Ok(Self {
            prompt,
            expected,
            tests,
        })
    }

    fn of(&self, function: &'static str) -> impl Iterator<Item = &Test> {
        self.tests
            .iter()
            .filter(move |test| test.function == function)
    }

    fn set<T>(&self, name: &str, note: &str, entries: Vec<T>) -> test_vectors::Set<T> {
        set(&[&self.prompt, &self.expected], name, note, entries)
    }
}

impl Test {
    fn prompt(&self, field: &str) -> Result<Vec<u8>> {
        self.bytes(&self.prompt, field)
    }

    fn result(&self, field: &str) -> Result<Vec<u8>> {
        self.bytes(&self.result.fields, field)
    }

    fn bytes(&self, fields: &HashMap<String, String>, field: &str) -> Result<Vec<u8>> {
        let hex = fields
            .get(field)
            .ok_or_else(|| format!("test {} has no {field}", self.id))?;
        HEXUPPER
            .decode(hex.as_bytes())
            .map_err(|error| format!("test {}, {field}: {error}", self.id).into())
    }
}
