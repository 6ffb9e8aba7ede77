//! The committed files: none is missing, none has fewer entries, each names its origin. Needs
//! nothing outside this crate.

use serde::de::IgnoredAny;
use std::path::Path;
use test_vectors::*;

/// Every file of `data/` and its number of entries. A set never shrinks without a change here.
const COUNTS: [(&str, usize); 48] = [
    ("acvp-ml-kem-decaps.json", 30),
    ("acvp-ml-kem-dk-check.json", 30),
    ("acvp-ml-kem-ek-check.json", 30),
    ("acvp-ml-kem-encaps.json", 75),
    ("acvp-ml-kem-key-gen.json", 75),
    ("age-kit.json", 143),
    ("bike-l1-altered.json", 14),
    ("bike-l1.json", 100),
    ("bike-l3-altered.json", 14),
    ("bike-l3.json", 100),
    ("bike-l5-altered.json", 14),
    ("bike-l5.json", 100),
    ("cctv-ml-kem-decaps.json", 9),
    ("cctv-ml-kem-encaps.json", 6),
    ("cctv-ml-kem-modulus.json", 3),
    ("cobblestone-128.json", 35),
    ("cobblestone-256.json", 35),
    ("cose-hpke-js.json", 192),
    ("cose-hpke.json", 192),
    ("hpke-accumulated.json", 24),
    ("hpke-edge.json", 5),
    ("hpke-pq.json", 13),
    ("jose-hpke-pq-00.json", 20),
    ("jose-hpke-pq.json", 10),
    ("jose-hpke.json", 16),
    ("kyber768.json", 100),
    ("libcrux-ml-kem-invalid-dk.json", 3),
    ("matched-data.json", 13),
    ("ml-kem-accumulated.json", 6),
    ("mls.json", 7),
    ("receipts.json", 2),
    ("rfc9180.json", 128),
    ("wycheproof-aes-gcm.json", 133),
    ("wycheproof-chacha20-poly1305.json", 316),
    ("wycheproof-hkdf-sha256.json", 86),
    ("wycheproof-hkdf-sha384.json", 83),
    ("wycheproof-hkdf-sha512.json", 83),
    ("wycheproof-key-formats.json", 700),
    ("wycheproof-ml-kem-decaps.json", 579),
    ("wycheproof-ml-kem-encaps.json", 795),
    ("wycheproof-ml-kem-key-gen.json", 300),
    ("wycheproof-p256.json", 355),
    ("wycheproof-p384.json", 790),
    ("wycheproof-p521.json", 661),
    ("wycheproof-x25519.json", 518),
    ("wycheproof-x448.json", 510),
    ("x-wing.json", 3),
    ("xyber768d00.json", 2),
];

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> Set<IgnoredAny> {
    let text = std::fs::read_to_string(folder().join("data").join(file));
    Set::parse(
        file,
        &text.unwrap_or_else(|error| panic!("data/{file}: {error}")),
    )
}

#[test]
fn the_table_names_every_file() {
    let files = std::fs::read_dir(folder().join("data")).expect("data/ is beside Cargo.toml");
    let mut files: Vec<_> = files
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        files,
        COUNTS.map(|(file, _)| file),
        "add a new file to COUNTS"
    );
}

#[test]
fn every_file_has_its_number_of_entries() {
    for (file, count) in COUNTS {
        assert_eq!(read(file).entries.len(), count, "data/{file}");
    }
}

#[test]
fn every_header_is_complete() {
    for (file, _) in COUNTS {
        let Header {
            name,
            source,
            path,
            commit,
            licence,
            source_sha256,
            content_sha256,
            note,
            count: _,
        } = read(file).header;
        assert_eq!(format!("{name}.json"), file);
        for (field, text) in [
            ("source", source),
            ("path", path),
            ("commit", commit),
            ("licence", licence),
            ("note", note),
        ] {
            assert!(
                !text.trim().is_empty(),
                "data/{file}: the header's {field} is empty"
            );
        }
        for hash in [source_sha256, content_sha256]
            .iter()
            .flat_map(|hashes| hashes.split(", "))
        {
            assert!(
                hash.len() == 64 && hash.bytes().all(|c| c.is_ascii_hexdigit()),
                "data/{file}: {hash} is no SHA-256"
            );
        }
    }
}

#[test]
fn the_readme_names_every_file_with_count_and_source() {
    let readme = std::fs::read_to_string(folder().join("README.md"))
        .expect("README.md is beside Cargo.toml");
    for (file, count) in COUNTS {
        let row = readme
            .lines()
            .find(|line| line.starts_with(&format!("| `{file}` | {count} |")));
        let row =
            row.unwrap_or_else(|| panic!("README.md has no row for {file} with {count} entries"));
        let header = read(file).header;
        for part in [header.source, header.path, header.commit, header.licence] {
            assert!(
                row.contains(&part),
                "README.md, row of {file}: {part:?} is missing"
            );
        }
    }
}

/// The loaders panic if an entry lacks a field, has an unknown one, or is not hex.
#[test]
fn every_loader_parses_its_file() {
    let mut loaded = vec![
        rfc9180().header,
        hpke_pq().header,
        hpke_edge().header,
        hpke_accumulated().header,
        matched_data().header,
    ];
    loaded.extend(BikeLevel::ALL.map(|level| bike(level).header));
    loaded.extend(BikeLevel::ALL.map(|level| bike_altered(level).header));
    loaded.extend(Curve::ALL.map(|curve| wycheproof_dh(curve).header));
    loaded.push(wycheproof_key_formats().header);
    loaded.extend(Cipher::ALL.map(|cipher| wycheproof_aead(cipher).header));
    loaded.extend(Hash::ALL.map(|hash| wycheproof_hkdf(hash).header));
    loaded.extend([
        acvp_ml_kem_key_gen().header,
        wycheproof_ml_kem_key_gen().header,
    ]);
    loaded.extend(
        [
            acvp_ml_kem_encaps,
            wycheproof_ml_kem_encaps,
            cctv_ml_kem_encaps,
        ]
        .map(|load| load().header),
    );
    loaded.extend(
        [
            acvp_ml_kem_decaps,
            wycheproof_ml_kem_decaps,
            cctv_ml_kem_decaps,
        ]
        .map(|load| load().header),
    );
    loaded.extend([acvp_ml_kem_ek_check, acvp_ml_kem_dk_check].map(|load| load().header));
    loaded.extend([
        cctv_ml_kem_modulus().header,
        libcrux_invalid_dk().header,
        ml_kem_accumulated().header,
    ]);
    loaded.extend([
        age_kit().header,
        cobblestone_128().header,
        cobblestone_256().header,
    ]);
    loaded.extend([kyber768().header, x_wing().header, xyber768d00().header]);
    loaded.extend([jose_hpke, jose_hpke_pq, jose_hpke_pq_00].map(|load| load().header));
    loaded.extend([cose_hpke, cose_hpke_js].map(|load| load().header));
    loaded.push(mls().header);
    loaded.push(receipts().header);
    let mut files: Vec<_> = loaded
        .into_iter()
        .map(|header| format!("{}.json", header.name))
        .collect();
    files.sort();
    assert_eq!(
        files,
        COUNTS.map(|(file, _)| file),
        "a file without a loader, or a loader of the wrong file"
    );
}

#[test]
fn the_digest_covers_what_is_kept_where_all_is_kept() {
    for vector in [hpke_pq(), hpke_edge(), xyber768d00()]
        .into_iter()
        .flat_map(|set| set.entries)
    {
        let mut digest = Digest::new();
        for e in &vector.encryptions {
            digest.add(&e.aad, &e.pt, &e.nonce, &e.ct);
        }
        assert_eq!(vector.encryptions.len(), vector.encryption_count as usize);
        assert_eq!(vector.encryptions_sha256, digest.finish());
    }
}

#[test]
fn the_keys_of_the_modulus_set_are_as_many_as_cctv_has() {
    let counts: Vec<usize> = cctv_ml_kem_modulus()
        .entries
        .iter()
        .map(|entry| entry.keys().count())
        .collect();
    assert_eq!(counts, [775, 780, 1040]);
}

#[test]
fn inputs_of_rfc9180_can_be_regenerated() {
    for vector in rfc9180().entries {
        let export_only = vector.aead_id == 0xFFFF;
        assert_eq!(vector.encryption_count, if export_only { 0 } else { 257 });
        assert_eq!(vector.encryptions.len(), if export_only { 0 } else { 3 });
        for e in &vector.encryptions {
            assert_eq!(
                (&e.aad, &e.nonce),
                (&count_aad(e.seq), &vector.nonce(e.seq))
            );
        }
    }
}

#[test]
fn private_keys_have_the_length_of_their_curve() {
    for (curve, length) in Curve::ALL.into_iter().zip([32, 56, 32, 48, 66]) {
        assert!(
            wycheproof_dh(curve)
                .entries
                .iter()
                .all(|test| test.private.len() == length),
            "{curve:?}"
        );
    }
}
