//! The options for opening records, as command lines and configurations give them, and what follows
//! from them: rules, and a pipeline.

use std::fmt;

use pqseal_hpke::Policy;
use pqseal_keys::base64;
use pqseal_matched_data::KeyRing;
use pqseal_records::{
    FieldPath, OnField, Preset, ResultFormat, Rule, Rules, Selector,
    otlp::{self, OtlpError},
};
use pqseal_sealed::{Keys, Kind};
use serde_json::{Value, json};

use crate::{
    batches::{Framing, Limits},
    error::Error,
    opener::Opener,
    pipeline::Pipeline,
};

/// The options for opening the sealed fields of records.
///
/// ```
/// use pqseal_matched_data::KeyRing;
/// use pqseal_pipeline::{FieldSelection, RecordOpenOptions};
/// use pqseal_records::OnField;
/// use pqseal_sealed::Keys;
///
/// let options = RecordOpenOptions {
///     fields: FieldSelection::Named {
///         fields: vec![".http.encrypted_body".parse()?],
///         into: vec!["body".to_owned()],
///     },
///     mode: Some(OnField::Replace),
///     ..RecordOpenOptions::default()
/// };
/// assert_eq!(options.rules()?.rules[0].into, "body");
/// // With the keys of a key file added.
/// let ring = KeyRing::new();
/// let keys = Keys::new(&ring)?;
/// let pipeline = options.pipeline(ring, keys)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordOpenOptions {
    /// The fields to open.
    pub fields: FieldSelection,
    /// The kind of all sealed values. `None` is that of the preset, or each is detected.
    pub kind: Option<Kind>,
    /// The treatment of the fields. `None` is that of the preset, or [`OnField::Keep`].
    pub mode: Option<OnField>,
    /// The format of the results. `None` is that of the preset, or [`ResultFormat::String`].
    pub form: Option<ResultFormat>,
    /// The field that blobs are bound to (version 4).
    pub aad_from: Option<FieldPath>,
    /// Set if a field is opened although its result is already there ([`Rules::again`]).
    pub again: bool,
    /// The application context that blobs are bound to (version 4).
    pub info: Vec<u8>,
    /// Set if experimental algorithms are allowed.
    pub allow_experimental: bool,
    /// The lowest version of matched data that is opened, from 1 to 4
    /// ([`KeyRing::require_version`]).
    pub min_version: u8,
    /// Set if each event of a JSON document is written on a line ([`Pipeline::exploded`]).
    pub explode: bool,
    /// The maximum number of fields in one record ([`Rules::max_fields`]).
    pub max_fields: usize,
    /// The separation of records.
    pub framing: Framing,
    /// The limits on memory.
    pub limits: Limits,
    /// The number of threads; 0 for one per core.
    pub threads: usize,
}

/// The choice of fields.
#[derive(Clone, Debug)]
pub enum FieldSelection {
    /// The fields of a log service.
    Preset(Preset),
    /// These fields of OTLP.
    Otlp(Vec<FieldPath>),
    /// These fields.
    Named {
        /// The paths.
        fields: Vec<FieldPath>,
        /// The name of each result; empty for the default names.
        into: Vec<String>,
    },
}

/// The reason why options do not fit together. The text advises in the terms of `pqseal logs`.
#[derive(Debug)]
#[non_exhaustive]
pub enum OptionError {
    /// OTLP is selected without fields.
    OtlpWithoutFields,
    /// A field is not one of OTLP, or is named twice.
    Otlp(OtlpError),
    /// There is not one name of a result per field.
    ResultNames,
    /// A value of OTLP is restored as it was, so it has no mode, format or kind.
    OtlpRestored,
    /// A record is replaced by its results, so its fields have no mode.
    Replaced,
    /// A record is replaced by its results, so it has no events.
    ReplacedEvents,
    /// A result would be beside an item of an array.
    BesideItem,
    /// A field is named twice.
    SameField(FieldPath),
    /// One of two fields contains the other.
    Overlap(FieldPath, FieldPath),
    /// The results of two fields have the same name, and would be in the same object.
    SameResult(FieldPath, FieldPath, String),
    /// A lowest version is required, and values of this kind are bound to no record.
    Unbound(Kind),
    /// The threads could not be started.
    Start(Error),
}

impl Default for RecordOpenOptions {
    fn default() -> Self {
        Self {
            fields: FieldSelection::Preset(Preset::Auto),
            kind: None,
            mode: None,
            form: None,
            aad_from: None,
            again: false,
            info: Vec::new(),
            allow_experimental: false,
            min_version: 1,
            explode: false,
            max_fields: Rules::default().max_fields,
            framing: Framing::default(),
            limits: Limits::default(),
            threads: 0,
        }
    }
}

impl RecordOpenOptions {
    /// Returns the rules.
    ///
    /// # Errors
    /// [`OptionError`] if fields cannot be opened together, or options do not fit them.
    pub fn rules(&self) -> Result<Rules, OptionError> {
        let json = Kind::json_values(self.required_kind()?);
        let rules = self.fields.rules()?;
        let is_restored = self.mode.is_some() || self.form.is_some() || self.kind.is_some();
        if rules.is_otlp() && is_restored {
            return Err(OptionError::OtlpRestored);
        }
        if rules.apart.is_some() && self.mode.is_some() {
            return Err(OptionError::Replaced);
        }
        let rules = Rules {
            mode: self.mode.unwrap_or(rules.mode),
            form: self.form.unwrap_or(rules.form),
            aad_from: self.aad_from.clone(),
            json,
            again: self.again,
            max_fields: self.max_fields,
            ..rules
        };
        let fields = self.fields.named();
        if rules.mode != OnField::Replace && fields.iter().any(|path| path.name().is_none()) {
            return Err(OptionError::BesideItem);
        }
        check_fields(&rules)?;
        match self.explode && rules.apart.is_some() {
            true => Err(OptionError::ReplacedEvents),
            false => Ok(rules),
        }
    }

    /// Returns the kind of all values, as it is given or as the preset has it; `None` if each is
    /// detected.
    pub fn kind(&self) -> Option<Kind> {
        self.kind.or(match self.fields {
            FieldSelection::Preset(preset) => Kind::of_preset(preset),
            _ => None,
        })
    }

    fn required_kind(&self) -> Result<Option<Kind>, OptionError> {
        Kind::required(self.kind(), self.min_version).map_err(OptionError::Unbound)
    }

    /// Returns a pipeline that opens with the keys of `ring`, and sealed values of other kinds with
    /// `others`, which begin with those of the ring.
    ///
    /// # Errors
    /// [`OptionError`] as [`Self::rules`], or if threads cannot be started.
    pub fn pipeline(
        self,
        mut ring: KeyRing,
        others: Keys,
    ) -> Result<Pipeline<Opener>, OptionError> {
        let (rules, kind) = (self.rules()?, self.required_kind()?);
        let policy = match self.allow_experimental {
            true => Policy::draft().with_experimental(),
            false => Policy::draft(),
        };
        ring.require_version(self.min_version);
        let opener = Opener::bound(ring, self.info, policy).with_others(others, kind);
        let pipeline = Pipeline::new(opener, rules, self.threads).map_err(OptionError::Start)?;
        let pipeline = pipeline.framed(self.framing, self.limits);
        Ok(match self.explode {
            true => pipeline.exploded(),
            false => pipeline,
        })
    }

    /// Returns all options that affect outputs, as JSON, which is the same in every release: see
    /// [`Rules::canonical`].
    ///
    /// # Errors
    /// [`OptionError`] as [`Self::rules`].
    pub fn canonical(&self) -> Result<Value, OptionError> {
        // In alphabetical order, so that no feature of serde_json changes it.
        let mut options = json!({
            "allow_experimental": self.allow_experimental,
            "explode": self.explode,
            "framing": self.framing.to_string(),
            "info": base64::encode(&self.info),
            "max_line": self.limits.record,
            "min_version": self.min_version,
            "rules": self.rules()?.canonical(),
        });
        // Earlier releases had no such member.
        if let Some(kind) = self.kind() {
            options["sealed_as"] = kind.name().into();
        }
        Ok(options)
    }
}

impl FieldSelection {
    /// Returns the paths of the fields that are named; none if a preset names them.
    pub fn named(&self) -> &[FieldPath] {
        match self {
            Self::Preset(_) => &[],
            Self::Otlp(fields) | Self::Named { fields, .. } => fields,
        }
    }

    /// Returns rules for the fields, with the default treatment.
    ///
    /// # Errors
    /// [`OptionError`] if a field is not one of OTLP, or the names of results do not fit.
    pub fn rules(&self) -> Result<Rules, OptionError> {
        let (fields, into) = match self {
            Self::Preset(preset) => return Ok(preset.rules()),
            Self::Otlp(fields) if fields.is_empty() => return Err(OptionError::OtlpWithoutFields),
            Self::Otlp(fields) => {
                return otlp::rules(fields.iter().cloned()).map_err(OptionError::Otlp);
            }
            Self::Named { fields, into } => (fields, into),
        };
        let mut rules: Vec<_> = fields.iter().cloned().map(Rule::field).collect();
        if !into.is_empty() && into.len() != fields.len() {
            return Err(OptionError::ResultNames);
        }
        for (rule, into) in rules.iter_mut().zip(into) {
            rule.into.clone_from(into);
        }
        Ok(Rules {
            rules,
            named: true,
            ..Rules::default()
        })
    }
}

/// Refuses fields that overlap, and two results of one name in one object, which would break
/// records.
///
/// # Errors
/// [`OptionError`] if there are such fields.
pub fn check_fields(rules: &Rules) -> Result<(), OptionError> {
    let fields = rules.rules.iter().filter_map(|rule| match &rule.find {
        Selector::Field(path) => Some((path, &rule.into)),
        _ => None,
    });
    let fields: Vec<_> = fields.collect();
    for (number, (field, into)) in fields.iter().enumerate() {
        // The result that replaces an item of an array has no name.
        let is_named = field.name().is_some() || rules.mode != OnField::Replace;
        for (before, other) in &fields[..number] {
            return Err(if field == before {
                OptionError::SameField((*field).clone())
            } else if field.overlaps(before) {
                OptionError::Overlap((*before).clone(), (*field).clone())
            } else if is_named && into == other && field.is_beside(before) {
                OptionError::SameResult((*before).clone(), (*field).clone(), (*into).clone())
            } else {
                continue;
            });
        }
    }
    Ok(())
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtlpWithoutFields => {
                "--preset otlp needs --field, such as body or attributes[\"url.query\"]; otlp-genai and otlp-http name fields themselves"
            }
            Self::ResultNames => {
                "give --into as often as --field, in the same order, or not at all"
            }
            Self::OtlpRestored => {
                "values of OTLP are restored as they were; leave --keep, --replace, --drop-encrypted, --as and --sealed-as out"
            }
            Self::Replaced => {
                "agent receipts are replaced by their results; leave --keep, --replace and --drop-encrypted out"
            }
            Self::ReplacedEvents => {
                "agent receipts are replaced by their results, which are no events; leave --explode out"
            }
            Self::BesideItem => {
                "a result cannot be written next to an item of an array; add --replace"
            }
            Self::Otlp(error) => return error.fmt(f),
            Self::Start(error) => return error.fmt(f),
            Self::SameField(field) => {
                return write!(f, "the field {field} is named twice; name it once");
            }
            Self::Overlap(before, field) => {
                return write!(
                    f,
                    "the fields {before} and {field} overlap; name only one of them"
                );
            }
            Self::SameResult(before, field, into) => {
                return write!(
                    f,
                    "the results of {before} and {field} would both be called {into}; give each its own name with --into"
                );
            }
            Self::Unbound(kind) => {
                return write!(
                    f,
                    "--min-version is for matched data, and values of the kind {kind} are bound to no record; leave one out"
                );
            }
        })
    }
}

impl std::error::Error for OptionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Otlp(error) => Some(error),
            Self::Start(error) => Some(error),
            _ => None,
        }
    }
}
