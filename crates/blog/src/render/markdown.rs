//! Markdown to HTML.
//!
//! `pulldown-cmark` gives events; its own HTML writer is not used, because nearly everything a
//! reader notices differs here: figures with captions, tables in a container that scrolls, anchors
//! at headings, footnotes at the end with a way back, addresses that work from the page, raw HTML
//! as text. One pass, no recursion: depth costs no stack.

mod notes;
mod references;

use super::escape::{push_text, text};
use notes::Notes;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// An article's body as HTML.
#[derive(Debug, Default)]
pub struct Rendered {
    /// The body, without the title.
    pub html: String,
    /// Addresses on this site that the article refers to, with the line of each.
    pub references: Vec<(usize, String)>,
    /// Words of prose: tables and code are looked at, not read.
    pub words: usize,
}

/// Where Markdown comes from: needed to resolve addresses and to name lines.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Name of the article's folder.
    pub slug: &'a str,
    /// Its title: a first heading that repeats it is left out.
    pub title: &'a str,
    /// The whole file.
    pub text: &'a str,
    /// Where the Markdown begins in it.
    pub body_start: usize,
}

/// Ids the theme uses itself.
const IDS_TAKEN: [&str; 2] = ["main", "title"];

type Spanned<'a> = (Event<'a>, Range<usize>);

/// Renders the body of an article.
#[must_use]
pub fn render(source: Source<'_>) -> Rendered {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let body = &source.text[source.body_start..];
    let events: Vec<Spanned<'_>> = Parser::new_ext(body, options).into_offset_iter().collect();
    let mut writer = Writer::new(source, &events);
    let mut at = writer.skip_repeated_title();
    while at < events.len() {
        at = writer.event(at);
    }
    writer.finish()
}

struct Writer<'a> {
    source: Source<'a>,
    events: &'a [Spanned<'a>],
    out: String,
    /// What was being written when a footnote's definition began.
    outer: Vec<String>,
    notes: Notes<'a>,
    references: Vec<(usize, String)>,
    words: usize,
    /// Ids that are taken, and the number to try next for a heading of the same name.
    ids: HashMap<String, usize>,
    /// 1 if the body has headings of the first level, which is the title's own.
    heading_shift: usize,
    /// The last one.
    heading: Heading,
    tables: usize,
    table: Option<Table<'a>>,
    in_code: bool,
    /// An offset in the file, and the line it is on: counting goes on from there.
    line: (usize, usize),
    /// For each open link: whether it has an element to close.
    links: Vec<bool>,
}

#[derive(Default)]
struct Heading {
    id: String,
    text: String,
}

struct Table<'a> {
    alignments: &'a [Alignment],
    column: usize,
    in_head: bool,
}

impl<'a> Writer<'a> {
    fn new(source: Source<'a>, events: &'a [Spanned<'a>]) -> Self {
        Self {
            source,
            events,
            out: String::with_capacity(source.text.len() * 2),
            outer: Vec::new(),
            notes: Notes::default(),
            references: Vec::new(),
            words: 0,
            ids: IDS_TAKEN.iter().map(|id| ((*id).to_owned(), 1)).collect(),
            heading_shift: 0,
            heading: Heading::default(),
            line: (0, 1),
            tables: 0,
            table: None,
            in_code: false,
            links: Vec::new(),
        }
    }

    /// The index of the first event to render.
    fn skip_repeated_title(&mut self) -> usize {
        let is_top = |event: &Event<'_>| {
            matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }))
        };
        let mut start = 0;
        if self.events.first().is_some_and(|(event, _)| is_top(event)) {
            let (title, end) = self.plain_text(0);
            if title.trim() == self.source.title.trim() {
                start = end + 1;
            }
        }
        self.heading_shift =
            usize::from(self.events[start..].iter().any(|(event, _)| is_top(event)));
        start
    }

    /// Renders the event at `at` and returns the index of the next one.
    fn event(&mut self, at: usize) -> usize {
        let (event, range) = &self.events[at];
        match event {
            Event::Start(tag) => return self.start(at, tag, range),
            Event::End(tag) => self.end(*tag),
            Event::Text(content) => {
                if !self.in_code && self.table.is_none() {
                    self.words += content.split_whitespace().count();
                }
                push_text(&mut self.out, content);
            }
            Event::Code(code) => {
                self.out.push_str("<code>");
                push_text(&mut self.out, code);
                self.out.push_str("</code>");
            }
            // Raw HTML is text. A comment was never meant for the reader.
            Event::Html(html) | Event::InlineHtml(html) => {
                if !is_comment(html) {
                    push_text(&mut self.out, html);
                }
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>\n"),
            Event::Rule => self.out.push_str("<hr>\n"),
            Event::TaskListMarker(done) => {
                let checked = if *done { " checked" } else { "" };
                let label = if *done { "done" } else { "open" };
                let _ = write!(
                    self.out,
                    "<input type=\"checkbox\" disabled{checked} aria-label=\"{label}\"> "
                );
            }
            Event::FootnoteReference(name) => self.footnote_reference(name),
            // Maths comes with its own renderer; without it the source is what can be shown.
            Event::InlineMath(source) | Event::DisplayMath(source) => {
                self.out.push_str("<code>");
                push_text(&mut self.out, source);
                self.out.push_str("</code>");
            }
        }
        at + 1
    }

    fn start(&mut self, at: usize, tag: &'a Tag<'a>, range: &Range<usize>) -> usize {
        match tag {
            Tag::Paragraph => {
                if let Some(end) = self.figures(at) {
                    return end + 1;
                }
                self.out.push_str("<p>");
            }
            Tag::Heading { level, .. } => self.heading_start(at, *level),
            Tag::BlockQuote(_) => self.out.push_str("<blockquote>\n"),
            Tag::CodeBlock(kind) => {
                self.in_code = true;
                self.code_start(kind);
            }
            Tag::HtmlBlock => return self.html_block(at),
            Tag::List(Some(1)) => self.out.push_str("<ol>\n"),
            Tag::List(Some(first)) => {
                let _ = writeln!(self.out, "<ol start=\"{first}\">");
            }
            Tag::List(None) => self.out.push_str("<ul>\n"),
            Tag::Item => self.out.push_str("<li>"),
            Tag::FootnoteDefinition(name) => {
                self.notes.open.push(name);
                self.outer.push(std::mem::take(&mut self.out));
            }
            Tag::Table(alignments) => self.table_start(alignments),
            Tag::TableHead => {
                self.out.push_str("<thead>\n<tr>");
                self.table_cells(true);
            }
            Tag::TableRow => {
                self.out.push_str("<tr>");
                self.table_cells(false);
            }
            Tag::TableCell => self.cell_start(),
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Superscript => self.out.push_str("<sup>"),
            Tag::Subscript => self.out.push_str("<sub>"),
            Tag::Link { link_type, dest_url, title, .. } => {
                self.link_start(*link_type, dest_url, title, range);
            }
            Tag::Image { dest_url, title, .. } => {
                let (alt, end) = self.plain_text(at);
                self.image(dest_url, &alt, title, range);
                return end + 1;
            }
            // Not asked for in the options.
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => {}
        }
        at + 1
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.out.push_str("</p>\n"),
            TagEnd::Heading(level) => self.heading_end(level),
            TagEnd::BlockQuote(_) => self.out.push_str("</blockquote>\n"),
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.out.push_str("</code></pre>\n");
            }
            TagEnd::List(true) => self.out.push_str("</ol>\n"),
            TagEnd::List(false) => self.out.push_str("</ul>\n"),
            TagEnd::Item => self.out.push_str("</li>\n"),
            TagEnd::FootnoteDefinition => {
                let outer = self.outer.pop().expect("a definition that ends has begun");
                let body = std::mem::replace(&mut self.out, outer);
                let name = self.notes.open.pop().expect("a definition that ends has begun");
                self.notes.bodies.entry(name).or_insert(body);
            }
            TagEnd::Table => {
                self.table = None;
                self.out.push_str("</tbody>\n</table>\n</div>\n");
            }
            TagEnd::TableHead => self.out.push_str("</tr>\n</thead>\n<tbody>\n"),
            TagEnd::TableRow => self.out.push_str("</tr>\n"),
            TagEnd::TableCell => self.cell_end(),
            TagEnd::Emphasis => self.out.push_str("</em>"),
            TagEnd::Strong => self.out.push_str("</strong>"),
            TagEnd::Strikethrough => self.out.push_str("</del>"),
            TagEnd::Superscript => self.out.push_str("</sup>"),
            TagEnd::Subscript => self.out.push_str("</sub>"),
            TagEnd::Link => {
                if self.links.pop().expect("a link that ends has begun") {
                    self.out.push_str("</a>");
                }
            }
            TagEnd::HtmlBlock
            | TagEnd::Image
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// The text inside the element that starts at `at`, and the index of its end.
    fn plain_text(&self, at: usize) -> (String, usize) {
        let mut depth = 0_usize;
        let mut plain = String::new();
        for (offset, (event, _)) in self.events[at..].iter().enumerate() {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Text(part) | Event::Code(part) | Event::InlineHtml(part) => {
                    plain.push_str(part);
                }
                Event::SoftBreak | Event::HardBreak => plain.push(' '),
                _ => {}
            }
            if depth == 0 {
                return (plain, at + offset);
            }
        }
        (plain, self.events.len() - 1)
    }

    fn level(&self, level: HeadingLevel) -> usize {
        (level as usize + self.heading_shift).min(6)
    }

    fn heading_start(&mut self, at: usize, level: HeadingLevel) {
        let (plain, _) = self.plain_text(at);
        let id = self.unique_id(&plain);
        let _ = write!(self.out, "<h{} id=\"{}\">", self.level(level), text(&id));
        self.heading = Heading { id, text: plain };
    }

    /// The anchor stands after the words and not around them: a heading may contain a link.
    fn heading_end(&mut self, level: HeadingLevel) {
        let _ = writeln!(
            self.out,
            "<a class=\"anchor\" href=\"#{}\" aria-label=\"Link to this part\"></a></h{}>",
            text(&self.heading.id),
            self.level(level)
        );
    }

    /// The heading in lower case, words joined by hyphens, as readers know it from code forges.
    fn unique_id(&mut self, heading: &str) -> String {
        let mut id = String::with_capacity(heading.len());
        for c in heading.trim().chars() {
            if c.is_alphanumeric() || c == '_' {
                id.extend(c.to_lowercase());
            } else if c.is_whitespace() || c == '-' {
                id.push('-');
            }
        }
        if id.is_empty() {
            id.push_str("part");
        }
        let mut number = self.ids.get(&id).copied().unwrap_or(0);
        let mut candidate = if number == 0 { id.clone() } else { format!("{id}-{number}") };
        while self.ids.contains_key(&candidate) {
            number += 1;
            candidate = format!("{id}-{number}");
        }
        self.ids.insert(candidate.clone(), 1);
        self.ids.insert(id, number + 1);
        candidate
    }

    fn code_start(&mut self, kind: &CodeBlockKind<'_>) {
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split([' ', ',', '{', '\t']).next().unwrap_or(""),
            CodeBlockKind::Indented => "",
        };
        // Wide code scrolls: the keyboard must be able to get there.
        self.out.push_str("<pre tabindex=\"0\"><code");
        if !language.is_empty() {
            let _ = write!(self.out, " class=\"language-{}\"", text(language));
        }
        self.out.push('>');
    }

    /// A block of raw HTML, as the text it is. Returns the index after it.
    fn html_block(&mut self, at: usize) -> usize {
        let mut raw = String::new();
        let mut next = at + 1;
        while let Some((event, _)) = self.events.get(next) {
            next += 1;
            match event {
                Event::Html(part) | Event::Text(part) => raw.push_str(part),
                Event::End(TagEnd::HtmlBlock) => break,
                _ => {}
            }
        }
        if !is_comment(&raw) {
            self.out.push_str("<p>");
            push_text(&mut self.out, raw.trim_end());
            self.out.push_str("</p>\n");
        }
        next
    }

    fn table_start(&mut self, alignments: &'a [Alignment]) {
        self.tables += 1;
        self.table = Some(Table { alignments, column: 0, in_head: false });
        let mut label = format!("Table {}", self.tables);
        if !self.heading.text.is_empty() {
            let _ = write!(label, ": {}", self.heading.text);
        }
        let _ = write!(
            self.out,
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n",
            text(&label)
        );
    }

    fn table_cells(&mut self, in_head: bool) {
        if let Some(table) = &mut self.table {
            table.in_head = in_head;
            table.column = 0;
        }
    }

    fn cell_start(&mut self) {
        let Some(table) = &self.table else { return };
        let class = match table.alignments.get(table.column) {
            Some(Alignment::Right) => " class=\"right\"",
            Some(Alignment::Center) => " class=\"center\"",
            _ => "",
        };
        let element = if table.in_head { "<th scope=\"col\"" } else { "<td" };
        let _ = write!(self.out, "{element}{class}>");
    }

    fn cell_end(&mut self) {
        let Some(table) = &mut self.table else { return };
        table.column += 1;
        self.out.push_str(if table.in_head { "</th>" } else { "</td>" });
    }

    fn finish(mut self) -> Rendered {
        self.write_notes();
        Rendered { html: self.out, references: self.references, words: self.words }
    }
}

fn is_comment(html: &str) -> bool {
    let html = html.trim();
    html.len() >= 7 && html.starts_with("<!--") && html.find("-->") == Some(html.len() - 3)
}

#[cfg(test)]
mod tests;
