//! Sealed values of other kinds than matched data, by each command that reads them.

use serde_json::{Value, json};

use crate::common::Dir;

/// The objects by other programs, and their keys.
fn made() -> Value {
    serde_json::from_str(include_str!("../../../crates/sealed/tests/ai_gateway.json")).unwrap()
}

/// Returns the published JWE by X-Wing.
fn jwe() -> test_vectors::JoseVector {
    let mut vectors = test_vectors::jose_hpke_pq().entries.into_iter();
    vectors.find(|vector| vector.alg == "HPKE-9").unwrap()
}

/// Returns an armored file of age's test kit.
fn age() -> test_vectors::AgeVector {
    let mut cases = test_vectors::age_kit().entries.into_iter();
    cases.find(|case| case.name == "armor_x25519").unwrap()
}

/// Creates a directory with the RSA keys `2048`, `3072` and `4096`, `x25519`, the keys of the
/// published envelopes, `jwk`, that of the JWE, and the age identity `identity`.
fn dir() -> Dir {
    let dir = Dir::new();
    for (name, key) in made()["keys"].as_object().unwrap() {
        dir.write(name, key.as_str().unwrap());
        dir.chmod(name, 0o600);
    }
    let keys = test_vectors::receipts().entries.into_iter();
    let keys: Vec<_> = keys.map(|vector| base64(&vector.sk_r)).collect();
    dir.write("x25519", keys.join("\n"));
    dir.chmod("x25519", 0o600);
    dir.write("jwk", jwe().jwk.to_string());
    dir.chmod("jwk", 0o600);
    let identity = &age().identities[0];
    dir.write(
        "identity",
        format!("# created: today\n# public key: age1\n{identity}\n"),
    );
    dir.chmod("identity", 0o600);
    dir
}

fn base64(bytes: &[u8]) -> String {
    pqseal_keys::base64::encode(bytes)
}

fn lines(out: &str) -> Vec<Value> {
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A value of each kind, the file of its key, and the beginning of its plaintext.
fn kinds() -> [(&'static str, Value, &'static str, &'static str); 4] {
    let receipt = test_vectors::receipts().entries.remove(0).envelope;
    let object = made()["objects"][0]["value"].clone();
    [
        ("ai-gateway", object, "2048", r#"{"model":"#),
        ("agent-receipt", receipt, "x25519", r#"{"command":"#),
        ("jwe", jwe().compact.into(), "jwk", "You can trust us"),
        (
            "age",
            String::from_utf8(age().file).unwrap().into(),
            "identity",
            "age",
        ),
    ]
}

#[test]
fn each_kind_opens_by_each_command() {
    let dir = dir();
    for (kind, value, key, begin) in kinds() {
        let record = json!({ "a": { "b": value }, "n": 1 }).to_string() + "\n";
        dir.write("record.json", &record);
        dir.write("value.json", value.to_string());

        for form in ["".to_owned(), format!("--sealed-as {kind}")] {
            let line = format!("logs open -k {key} --field .a.b --as json {form} record.json");
            let ran = dir.words(&line);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            let opened = &lines(ran.out())[0]["a"]["decrypted_b"];
            let text = opened
                .as_str()
                .map_or_else(|| opened.to_string(), str::to_owned);
            assert!(text.starts_with(begin), "{kind}: {opened}");
        }

        // A JWE or a file on its own is opened by `jwe open` and `file decrypt`.
        let inputs = ["record.json", "value.json"].into_iter();
        for input in inputs.take(if value.is_object() { 2 } else { 1 }) {
            let ran = dir.words(&format!("open -k {key} --json {input}"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            let opened = &lines(ran.out())[0];
            assert_eq!(opened["kind"], kind);
            assert!(opened["plaintext"].as_str().unwrap().starts_with(begin));
            let field = (input == "record.json").then_some(".a.b");
            assert_eq!(opened.get("field").and_then(Value::as_str), field);
            dir.words(&format!("open -k {key} --aad x --format raw {input}"))
                .fails(1, "bound to no info and no aad");

            let ran = dir.words(&format!("inspect --json {input}"));
            assert_eq!(
                (ran.code, &lines(ran.out())[0]["kind"]),
                (Some(0), &json!(kind))
            );
        }

        let ran = dir.words(&format!("doctor -k {key} --json record.json"));
        let opens = format!("{kind}: it opens with {key}");
        assert!(ran.out().contains(&opens), "{}", ran.out());

        // Nothing binds it to its record, so it is refused as old versions are.
        let line = format!("logs open -k {key} --field .a.b --min-version 4 record.json");
        let ran = dir.words(&line);
        let status = match value.is_object() {
            true => "not_a_string",
            false => "bad_base64",
        };
        assert_eq!(lines(ran.out())[0]["a"]["decrypt_status"], status);
    }
}

/// The records of AI Gateway: each field on its own, and everything else as it was.
#[test]
fn ai_gateway_fields_are_opened_each_on_its_own() {
    let (dir, made) = (dir(), made());
    let objects = made["objects"].as_array().unwrap();
    let mut altered = objects[0]["value"].clone();
    altered["iv"] = "AAAA".into();
    let records = [
        json!({ "Gateway": "g", "Metadata": objects[0]["value"], "RequestBody": objects[9]["value"],
            "ResponseBody": objects[18]["value"], "StatusCode": 200 }),
        json!({ "Metadata": { "a": "clear" }, "RequestBody": "truncated", "ResponseBody": null }),
        json!({ "RequestBody": altered, "ResponseBody": objects[1]["value"] }),
        json!({ "RequestBody": { "type": "encrypted", "data": "AA==" }, "ResponseBody": [1] }),
        json!({ "RequestBody": made["refused"]["PKCS #1 v1.5"] }),
    ];
    let input: String = records.iter().map(|record| format!("{record}\n")).collect();
    let line =
        "logs open -k 2048 -k 3072 -k 4096 --preset ai-gateway --stats json --dead-letter dead";
    let ran = dir.feed(line, input.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let opened = lines(ran.out());
    let text = |place: usize| &objects[place]["text"];
    assert_eq!(&opened[0]["decrypted_Metadata"], text(0));
    assert_eq!(&opened[0]["decrypted_RequestBody"], text(9));
    assert_eq!(&opened[0]["decrypted_ResponseBody"], text(18));
    assert_eq!(ran.out().lines().nth(1), input.lines().nth(1));
    assert_eq!(opened[2]["decrypted_RequestBody_status"], "bad_iv");
    assert_eq!(&opened[2]["decrypted_ResponseBody"], text(1));
    assert_eq!(opened[3]["decrypted_RequestBody_status"], "bad_object");
    assert_eq!(opened[4]["decrypted_RequestBody_status"], "no_key_matched");
    let stats: Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
    let counts =
        ["records", "opened", "absent", "failed"].map(|name| stats[name].as_u64().unwrap());
    assert_eq!(counts, [5, 1, 1, 3]);
    assert_eq!(
        lines(std::str::from_utf8(&dir.read("dead")).unwrap()).len(),
        3
    );
    // Without the results, the first record is the input's.
    let mut first = opened[0].clone();
    for name in ["Metadata", "RequestBody", "ResponseBody"] {
        first
            .as_object_mut()
            .unwrap()
            .shift_remove(&format!("decrypted_{name}"));
    }
    assert_eq!(first.to_string(), records[0].to_string());
}

/// A signed receipt does not verify with anything added, so it is not in the output.
#[test]
fn receipts_are_replaced_by_their_results() {
    let dir = dir();
    let [first, second] =
        [0, 1].map(|place| test_vectors::receipts().entries[place].envelope.clone());
    let mut altered = first.clone();
    altered["v"] = "2".into();
    let receipt = |id: &str, parameters: &Value, response: &Value| {
        let subject = json!({ "action": { "parameters_disclosure": parameters, "parameters": 1 },
            "outcome": { "response_disclosure": response } });
        json!({ "id": id, "credentialSubject": subject, "proof": {} }).to_string()
    };
    let clear = json!({ "command": "ls" });
    let input = [
        receipt("urn:receipt:1", &first, &second),
        receipt("urn:receipt:2", &clear, &Value::Null),
        receipt("urn:receipt:3", &altered, &first),
        "not json".to_owned(),
        r#"{"other":"record"}"#.to_owned(),
    ];
    let ran = dir.feed(
        "logs open -k x25519 --preset agent-receipts",
        (input.join("\n") + "\n").as_bytes(),
    );
    let expected = [
        r#"{"receipt":"urn:receipt:1","record":1,"parameters":{"command":"echo \"build complete\""},"response":"#,
        r#"{"receipt":"urn:receipt:2","record":2}"#,
        r#"{"receipt":"urn:receipt:3","record":3,"parameters_status":"unsupported_version","response":{"command""#,
        r#"{"record":4,"status":"bad_json"}"#,
        r#"{"record":5}"#,
    ];
    let out: Vec<_> = ran.out().lines().collect();
    assert_eq!(out.len(), expected.len(), "{}", ran.out());
    for (found, expected) in out.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}");
        assert!(serde_json::from_str::<Value>(found).is_ok(), "{found}");
    }
}

/// A record above the limit is not in the output, not even a part of it.
#[test]
fn receipts_that_are_too_large_are_replaced_too() {
    let dir = dir();
    let input = format!("{{\"id\":\"{}\"}}\n{{\"id\":\"b\"}}\n", "a".repeat(5000));
    let ran = dir.feed(
        "logs open -k x25519 --preset agent-receipts --max-line 1000",
        input.as_bytes(),
    );
    assert_eq!(
        ran.out(),
        "{\"record\":1,\"status\":\"too_large\"}\n{\"receipt\":\"b\",\"record\":2}\n"
    );
}

/// The signed record cannot have results in it, so there is no choice of their place.
#[test]
fn receipts_take_no_options_for_results_in_records() {
    let dir = dir();
    for option in ["--keep", "--replace", "--drop-encrypted", "--explode"] {
        let line = format!("logs open -k x25519 --preset agent-receipts {option}");
        dir.words(&line).fails(2, "replaced by their results");
    }
    dir.write("receipts.csv", "id,credentialSubject\n1,{}\n");
    dir.words("logs open -k x25519 --preset agent-receipts receipts.csv")
        .fails(1, "only JSON records can be replaced");
}

/// A folder may hold a key for another program. One that is named is needed.
#[test]
fn an_inconsistent_rsa_key_in_a_folder_is_skipped() {
    let dir = dir();
    let rsa = String::from_utf8(dir.read("2048")).unwrap();
    let mut lines: Vec<_> = rsa.trim_end().lines().collect();
    let [begin, end] = [lines.remove(0), lines.pop().unwrap()];
    let mut der = pqseal_keys::base64::decode(lines.concat().as_bytes()).unwrap();
    *der.last_mut().unwrap() ^= 1;
    std::fs::create_dir(dir.path("keys")).unwrap();
    dir.write("keys/bad", format!("{begin}\n{}\n{end}\n", base64(&der)));
    dir.write("keys/x25519", dir.read("x25519"));
    for name in ["keys/bad", "keys/x25519"] {
        dir.chmod(name, 0o600);
    }
    let (_, receipt, _, begin) = &kinds()[1];
    dir.write("record.json", json!({ "b": receipt }).to_string());
    for line in ["open -k keys", "logs open -k keys --field .b --replace"] {
        let ran = dir.words(&format!("{line} record.json"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(
            ran.err
                .contains("do not belong together; the key is skipped"),
            "{}",
            ran.err
        );
        let begin = if line.starts_with("open") {
            begin
        } else {
            r#"{"b":"{\"command\""#
        };
        assert!(ran.out().starts_with(begin), "{}", ran.out());
        let line = line.replace("-k keys", "-k keys/x25519 -k keys/bad");
        dir.words(&format!("{line} record.json"))
            .fails(3, "do not belong together");
    }
    let ran = dir.words("doctor -k keys/x25519 -k keys/bad record.json");
    assert!(
        ran.out().contains("do not belong together"),
        "{}",
        ran.out()
    );
    assert!(
        ran.out().contains("it opens with keys/x25519"),
        "{}",
        ran.out()
    );
}

/// Records of other programs have members of the same names.
#[test]
fn an_object_that_only_looks_sealed_does_not_fail() {
    let dir = dir();
    let (_, receipt, ..) = &kinds()[1];
    let disk = json!({ "type": "encrypted", "size": 5 });
    let mail = json!({ "recipients": ["a@example.com"], "ct": "text/plain" });
    let record = json!({ "disk": disk, "mail": mail, "b": receipt });
    dir.write("record.json", record.to_string());
    let ran = dir.words("open -k x25519 -o opened record.json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(dir.read("opened").starts_with(br#"{"command":"#));
}

#[cfg(unix)]
#[test]
fn rsa_keys_are_read_in_each_format() {
    use crate::common::shell;
    let dir = dir();
    let record = json!({ "RequestBody": made()["objects"][0]["value"] });
    dir.write("record.json", format!("{record}\n"));
    dir.write("pass", "word\n");
    shell(
        &dir,
        "chmod 600 pass && (umask 077; openssl pkcs8 -topk8 -in 2048 -out locked -passout file:pass && \
         openssl pkcs8 -topk8 -nocrypt -in 2048 -out pkcs8 && openssl pkcs8 -topk8 -nocrypt -in 2048 -outform DER -out der && \
         openssl rsa -in 2048 -traditional -out pkcs1.der -outform DER 2> error && cat 4096 x25519 2048 > mixed && \
         openssl genrsa -out small 1024 2> error && mkdir keys && cp pkcs8 x25519 keys)",
    );
    for key in [
        "2048",
        "pkcs8",
        "der",
        "pkcs1.der",
        "mixed",
        "keys",
        "locked --passphrase-file pass",
    ] {
        let ran = dir.words(&format!(
            "logs open -k {key} --preset ai-gateway --strict record.json"
        ));
        assert_eq!(ran.code, Some(0), "{key}: {}", ran.err);
        assert!(ran.out().contains("decrypted_RequestBody\":"), "{key}");
    }
    let small = "fewer than 2,048";
    dir.words("logs open -k small --preset ai-gateway record.json")
        .fails(3, small);
    // Wrong keys give a reason.
    for (key, code) in [("4096", "no_key_matched"), ("x25519", "wrong_kem")] {
        let ran = dir.words(&format!(
            "logs open -k {key} --preset ai-gateway record.json"
        ));
        assert_eq!(lines(ran.out())[0]["decrypted_RequestBody_status"], code);
    }
    // They are keys of nothing else.
    dir.words("seal --to 2048 record.json")
        .fails(3, "not supported");
}
