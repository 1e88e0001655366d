//! Footnotes: a number in the text, the note at the end, and the way back.

use super::Writer;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Footnotes, numbered in the order in which they are first referred to.
#[derive(Default)]
pub(super) struct Notes<'a> {
    numbers: HashMap<&'a str, usize>,
    /// How often each was referred to.
    uses: Vec<usize>,
    /// Finished definitions.
    pub(super) bodies: HashMap<&'a str, String>,
    /// Names of the definitions that are open.
    pub(super) open: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    pub(super) fn footnote_reference(&mut self, name: &'a str) {
        let next = self.notes.numbers.len() + 1;
        let number = *self.notes.numbers.entry(name).or_insert(next);
        if number == next {
            self.notes.uses.push(0);
        }
        self.notes.uses[number - 1] += 1;
        let back = note_reference_id(number, self.notes.uses[number - 1]);
        let _ = write!(
            self.out,
            "<sup><a class=\"note\" id=\"{back}\" href=\"#fn:{number}\" \
             role=\"doc-noteref\">{number}</a></sup>"
        );
    }

    /// The footnotes, in the order of their numbers. One that nobody refers to is left out; one
    /// that is referred to exists, or it would not be an event.
    pub(super) fn write_notes(&mut self) {
        let mut ordered: Vec<_> = self.notes.numbers.iter().map(|(name, n)| (*n, *name)).collect();
        if ordered.is_empty() {
            return;
        }
        ordered.sort_unstable();
        self.out.push_str(
            "<section class=\"notes\" role=\"doc-endnotes\" aria-label=\"Footnotes\">\n<ol>\n",
        );
        for (number, name) in ordered {
            let body = self.notes.bodies.get(name).map_or("", |body| body.trim_end());
            let mut back = String::new();
            for nth in 1..=self.notes.uses[number - 1] {
                let target = note_reference_id(number, nth);
                let _ = write!(
                    back,
                    " <a href=\"#{target}\" role=\"doc-backlink\" aria-label=\"Back to the text\">↩</a>"
                );
            }
            // The way back belongs on the last line, not below it.
            let (body, close) = match body.strip_suffix("</p>") {
                Some(body) => (body, "</p>"),
                None => (body, ""),
            };
            let _ = writeln!(self.out, "<li id=\"fn:{number}\">{body}{back}{close}</li>");
        }
        self.out.push_str("</ol>\n</section>\n");
    }
}

/// Ids of headings have no colon: these cannot meet them.
fn note_reference_id(number: usize, nth: usize) -> String {
    if nth == 1 { format!("fnref:{number}") } else { format!("fnref:{number}:{nth}") }
}
