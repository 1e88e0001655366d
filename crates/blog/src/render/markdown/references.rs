//! Links, pictures and figures: everything with an address.

use super::super::escape::{push_text, text};
use super::super::links::{self, Target};
use super::Writer;
use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use std::fmt::Write as _;
use std::ops::Range;

impl Writer<'_> {
    pub(super) fn link_start(
        &mut self,
        kind: LinkType,
        address: &str,
        title: &str,
        range: &Range<usize>,
    ) {
        let href = match kind {
            LinkType::Email => Some(format!("mailto:{address}")),
            _ => self.href(address, range),
        };
        // A link in a link, which only an address in pointed brackets can be, is its words.
        let href = href.filter(|_| !self.links.contains(&true));
        self.links.push(href.is_some());
        // A dangerous address: the words stay, the link goes.
        let Some(href) = href else { return };
        let _ = write!(self.out, "<a href=\"{}\"", text(&href));
        if !title.is_empty() {
            let _ = write!(self.out, " title=\"{}\"", text(title));
        }
        self.out.push('>');
    }

    /// The address to write into the page; `None` if it must not be written.
    fn href(&mut self, address: &str, range: &Range<usize>) -> Option<String> {
        match links::resolve(self.source.slug, address) {
            Target::Refused => None,
            Target::Here(rest) => Some(rest),
            Target::Elsewhere(address) => Some(address),
            Target::Site { path, rest } => {
                let line = self.line_of(self.source.body_start + range.start);
                let whole = format!("{path}{rest}");
                self.references.push((line, path));
                Some(whole)
            }
        }
    }

    /// Line of the byte at `offset`. Offsets mostly grow; the whole costs one pass over the file.
    fn line_of(&mut self, offset: usize) -> usize {
        let (from, line) = if offset < self.line.0 { (0, 1) } else { self.line };
        let passed = self.source.text.as_bytes()[from..offset].iter();
        self.line = (offset, line + passed.filter(|byte| **byte == b'\n').count());
        self.line.1
    }

    /// A picture in the line of text. One from another site becomes a link to it: a page of this
    /// site asks nobody else for anything.
    pub(super) fn image(&mut self, address: &str, alt: &str, title: &str, range: &Range<usize>) {
        let ours = matches!(links::resolve(self.source.slug, address), Target::Site { .. });
        let Some(src) = self.href(address, range) else {
            return push_text(&mut self.out, alt);
        };
        let inside_link = self.links.contains(&true);
        if ours {
            let _ = write!(self.out, "<img src=\"{}\" alt=\"{}\"", text(&src), text(alt));
            if !title.is_empty() {
                let _ = write!(self.out, " title=\"{}\"", text(title));
            }
            self.out.push('>');
        } else if inside_link {
            push_text(&mut self.out, alt);
        } else {
            let label = if alt.trim().is_empty() { &src } else { alt };
            let _ = write!(self.out, "<a href=\"{}\">{}</a>", text(&src), text(label));
        }
    }

    /// A paragraph of nothing but pictures of this site is figures. Returns the index of its end.
    pub(super) fn figures(&mut self, at: usize) -> Option<usize> {
        let mut found = Vec::new();
        let mut next = at + 1;
        let end = loop {
            match &self.events.get(next)?.0 {
                Event::Start(Tag::Image { dest_url, title, .. }) => {
                    let ours =
                        matches!(links::resolve(self.source.slug, dest_url), Target::Site { .. });
                    if !ours {
                        return None;
                    }
                    let (alt, end) = self.plain_text(next);
                    found.push((dest_url, title, alt, &self.events[next].1));
                    next = end + 1;
                }
                Event::SoftBreak | Event::HardBreak => next += 1,
                Event::End(TagEnd::Paragraph) => break next,
                _ => return None,
            }
        };
        for (address, title, alt, range) in found {
            self.figure(address, &alt, title, range);
        }
        Some(end)
    }

    fn figure(&mut self, address: &CowStr<'_>, alt: &str, title: &str, range: &Range<usize>) {
        let Some(src) = self.href(address, range) else {
            return;
        };
        let src = text(&src);
        let alt = text(alt);
        // The picture leads to itself, at its full size.
        let _ = write!(
            self.out,
            "<figure>\n<a href=\"{src}\"><img src=\"{src}\" alt=\"{alt}\" decoding=\"async\"></a>\n"
        );
        if !title.is_empty() {
            let _ = writeln!(self.out, "<figcaption>{}</figcaption>", text(title));
        }
        self.out.push_str("</figure>\n");
    }
}
