//! `pqseal suites`: lists the registered algorithms, also as a cryptography bill of materials:
//! CycloneDX 1.6, `cryptoProperties` of assets of the type `algorithm`.

use clap::Args;
use pqseal_hpke::{AEADS, Aead, KDFS, KemInfo, Status};
use pqseal_keys::{REFUSED_KEMS, caution, kems};
use serde_json::{Value, json};

use crate::{
    error::Error,
    output::to_stdout,
    suite::{hex, source},
};

/// The arguments of `pqseal suites`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("All algorithms", "pqseal suites"),
    ("As JSON, one per line", "pqseal --json suites"),
    ("As a cryptography bill of materials", "pqseal suites --cbom > cbom.cdx.json"),
]))]
pub struct Suites {
    /// Print a cryptography bill of materials: CycloneDX 1.6, with the parameter set and NIST's
    /// quantum security level of each algorithm, 0 if a quantum computer breaks it
    #[arg(long)]
    cbom: bool,
}

impl Suites {
    /// Prints the lists.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<(), Error> {
        let text = if self.cbom {
            format!("{:#}\n", cbom())
        } else if json {
            format!("{}\n", as_json())
        } else {
            as_text()
        };
        to_stdout(text.as_bytes())
    }
}

fn as_text() -> String {
    let (short, long) = (widest(|kem| kem.short_name), widest(|kem| kem.name));
    let kem_names = kems().map(|kem| kem.info()).map(|kem| {
        let modes = match kem.auth {
            true => "base, psk; auth, auth_psk (RFC 9180 only)",
            false => "base, psk",
        };
        let (id, typed, name, status) = (kem.id, kem.short_name, kem.name, shown(kem.status));
        format!("  {id:#06x}  {typed:short$}  {name:long$}  {modes:41}  {status}\n")
    });
    let kem_sizes = kems().map(|kem| kem.info()).map(|kem| {
        let sizes = [kem.n_secret, kem.n_enc, kem.n_pk, kem.n_sk].map(|size| format!("{size:>6}"));
        let (id, typed) = (kem.id, kem.short_name);
        format!("  {id:#06x}  {typed:short$}{}\n", sizes.concat())
    });
    let kdfs = KDFS.iter().map(|kdf| kdf.info()).map(|kdf| {
        let stages = match kdf.one_stage {
            true => "one-stage",
            false => "two-stage",
        };
        let (id, name, size, status) = (kdf.id, kdf.name, kdf.n_h, shown(kdf.status));
        format!("  {id:#06x}  {name:<18}{size:>4}  {stages}  {status}\n")
    });
    let aeads = AEADS.iter().map(|aead| aead.info()).map(|aead| {
        let sizes = [aead.n_k, aead.n_n, aead.n_t].map(|size| format!("{size:>4}"));
        let (id, name, status) = (aead.id, aead.name, shown(aead.status));
        format!("  {id:#06x}  {name:<18}{}  {status}\n", sizes.concat())
    });
    let refused = REFUSED_KEMS.iter().map(|kem| {
        let id = kem.id.map_or("none".to_owned(), hex);
        format!("  {id:6}  {:<10}  {}\n", kem.short_name, kem.reason)
    });
    format!(
        "KEM     id, name to type, registered name, modes, status\n{}\n\
         KEM     id, name to type, sizes Nsecret Nenc Npk Nsk\n{}\n\
         EXPERIMENTAL KEMs: name, what to know before --allow-experimental\n{}\n\
         KDF     id, registered name, size Nh, stages, status\n{}\n\
         AEAD    id, registered name, sizes Nk Nn Nt, status\n{}\n\
         REFUSED KEMs: id, name, reason\n{}",
        kem_names.collect::<String>(),
        kem_sizes.collect::<String>(),
        cautions(),
        kdfs.collect::<String>(),
        aeads.collect::<String>(),
        refused.collect::<String>(),
    )
}

/// Returns the width of a column of the KEMs' names.
fn widest(name: fn(&KemInfo) -> &str) -> usize {
    kems()
        .map(|kem| name(kem.info()).len())
        .max()
        .unwrap_or_default()
}

/// Returns one entry for the KEMs that share a caution.
fn cautions() -> String {
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    for kem in kems().map(|kem| kem.info()) {
        let Some(text) = caution(kem) else { continue };
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(kem.short_name),
            None => texts.push((text, vec![kem.short_name])),
        }
    }
    texts
        .iter()
        .map(|(text, names)| format!("  {}\n  {text}\n", names.join(", ")))
        .collect()
}

/// Returns the status with its document.
fn shown(status: Status) -> String {
    if status == Status::Standard {
        format!("{status} ({})", source(status))
    } else {
        status.to_string()
    }
}

fn as_json() -> Value {
    let kems = kems().map(|kem| kem.info()).map(|kem| {
        json!({
            "id": hex(kem.id), "name": kem.name, "short_name": kem.short_name, "n_secret": kem.n_secret, "n_enc": kem.n_enc,
            "n_pk": kem.n_pk, "n_sk": kem.n_sk, "status": kem.status.to_string(), "source": source(kem.status),
            "caution": caution(kem), "modes": ["base", "psk"], "modes_rfc9180_only": if kem.auth { vec!["auth", "auth_psk"] } else { vec![] },
        })
    });
    let kdfs = KDFS.iter().map(|kdf| kdf.info()).map(|kdf| {
        json!({
            "id": hex(kdf.id), "name": kdf.name, "n_h": kdf.n_h, "one_stage": kdf.one_stage, "status": kdf.status.to_string(),
            "source": source(kdf.status),
        })
    });
    let aeads = AEADS.iter().map(|aead| aead.info()).map(|aead| {
        json!({
            "id": hex(aead.id), "name": aead.name, "n_k": aead.n_k, "n_n": aead.n_n, "n_t": aead.n_t,
            "status": aead.status.to_string(), "source": source(aead.status),
        })
    });
    let refused = REFUSED_KEMS.iter().map(
        |kem| json!({ "id": kem.id.map(hex), "short_name": kem.short_name, "reason": kem.reason }),
    );
    json!({
        "kems": kems.collect::<Vec<_>>(), "kdfs": kdfs.collect::<Vec<_>>(),
        "aeads": aeads.collect::<Vec<_>>(), "refused_kems": refused.collect::<Vec<_>>(),
    })
}

/// The properties of an algorithm that its registry does not have.
///
/// `quantum` is the security category of NIST's call for proposals (2016, section 4.A.5), or 0 if
/// a quantum computer breaks the algorithm. It is that of FIPS 203, section 8, for ML-KEM, and the
/// one that the authors claim for BIKE and Kyber. A hybrid has that of its post-quantum half. For
/// AEADs the category is that of a key search. For KDFs it is that of the hash function's
/// collisions; SHAKE128 and TurboSHAKE128 claim 128 bits against any attack, which is category 1.
struct Entry {
    id: u16,
    /// A number or name within the family, as the `parameterSetIdentifier` of CycloneDX.
    parameter_set: &'static str,
    curve: &'static str,
    /// The id of the KEM that a hybrid combines with its curve; 0 if it is not a hybrid of one.
    half: u16,
    quantum: u8,
}

const fn entry(id: u16, parameter_set: &'static str, quantum: u8) -> Entry {
    Entry {
        id,
        parameter_set,
        curve: "",
        half: 0,
        quantum,
    }
}

const fn dhkem(id: u16, curve: &'static str) -> Entry {
    Entry {
        curve,
        ..entry(id, "", 0)
    }
}

const fn hybrid(id: u16, half: &Entry, curve: &'static str) -> Entry {
    Entry {
        curve,
        half: half.id,
        ..entry(id, half.parameter_set, half.quantum)
    }
}

const ML_KEM_512: Entry = entry(0x0040, "512", 1);
const ML_KEM_768: Entry = entry(0x0041, "768", 3);
const ML_KEM_1024: Entry = entry(0x0042, "1024", 5);
const BIKE_L1: Entry = entry(0xff11, "L1", 1);
const BIKE_L3: Entry = entry(0xff13, "L3", 3);
const BIKE_L5: Entry = entry(0xff15, "L5", 5);

static OF_KEMS: [Entry; 18] = [
    dhkem(0x0010, "P-256"),
    dhkem(0x0011, "P-384"),
    dhkem(0x0012, "P-521"),
    dhkem(0x0020, "Curve25519"),
    dhkem(0x0021, "Curve448"),
    ML_KEM_512,
    ML_KEM_768,
    ML_KEM_1024,
    hybrid(0x647a, &ML_KEM_768, "Curve25519"),
    hybrid(0x0050, &ML_KEM_768, "P-256"),
    hybrid(0x0051, &ML_KEM_1024, "P-384"),
    // Its Kyber768 is not a KEM of its own here.
    Entry {
        curve: "Curve25519",
        ..entry(0x0030, "768", 3)
    },
    BIKE_L1,
    BIKE_L3,
    BIKE_L5,
    hybrid(0xff21, &BIKE_L1, "Curve25519"),
    hybrid(0xff23, &BIKE_L3, "Curve25519"),
    hybrid(0xff25, &BIKE_L5, "Curve25519"),
];

static OF_KDFS: [Entry; 7] = [
    entry(0x0001, "256", 2),
    entry(0x0002, "384", 4),
    entry(0x0003, "512", 5),
    entry(0x0010, "128", 1),
    entry(0x0011, "256", 5),
    entry(0x0012, "128", 1),
    entry(0x0013, "256", 5),
];

static OF_AEADS: [Entry; 3] = [
    entry(0x0001, "128", 1),
    entry(0x0002, "256", 5),
    entry(0x0003, "256", 5),
];

fn entry_of(entries: &[Entry], id: u16) -> Option<&Entry> {
    entries.iter().find(|entry| entry.id == id)
}

/// Returns the bill of materials. It has neither a time nor a serial number, so two runs of one
/// version give the same bytes.
fn cbom() -> Value {
    let mut components = Vec::new();
    for kem in kems().map(|kem| kem.info()) {
        let Some(entry) = entry_of(&OF_KEMS, kem.id) else {
            continue;
        };
        let is_hybrid = !entry.curve.is_empty() && !entry.parameter_set.is_empty();
        let primitive = if is_hybrid { "combiner" } else { "kem" };
        let functions = ["keygen", "encapsulate", "decapsulate"];
        let mut component = component("kem", kem.name, kem.status, entry, primitive, &functions);
        if let Some(caution) = caution(kem) {
            component["description"] = caution.into();
        }
        components.push(component);
    }
    components.extend(KDFS.iter().map(|kdf| kdf.info()).filter_map(|kdf| {
        let (entry, functions) = (entry_of(&OF_KDFS, kdf.id)?, ["keyderive"]);
        let status = kdf.status;
        Some(component("kdf", kdf.name, status, entry, "kdf", &functions))
    }));
    // Export-only is not an algorithm.
    components.extend(AEADS.iter().map(|aead| aead.info()).filter_map(|aead| {
        let (entry, functions) = (entry_of(&OF_AEADS, aead.id)?, ["encrypt", "decrypt", "tag"]);
        let status = aead.status;
        Some(component(
            "aead", aead.name, status, entry, "ae", &functions,
        ))
    }));
    let all: Vec<&Value> = components.iter().map(|each| &each["bom-ref"]).collect();
    let mut dependencies = vec![json!({ "ref": "pqseal", "provides": all })];
    let hybrids = OF_KEMS.iter().filter(|entry| entry.half != 0);
    dependencies.extend(hybrids.map(|entry| {
        json!({ "ref": reference("kem", entry.id), "dependsOn": [reference("kem", entry.half)] })
    }));
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": "pqseal", "name": "pqseal", "version": version,
            "purl": format!("pkg:cargo/pqseal@{version}"),
        } },
        "components": components,
        "dependencies": dependencies,
    })
}

fn component(
    registry: &str,
    name: &str,
    status: Status,
    entry: &Entry,
    primitive: &str,
    functions: &[&str],
) -> Value {
    let mut properties = json!({ "primitive": primitive });
    for (member, value) in [
        ("parameterSetIdentifier", entry.parameter_set),
        ("curve", entry.curve),
    ] {
        if !value.is_empty() {
            properties[member] = value.into();
        }
    }
    properties["cryptoFunctions"] = json!(functions);
    properties["nistQuantumSecurityLevel"] = entry.quantum.into();
    json!({
        "type": "cryptographic-asset",
        "bom-ref": reference(registry, entry.id),
        "name": name,
        "cryptoProperties": { "assetType": "algorithm", "algorithmProperties": properties },
        "properties": [
            { "name": "pqseal:hpke-id", "value": hex(entry.id) },
            { "name": "pqseal:status", "value": status.to_string() },
            { "name": "pqseal:source", "value": source(status) },
        ],
    })
}

fn reference(registry: &str, id: u16) -> String {
    format!("{registry}-{id:#06x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_registered_algorithm_is_in_it_once() {
        let cbom = cbom();
        let listed: Vec<_> = cbom["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|each| each["bom-ref"].as_str().unwrap().to_owned())
            .collect();
        let kems = kems().map(|kem| reference("kem", kem.info().id));
        let kdfs = KDFS.iter().map(|kdf| reference("kdf", kdf.info().id));
        let aeads = AEADS.iter().map(Aead::info).filter(|aead| aead.n_t > 0);
        let aeads = aeads.map(|aead| reference("aead", aead.id));
        assert_eq!(listed, kems.chain(kdfs).chain(aeads).collect::<Vec<_>>());
    }

    #[test]
    fn parameter_sets_and_levels_are_those_of_the_names() {
        for kem in kems().map(|kem| kem.info()) {
            let entry = entry_of(&OF_KEMS, kem.id).unwrap();
            assert!(kem.name.contains(entry.parameter_set), "{}", kem.name);
            let level = match entry.parameter_set {
                "512" | "L1" => 1,
                "768" | "L3" => 3,
                "1024" | "L5" => 5,
                _ => 0,
            };
            assert_eq!(entry.quantum, level, "{}", kem.name);
        }
        for kdf in KDFS {
            let entry = entry_of(&OF_KDFS, kdf.info().id).unwrap();
            assert!(kdf.info().name.ends_with(entry.parameter_set));
        }
    }
}
