//! The head of an article: TOML between two lines of `+++`.
//!
//! Unknown keys are errors, so that a misspelt `descripton` is found at the start and not by a
//! reader. Every complaint carries the line of the file it is about.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A day of the calendar; the later one is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    /// Of the common era.
    pub year: u16,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

/// What an article says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontMatter {
    /// Plain text, never HTML; not empty.
    pub title: String,
    /// Day of publication.
    pub date: Option<Day>,
    /// Plain text for lists, search engines and previews.
    pub description: Option<String>,
}

/// A complaint about one line of the file, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Line in the file.
    pub line: usize,
    /// What is wrong with it.
    pub cause: String,
}

/// A file taken apart: its front matter, and the offset of the Markdown that follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// What the article says about itself.
    pub head: FrontMatter,
    /// Where the Markdown begins, in bytes.
    pub body_start: usize,
}

/// Takes `text`, a whole file, apart.
///
/// # Errors
/// Every complaint about the front matter, at least one, in the order of the lines.
pub fn split(text: &str) -> Result<Split, Vec<Complaint>> {
    let one = |line, cause: &str| vec![Complaint { line, cause: cause.to_owned() }];
    let after_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
    let opening = after_mark.split_inclusive('\n').next().unwrap_or("");
    if opening.trim_end() != "+++" {
        return Err(one(1, "front matter must open the file: a line of `+++`"));
    }
    let toml_start = text.len() - after_mark.len() + opening.len();
    let mut at = toml_start;
    for line in text[toml_start..].split_inclusive('\n') {
        if line.trim_end() == "+++" {
            let head = parse(text, toml_start..at)?;
            return Ok(Split { head, body_start: at + line.len() });
        }
        at += line.len();
    }
    Err(one(1, "front matter is not closed by a second line of `+++`"))
}

/// Line of the byte at `offset`, counted from 1.
#[must_use]
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

fn parse(text: &str, range: std::ops::Range<usize>) -> Result<FrontMatter, Vec<Complaint>> {
    let base = range.start;
    let at = |offset: usize| line_of(text, base + offset);
    let (table, errors) = DeTable::parse_recoverable(&text[range]);
    if !errors.is_empty() {
        return Err(errors
            .iter()
            .map(|error| Complaint {
                line: at(error.span().map_or(0, |span| span.start)),
                cause: error.message().split_whitespace().collect::<Vec<_>>().join(" "),
            })
            .collect());
    }

    let mut complaints = Vec::new();
    let mut found = (None, None, None);
    for (key, value) in table.get_ref() {
        let mut complain = |offset: usize, cause: String| {
            complaints.push(Complaint { line: at(offset), cause });
        };
        let place = value.span().start;
        match key.get_ref().as_ref() {
            "title" => match text_of(value) {
                Some(title) if !title.trim().is_empty() => found.0 = Some(title),
                Some(_) => complain(place, "`title` is empty".to_owned()),
                None => complain(place, wrong("title", "a string", value)),
            },
            "date" => match date_of(value) {
                Some(date) => found.1 = Some(date),
                None => complain(place, wrong("date", "a day such as 2026-01-31", value)),
            },
            "description" => match text_of(value) {
                Some(description) => found.2 = Some(description),
                None => complain(place, wrong("description", "a string", value)),
            },
            other => complain(key.span().start, format!("unknown key `{other}`")),
        }
    }
    let title_missing = !table.get_ref().iter().any(|(key, _)| key.get_ref() == "title");
    if title_missing {
        complaints.push(Complaint { line: 1, cause: "`title` is missing".to_owned() });
    }
    complaints.sort_by_key(|complaint| complaint.line);
    match found {
        (Some(title), date, description) if complaints.is_empty() => {
            Ok(FrontMatter { title, date, description })
        }
        _ => Err(complaints),
    }
}

fn text_of(value: &Spanned<DeValue<'_>>) -> Option<String> {
    value.get_ref().as_str().map(str::to_owned)
}

/// A TOML date, with or without a time, bare or (as other programs write it) in quotes.
fn date_of(value: &Spanned<DeValue<'_>>) -> Option<Day> {
    match value.get_ref() {
        DeValue::Datetime(moment) => {
            moment.date.map(|date| Day { year: date.year, month: date.month, day: date.day })
        }
        DeValue::String(text) => match DeValue::parse(text) {
            Ok(bare) if bare.get_ref().is_datetime() => date_of(&bare),
            _ => None,
        },
        _ => None,
    }
}

fn wrong(key: &str, expected: &str, value: &Spanned<DeValue<'_>>) -> String {
    format!("`{key}` must be {expected}, not this {}", value.get_ref().type_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, expected: &[(usize, &str)]) {
        let complaints = split(text).expect_err("must not parse");
        let got: Vec<_> = complaints.iter().map(|c| (c.line, c.cause.as_str())).collect();
        assert_eq!(got, expected, "for {text:?}");
    }

    #[test]
    fn a_full_head() {
        let text = "+++\ntitle = \"A & B\"\ndate = 2026-02-03\ndescription = \"d\"\n+++\nbody\n";
        let split = split(text).expect("parses");
        assert_eq!(split.head.title, "A & B");
        assert_eq!(split.head.date, Some(Day { year: 2026, month: 2, day: 3 }));
        assert_eq!(split.head.description.as_deref(), Some("d"));
        assert_eq!(&text[split.body_start..], "body\n");
    }

    #[test]
    fn dates_as_others_write_them() {
        for date in ["2026-02-03T10:00:00Z", "2026-02-03 10:00:00", "\"2026-02-03\""] {
            let text = format!("+++\ntitle = \"t\"\ndate = {date}\n+++\n");
            let head = split(&text).expect("parses").head;
            assert_eq!(head.date, Some(Day { year: 2026, month: 2, day: 3 }), "for {date}");
        }
    }

    #[test]
    fn windows_line_ends_a_byte_order_mark_and_no_body() {
        let text = "\u{feff}+++\r\ntitle = \"t\"\r\n+++";
        let split = split(text).expect("parses");
        assert_eq!((split.head.title.as_str(), split.body_start), ("t", text.len()));
    }

    #[test]
    fn complaints_carry_their_line() {
        check_error("# T\n", &[(1, "front matter must open the file: a line of `+++`")]);
        check_error("", &[(1, "front matter must open the file: a line of `+++`")]);
        check_error(
            "+++\ntitle = \"t\"\n",
            &[(1, "front matter is not closed by a second line of `+++`")],
        );
        check_error("+++\n+++\n", &[(1, "`title` is missing")]);
        check_error("+++\ntitle = \" \"\n+++\n", &[(2, "`title` is empty")]);
        check_error(
            "+++\ndate = 7\ntitle = \"t\"\n\ndescripton = \"d\"\n+++\n",
            &[
                (2, "`date` must be a day such as 2026-01-31, not this integer"),
                (5, "unknown key `descripton`"),
            ],
        );
        let complaints = split("+++\ntitle = \"t\"\ndate = = 3\n+++\n").expect_err("not TOML");
        assert_eq!(complaints[0].line, 3, "{complaints:?}");
        let complaints = split("+++\ntitle = \"a\"\ntitle = \"b\"\n+++\n").expect_err("twice");
        assert_eq!(complaints[0].line, 3, "{complaints:?}");
        assert!(split("+++\ntitle = \"t\"\ndate = 2026-02-30\n+++\n").is_err(), "no such day");
    }
}
