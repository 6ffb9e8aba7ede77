//! The text forms one by one: JSON of the existing tool, pqseal's line, JSON Web Keys.

use pqseal_keys::{
    JwkNames, KeyError, KeyFormat, base64, public_key, read_private, read_public, write_private,
    write_public,
};

use crate::common::{self, bytes, holds, kem, pair, pairs};

/// The old tool's file: pretty, with both halves, one half, or halves of two pairs.
mod json {
    use super::*;

    fn base64(pair: &common::Pair) -> (String, String) {
        (
            pqseal_keys::base64::encode(&bytes(&pair.private)),
            pqseal_keys::base64::encode(pair.public.as_ref()),
        )
    }

    #[test]
    fn it_is_written_as_the_old_tool_does() {
        let key = pair(kem("x25519"), 1);
        let (private, public) = base64(&key);
        let expected =
            format!("{{\n  \"private_key\": \"{private}\",\n  \"public_key\": \"{public}\"\n}}\n");
        assert_eq!(
            **write_private(&key.private, KeyFormat::Json).unwrap(),
            expected
        );
    }

    #[test]
    fn either_half_may_be_missing() {
        let key = pair(kem("x25519"), 1);
        let (private, public) = base64(&key);
        let private = format!("{{\"private_key\":\"{private}\", \"comment\": 7}}");
        assert_eq!(
            public_key(&read_private(&private, None).unwrap()).as_ref(),
            Ok(&key.public)
        );
        assert_eq!(read_public(&private, None).as_ref(), Ok(&key.public));
        let public = format!("{{\"public_key\":\"{public}\"}}");
        assert_eq!(read_public(&public, None).as_ref(), Ok(&key.public));
        assert_eq!(
            read_private(&public, None).err(),
            Some(KeyError::PublicOnly)
        );
    }

    #[test]
    fn halves_of_two_pairs() {
        let (private, _) = base64(&pair(kem("x25519"), 1));
        let (_, public) = base64(&pair(kem("x25519"), 2));
        let text = format!("{{\"public_key\":\"{public}\",\"private_key\":\"{private}\"}}");
        assert_eq!(read_private(&text, None).err(), Some(KeyError::Mismatch));
        assert_eq!(read_public(&text, None).err(), Some(KeyError::Mismatch));
    }

    #[test]
    fn what_is_no_pair() {
        for text in [
            "{",
            "{}",
            "{\"private_key\": 7}",
            "{\"private_key\": null}",
            "{\"private_key\":\"\"}",
            "{} x",
        ] {
            assert!(
                matches!(read_private(text, None), Err(KeyError::Json(_))),
                "{text}"
            );
            assert!(
                matches!(read_public(text, None), Err(KeyError::Json(_))),
                "{text}"
            );
        }
        let short = "{\"private_key\":\"AAAA\"}";
        let error = KeyError::Length {
            kem: "x25519",
            expected: 32,
            found: 3,
            raw: false,
        };
        assert_eq!(read_private(short, None).err(), Some(error));
    }
}

/// pqseal's own line.
mod line {
    use super::*;

    fn lines(key: &common::Pair) -> [String; 2] {
        let private = write_private(&key.private, KeyFormat::Line).unwrap();
        [
            private.trim_end().to_owned(),
            write_public(&key.public, KeyFormat::Line)
                .unwrap()
                .trim_end()
                .to_owned(),
        ]
    }

    /// Lists every position of a short line; of a long one both ends, and every 13th between them.
    fn places(line: &str) -> impl Iterator<Item = usize> {
        let end = line.len();
        (0..end).filter(move |place| *place < 200 || end - place < 20 || place % 13 == 0)
    }

    /// Tests every other character in the first 200 positions. After them, where a line of BIKE has
    /// thousands, it tests one character of base64 and one other.
    #[test]
    fn every_changed_character_is_refused() {
        let all: String = (0x20..0x7f).chain([b'\n', b'\t']).map(char::from).collect();
        for key in pairs() {
            for line in lines(&key) {
                for place in places(&line) {
                    let others = if place < 200 { all.as_str() } else { "A~" };
                    for character in others.chars() {
                        let changed =
                            [&line[..place], &character.to_string(), &line[place + 1..]].concat();
                        let read = read_public(&changed, None);
                        assert!(
                            changed == line || read.is_err(),
                            "{character:?} at {place} of {line}"
                        );
                    }
                }
            }
        }
    }

    /// Cuts a line at the end, within it, and at the beginning up to the key itself, since only the
    /// key may look like a raw key.
    #[test]
    fn every_cut_is_refused() {
        for key in pairs() {
            for line in lines(&key) {
                let start = line.rfind(':').unwrap();
                for place in places(&line) {
                    assert!(
                        read_public(&line[..place], None).is_err(),
                        "cut to {place}: {line}"
                    );
                    assert!(
                        place >= start || read_public(&line[place + 1..], None).is_err(),
                        "cut from {place}: {line}"
                    );
                    for end in place + 1..line.len().min(place + 9) {
                        let within = [&line[..place], &line[end..]].concat();
                        assert!(
                            read_public(&within, None).is_err(),
                            "cut from {place} to {end}: {line}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn each_part_has_its_error() {
        let [private, public] = lines(&pair(kem("x25519"), 1));
        let sike = pqseal_keys::refused_kem_by_name("sike").unwrap();
        let cases = [
            (public.replace(":x25519:", ":x25519"), KeyError::Line),
            (public.replace(":x25519:", ":p256:"), KeyError::Checksum),
            (public.replace(":x25519:", ":x25518:"), KeyError::UnknownKem),
            (
                public.replace(":x25519:", ":sikep434:"),
                KeyError::RefusedKem(sike),
            ),
            (
                public.replace("pqseal-public-key:", "pqseal-private-key:"),
                KeyError::Checksum,
            ),
            (
                private.replace("pqseal-private-key:", "pqseal-public-key:"),
                KeyError::Checksum,
            ),
            ("pqseal-public-key:x25519:".into(), KeyError::Checksum),
            ("pqseal-public-key:x25519:AAAA".into(), KeyError::Checksum),
            ("pqseal-public-key:".into(), KeyError::Line),
        ];
        for (text, error) in cases {
            assert_eq!(read_public(&text, None).err(), Some(error), "{text}");
        }
    }

    #[test]
    fn a_line_may_be_wrapped() {
        let key = pair(kem("p521"), 1);
        for line in lines(&key) {
            let wrapped = format!("\r\n  {}\r\n {}\n", &line[..60], &line[60..]);
            assert_eq!(read_public(&wrapped, None).as_ref(), Ok(&key.public));
        }
    }
}

/// JSON Web Keys.
mod jwk {
    use super::*;

    /// One pair of every KEM that has a JWK.
    fn pairs() -> impl Iterator<Item = common::Pair> {
        common::pairs().filter(|key| holds(KeyFormat::Jwk, key.kem))
    }

    fn text(key: &common::Pair) -> String {
        write_private(&key.private, KeyFormat::Jwk)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    #[test]
    fn members_are_written_compactly_and_in_order() {
        for key in pairs() {
            let text = text(&key);
            let order = match &key.kem.info().short_name[..1] {
                "p" => &["{\"kty\":\"EC\"", "crv", "x", "y", "d"][..],
                "x" => &["{\"kty\":\"OKP\"", "crv", "x", "d"],
                _ => &["{\"kty\":\"AKP\"", "alg", "pub", "priv"],
            };
            let found: Vec<_> = text
                .split(",\"")
                .map(|part| part.split("\":\"").next().unwrap())
                .collect();
            assert_eq!(found[1..], order[1..]);
            assert!(
                text.starts_with(order[0]) && !text.contains([' ', '\n', '=']),
                "{text}"
            );
        }
    }

    #[test]
    fn other_members_and_their_order_do_not_matter() {
        for key in pairs() {
            let other = text(&key)
                .replace('{', "{ \"key_ops\": [\"deriveBits\"], \"kid\": \"\\u00e9\", \"use\":\"enc\", \"d2\": {},\n");
            assert_eq!(
                read_private(&other, None).map(|key| bytes(&key)),
                Ok(bytes(&key.private))
            );
            let public = write_public(&key.public, KeyFormat::Jwk).unwrap();
            let (head, tail) = public
                .trim()
                .trim_matches(['{', '}'])
                .split_once(',')
                .unwrap();
            assert_eq!(
                read_public(format!("{{{tail},{head}}}"), None).as_ref(),
                Ok(&key.public)
            );
        }
    }

    #[test]
    fn halves_of_two_pairs() {
        for key in pairs() {
            let other = text(&pair(key.kem, 8));
            let secret = if text(&key).contains("AKP") {
                "\"priv\""
            } else {
                "\"d\""
            };
            let d = |text: &str| text.split_once(secret).unwrap().1.to_owned();
            let mixed = text(&key).replace(&d(&text(&key)), &d(&other));
            assert_eq!(read_private(&mixed, None).err(), Some(KeyError::Mismatch));
            assert_eq!(read_public(&mixed, None).err(), Some(KeyError::Mismatch));
        }
    }

    #[test]
    fn what_is_unknown_or_missing() {
        let text = text(&pair(kem("p256"), 1));
        let (x, y) = (text.find("\"x\"").unwrap(), text.find("\"y\"").unwrap());
        let without_x = [&text[..x], &text[y..]].concat();
        let d = text.find("\"d\"").unwrap();
        let without_y = [&text[..y], &text[d..]].concat();
        let cases = [
            (without_x, "x is missing"),
            (without_y, "y is missing"),
            (
                text.replace("\"EC\"", "\"RSA\""),
                "kty is not EC, OKP or AKP",
            ),
            (text.replace("\"EC\"", "\"OKP\""), "crv is not known"),
            (text.replace("P-256", "secp256k1"), "crv is not known"),
            (text.replace("P-256", "p-256"), "crv is not known"),
            (text.replace("\"P-256\"", "null"), "crv is not known"),
            (
                text.replace("\"P-256\"", "7"),
                "it is not JSON with string members, or its private key is an empty string",
            ),
            (text.replace('}', ",\"d\":\"\"}"), "a member is given twice"),
            (
                text.replace('}', ""),
                "it is not JSON with string members, or its private key is an empty string",
            ),
        ];
        for (text, why) in cases {
            assert_eq!(
                read_private(&text, None).err(),
                Some(KeyError::Jwk(why)),
                "{text}"
            );
        }
    }

    /// The error names the alg found and those known.
    #[test]
    fn an_unknown_alg_is_repeated() {
        let jwk = |alg: &str| format!(r#"{{"kty":"AKP","alg":"{alg}","pub":"AAAA"}}"#);
        let error = |alg| read_public(jwk(alg), None).unwrap_err().to_string();
        let known = "ML-KEM-512, ML-KEM-768, ML-KEM-1024, MLKEM768-X25519, MLKEM768-P256, MLKEM1024-P384, HPKE-8,";
        let beginning = format!("its alg, HPKE-99, is none of {known}");
        assert!(
            error("HPKE-99").starts_with(&beginning),
            "{}",
            error("HPKE-99")
        );
        assert!(error("a\u{7f}\u{202e}b").starts_with("its alg, a????b,"));
        assert!(error(&"x".repeat(99)).starts_with(&format!("its alg, {},", "x".repeat(24))));
    }

    /// Node, Deno and browsers write ML-KEM's keys so.
    #[test]
    fn ml_kem_is_akp() {
        let key = pair(kem("mlkem768"), 1);
        let encode = |bytes: &[u8]| data_encoding::BASE64URL_NOPAD.encode(bytes);
        let (public, seed) = (encode(key.public.as_ref()), encode(&bytes(&key.private)));
        assert_eq!(seed.len(), 86);
        let expected =
            format!(r#"{{"kty":"AKP","alg":"ML-KEM-768","pub":"{public}","priv":"{seed}"}}"#);
        assert_eq!(text(&key), expected);
        let cases = [
            (
                expected.replace(&public, ""),
                KeyError::Jwk("pub is missing"),
            ),
            (
                expected.replace("\"alg\"", "\"crv\""),
                KeyError::Jwk("alg is missing, such as MLKEM768-X25519"),
            ),
            (
                expected.replace("AKP", "OKP"),
                KeyError::Jwk("crv is not known"),
            ),
            (
                expected.replace(&seed, &seed[..84]),
                KeyError::Length {
                    kem: "mlkem768",
                    expected: 64,
                    found: 63,
                    raw: false,
                },
            ),
            (
                expected.replace("-768", "-512"),
                KeyError::Length {
                    kem: "mlkem512",
                    expected: 800,
                    found: 1184,
                    raw: false,
                },
            ),
            (
                expected.replace(&format!("\"{seed}\""), "7"),
                KeyError::Jwk(
                    "it is not JSON with string members, or its private key is an empty string",
                ),
            ),
        ];
        for (text, error) in cases {
            assert_eq!(read_private(&text, None).err(), Some(error), "{text}");
        }
    }

    /// RFC 7518, section 6.2.1.2: leading zeros count, and coordinates that only fit together do
    /// not.
    /// Other programs refuse these, or read another key.
    #[test]
    fn what_is_ambiguous_or_for_another_use() {
        let signs = "it is a key for signatures, by its use or key_ops";
        for key in pairs() {
            let text = text(&key);
            let with = |member: &str| text.replace('}', &format!(",{member}}}"));
            let mut cases = vec![
                (with(r#""use":"sig""#), signs),
                (with(r#""key_ops":["deriveBits","sign"]"#), signs),
                (with(r#""key_ops":["verify"]"#), signs),
                (with(r#""kid":"1","kid":"1""#), "a member is given twice"),
                (with(r#""kid":1,"k\u0069d":{}"#), "a member is given twice"),
            ];
            if text.contains("OKP") {
                cases.push((with(r#""y":"AA""#), "kty OKP has no member y"));
            }
            for (text, why) in cases {
                let why = Some(KeyError::Jwk(why));
                assert_eq!(read_private(&text, None).err(), why, "{text}");
                assert_eq!(read_public(&text, None).err(), why, "{text}");
            }
            assert!(read_private(with(r#""use":"enc","kid":"1","kty2":"1""#), None).is_ok());
        }
    }

    #[test]
    fn blanks_in_members() {
        for key in pairs() {
            let text = text(&key);
            for member in ["x", "y", "d", "pub", "priv"] {
                let Some((head, tail)) = text.split_once(&format!("\"{member}\":\"")) else {
                    continue;
                };
                for (blank, offset) in [(" ", 2), ("\\n", 2), ("\\t", 0)] {
                    let (before, after) = tail.split_at(offset);
                    let text = format!("{head}\"{member}\":\"{before}{blank}{after}");
                    let problem = base64::Problem::Character;
                    let why = KeyError::Base64(base64::Error { offset, problem });
                    assert_eq!(read_private(&text, None).err(), Some(why), "{text}");
                }
            }
        }
    }

    #[test]
    fn wrong_lengths() {
        let key = pair(kem("p256"), 1);
        let (x, y) = key.public.as_ref()[1..].split_at(32);
        let encode = |bytes: &[u8]| data_encoding::BASE64URL_NOPAD.encode(bytes);
        let (shifted_x, shifted_y) = key.public.as_ref()[1..].split_at(31);
        for (x, y, found) in [
            (shifted_x, shifted_y, 31),
            (&x[1..], y, 31),
            (x, &y[1..], 31),
            (&[x, &[0]].concat(), y, 33),
        ] {
            let text = format!(
                r#"{{"kty":"EC","crv":"P-256","x":"{}","y":"{}"}}"#,
                encode(x),
                encode(y)
            );
            assert_eq!(
                read_public(&text, None).err(),
                Some(KeyError::Length {
                    kem: "p256",
                    expected: 32,
                    found,
                    raw: false,
                })
            );
        }
        let padded = format!(
            r#"{{"kty":"EC","crv":"P-256","x":"{}=","y":"{}"}}"#,
            encode(x),
            encode(y)
        );
        assert!(matches!(
            read_public(&padded, None),
            Err(KeyError::Base64(_))
        ));
    }
}

/// A message must not be opened by a key for another algorithm, whatever is around the key.
#[test]
fn names_of_a_jwk_set_are_those_of_its_key() {
    let key = common::pair(kem("x25519"), 1);
    let jwk = write_public(&key.public, KeyFormat::Jwk).unwrap();
    let jwk = jwk.trim().replacen('{', r#"{"alg":"HPKE-3","kid":"a","#, 1);
    let hybrid = common::pair(kem("mlkem768-x25519"), 1);
    let hybrid = write_public(&hybrid.public, KeyFormat::Jwk).unwrap();
    assert!(hybrid.contains(r#""alg":"MLKEM768-X25519""#));
    // It names no algorithm of JOSE.
    assert_eq!(JwkNames::of(&hybrid), Ok(JwkNames::default()));
    let set = format!(r#"{{"keys":[{jwk},{{"kty":"oct","alg":"HPKE-1"}}]}}"#);
    for text in [jwk, set] {
        let names = JwkNames::of(&text).unwrap();
        assert_eq!(names.alg.as_deref(), Some("HPKE-3"), "{text}");
        assert_eq!(names.kid.as_deref(), Some("a"), "{text}");
    }
}
