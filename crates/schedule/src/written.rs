//! Reading what a model or an owner wrote for a schedule: an object of one of the three kinds, or a phrase. It is
//! lenient in form and strict in meaning; a phrase itself is read by `phrase`.

use crate::{bad::BadSchedule, phrase, schedule::Schedule};
use jiff::{Timestamp, Zoned, civil};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::fmt;

/// A schedule as it was written: words, or fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// A phrase such as `every weekday at 9`, or a cron expression.
    Words(String),
    /// An object.
    Fields(WrittenFields),
}

/// The fields of all kinds. Which of them are needed follows from the kind, and the kind from them if it was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenFields {
    /// `at`, `every` or `cron`.
    #[serde(default)]
    pub kind: Option<String>,
    /// ISO 8601 with or without an offset, or a phrase such as `tomorrow at 9`.
    #[serde(default)]
    pub at: Option<String>,
    /// The interval in milliseconds.
    #[serde(default, rename = "everyMs", alias = "every_ms")]
    pub every_ms: Option<u64>,
    /// A time the interval counts from, written like `at`.
    #[serde(default)]
    pub anchor: Option<String>,
    /// The cron expression.
    #[serde(default)]
    pub expr: Option<String>,
    /// The IANA name of the zone of the expression.
    #[serde(default, alias = "timezone")]
    pub tz: Option<String>,
}

impl Schedule {
    /// Reads what was written at `now`, by the owner's clock, and makes sure that it can be kept.
    pub fn parse(written: &Written, now: &Zoned) -> Result<Self, BadSchedule> {
        let schedule = match written {
            Written::Words(text) => words(text, now)?,
            Written::Fields(fields) => of_kind(fields, now)?,
        };
        schedule.check(now.timestamp(), now.time_zone())?;
        Ok(schedule)
    }
}

fn words(text: &str, now: &Zoned) -> Result<Schedule, BadSchedule> {
    if let Some(at) = iso(text, now) {
        return Ok(Schedule::At { at });
    }
    if looks_like_cron(text) {
        return Ok(Schedule::Cron { expr: text.trim().to_owned(), tz: None });
    }
    Ok(phrase::schedule(text, now)?)
}

fn of_kind(fields: &WrittenFields, now: &Zoned) -> Result<Schedule, BadSchedule> {
    let guessed = match (&fields.at, fields.every_ms, &fields.expr) {
        (Some(_), None, None) => "at",
        (None, Some(_), None) => "every",
        (None, None, Some(_)) => "cron",
        _ => "",
    };
    match fields.kind.as_deref().map_or(guessed, str::trim) {
        "at" => {
            let at = fields.at.as_deref().ok_or_else(|| lacks("at", "at", "\"2027-03-03T09:00\""))?;
            Ok(Schedule::At { at: moment(at, now)? })
        }
        "every" => {
            let every_ms = fields.every_ms.ok_or_else(|| lacks("every", "everyMs", "3600000"))?;
            let anchor = fields.anchor.as_deref().map(|anchor| moment(anchor, now)).transpose()?;
            Ok(Schedule::Every { every_ms, anchor })
        }
        "cron" => {
            let expr = fields.expr.clone().ok_or_else(|| lacks("cron", "expr", "\"0 9 * * MON-FRI\""))?;
            let tz = fields.tz.clone().filter(|tz| !tz.trim().is_empty());
            Ok(Schedule::Cron { expr: expr.trim().to_owned(), tz })
        }
        _ => Err(BadSchedule::Form(
            "a schedule has one of three kinds: `{\"kind\":\"at\",\"at\":\"2027-03-03T09:00\"}`, \
             `{\"kind\":\"every\",\"everyMs\":3600000}` or `{\"kind\":\"cron\",\"expr\":\"0 9 * * *\"}`"
                .to_owned(),
        )),
    }
}

fn lacks(kind: &str, field: &str, example: &str) -> BadSchedule {
    BadSchedule::Form(format!(
        "a schedule of kind `{kind}` needs `{field}`, for example `\"{field}\": {example}`"
    ))
}

fn moment(text: &str, now: &Zoned) -> Result<Timestamp, BadSchedule> {
    if let Some(at) = iso(text, now) {
        return Ok(at);
    }
    Ok(phrase::time(text, now)?)
}

/// A time as machines write it. One without an offset is meant by the owner's clock.
fn iso(text: &str, now: &Zoned) -> Option<Timestamp> {
    let text = text.trim();
    if !text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    if let Ok(at) = text.parse::<Zoned>() {
        return Some(at.timestamp());
    }
    let dated = text.len() > "2027-03-03".len();
    let local: civil::DateTime = dated.then(|| text.parse().ok())??;
    local.to_zoned(now.time_zone().clone()).ok().map(|at| at.timestamp())
}

/// Five to seven fields of the letters of cron, or one of its nicknames.
fn looks_like_cron(text: &str) -> bool {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let starts = |field: &&str| field.starts_with(|c: char| c.is_ascii_digit() || c == '*' || c == '?');
    text.trim_start().starts_with('@')
        || (5..=7).contains(&fields.len()) && fields.iter().take(3).all(starts) && text.is_ascii()
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordsOrFields)
    }
}

/// An untagged enum would lose what is wrong with a field.
struct WordsOrFields;

impl<'de> Visitor<'de> for WordsOrFields {
    type Value = Written;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a schedule: an object with `kind`, or a phrase such as \"every weekday at 9\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Written, E> {
        Ok(Written::Words(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Written, A::Error> {
        WrittenFields::deserialize(MapAccessDeserializer::new(map)).map(Written::Fields)
    }
}
