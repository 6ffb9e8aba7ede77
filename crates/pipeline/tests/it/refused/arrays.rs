//! Arrays with items that cannot be sealed.

use pqseal_pipeline::{Error, Framing};
use serde_json::Value;

use super::{in_place, letters_of, seal, seal_apart, sealing};

#[test]
fn an_array_stays_one() {
    let input = r#"[{"s":"a"},{"s":1,"s":2},{"s":"b"}]"#;
    let ran = seal_apart(sealing(".s"), Framing::Json, input);
    assert_eq!(
        ran.out,
        r#"[{"encrypted_s":"open:a"},null,{"encrypted_s":"open:b"}]"#
    );
    let ran = seal(in_place(".s"), Framing::Json, input).unwrap();
    let whole = r#"{"encrypted_record":"open:{\"s\":1,\"s\":2}"}"#;
    let expected = format!(r#"[{{"encrypted_s":"open:a"}},{whole},{{"encrypted_s":"open:b"}}]"#);
    assert_eq!(ran.out, expected);
}

#[test]
fn an_array_stays_one_after_a_stray_bracket() {
    let long = "x".repeat(1_000_000);
    let inputs = [
        r#"[{"s":"a"}}, {"s":"b"}]"#.to_owned(),
        r#"[}, {"s":"b"}]"#.to_owned(),
        r#"[{"s":"a"} ,}, {"s":"b"}]"#.to_owned(),
        r#"[{"s":"a"}, 12}, {"s":"b"}]"#.to_owned(),
        // The end of a value is not known.
        r#"[{"s":"a"}, {"s":"b", {"s":"c"}]"#.to_owned(),
        r#"[{"s":"a"}, {"s":"b}]"#.to_owned(),
        format!(r#"[{{"s":"a"}}}}, {{"s":"{long}"}}]"#),
        format!(r#"[{{"s":"{}", {{"s":"{long}"}}]"#, &long[..200]),
    ];
    for input in inputs {
        let short = &input[..input.len().min(40)];
        let ran = seal(in_place(".s"), Framing::Json, &input).unwrap();
        let items: Vec<Value> = serde_json::from_str(&ran.out).expect(short);
        let sealed = items
            .iter()
            .filter_map(|item| item["encrypted_record"].as_str());
        let sealed: String = sealed
            .filter_map(|blob| blob.strip_prefix("open:"))
            .collect();
        assert!(input.ends_with(&sealed) && sealed.contains('s'), "{short}");
        let ran = seal_apart(sealing(".s"), Framing::Json, &input);
        let items: Vec<Value> = serde_json::from_str(&ran.out).expect(short);
        assert!(items.last().unwrap().is_null(), "{short}");
        assert!(
            input.ends_with(&letters_of(&ran.letters.unwrap())),
            "{short}"
        );
        let ends = seal(sealing(".s"), Framing::Json, &input);
        assert!(matches!(ends, Err(Error::Record { .. })), "{short}");
    }
    // Values that are not in an array.
    let ran = seal(
        in_place(".s"),
        Framing::Json,
        "{\"s\":\"a\"}}\n{\"s\":\"b\"}",
    );
    let whole = r#"{"encrypted_record":"open:}\n{\"s\":\"b\"}"}"#;
    assert_eq!(
        ran.unwrap().out,
        format!("{{\"encrypted_s\":\"open:a\"}}\n{whole}")
    );
    // An array that was cut off where nothing is damaged.
    assert!(seal(in_place(".s"), Framing::Json, r#"[{"s":"a"},"#).is_err());
}
