//! From content to the bytes of each page.
//!
//! Runs when the content changes and never when somebody asks.

pub mod escape;
pub mod links;
pub mod markdown;
pub mod template;

use crate::content::Article;
use crate::content::front_matter::Day;
use markdown::Rendered;
use std::fmt::Write as _;
use template::Fill::{Html, Text};
use template::fill;

/// The stylesheet, served under a name made of its content.
pub const STYLE: &str = include_str!("../../theme/style.css");
/// The icon of the site.
pub const ICON: &str = include_str!("../../theme/icon.svg");
const FRAME: &str = include_str!("../../theme/frame.html");
const ARTICLE: &str = include_str!("../../theme/article.html");
const LIST: &str = include_str!("../../theme/list.html");
const ENTRY: &str = include_str!("../../theme/entry.html");
const MESSAGE: &str = include_str!("../../theme/message.html");

/// Words that a reader reads in a minute.
const WORDS_PER_MINUTE: usize = 220;

/// What every page shows.
#[derive(Debug, Clone, Copy)]
pub struct Theme<'a> {
    /// Name of the site; plain text.
    pub site_title: &'a str,
    /// Where the stylesheet is served.
    pub style_path: &'a str,
}

impl Theme<'_> {
    /// The page of an article, and what it refers to.
    #[must_use]
    pub fn article(&self, article: &Article) -> (String, Rendered) {
        let body = markdown::render(markdown::Source {
            slug: &article.slug,
            title: &article.head.title,
            text: &article.text,
            body_start: article.body_start,
        });
        let minutes = body.words.div_ceil(WORDS_PER_MINUTE).max(1);
        let mut about = String::new();
        if let Some(date) = article.head.date {
            let _ = write!(about, "{} <span aria-hidden=\"true\">·</span> ", time(date));
        }
        let _ = write!(about, "{minutes} min read");
        let lead = article.head.description.as_deref().map_or(String::new(), |description| {
            format!("<p class=\"lead\">{}</p>\n", escape::text(description))
        });
        let mut main = String::with_capacity(body.html.len() + 1024);
        fill(
            &mut main,
            ARTICLE,
            &[
                ("about", Html(&about)),
                ("title", Text(&article.head.title)),
                ("lead", Html(&lead)),
                ("body", Html(&body.html)),
            ],
        );
        let title = format!("{} · {}", article.head.title, self.site_title);
        (self.frame(&title, article.head.description.as_deref(), &main), body)
    }

    /// The list of all articles, in the order given.
    #[must_use]
    pub fn list(&self, articles: &[Article]) -> String {
        let mut entries = String::new();
        for article in articles {
            let description = article
                .head
                .description
                .as_deref()
                .map_or(String::new(), |text| format!("<p>{}</p>\n", escape::text(text)));
            fill(
                &mut entries,
                ENTRY,
                &[
                    ("path", Text(&article_path(&article.slug))),
                    ("title", Text(&article.head.title)),
                    ("date", Html(&article.head.date.map_or(String::new(), time))),
                    ("description", Html(&description)),
                ],
            );
        }
        if articles.is_empty() {
            entries.push_str("<li><p>Nothing has been published here yet.</p></li>\n");
        }
        let mut main = String::new();
        fill(&mut main, LIST, &[("site", Text(self.site_title)), ("entries", Html(&entries))]);
        self.frame(self.site_title, None, &main)
    }

    /// A page that says one thing, such as that there is no such page.
    #[must_use]
    pub fn message(&self, title: &str, explanation: &str) -> String {
        let mut main = String::new();
        fill(&mut main, MESSAGE, &[("title", Text(title)), ("explanation", Text(explanation))]);
        self.frame(&format!("{title} · {}", self.site_title), None, &main)
    }

    fn frame(&self, title: &str, description: Option<&str>, main: &str) -> String {
        let description = description.map_or(String::new(), |text| {
            format!("<meta name=\"description\" content=\"{}\">\n", escape::text(text))
        });
        let mut page = String::with_capacity(main.len() + 2048);
        fill(
            &mut page,
            FRAME,
            &[
                ("title", Text(title)),
                ("description", Html(&description)),
                ("style", Text(self.style_path)),
                ("site", Text(self.site_title)),
                ("main", Html(main)),
            ],
        );
        page
    }
}

/// Where an article is served.
#[must_use]
pub fn article_path(slug: &str) -> String {
    format!("/article/{}", escape::path(slug))
}

/// A day for people, and for machines.
fn time(date: Day) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let Day { year, month, day } = date;
    let name = MONTHS[usize::from(month.clamp(1, 12)) - 1];
    format!("<time datetime=\"{year:04}-{month:02}-{day:02}\">{day} {name} {year}</time>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::front_matter::FrontMatter;

    const THEME: Theme<'_> = Theme { site_title: "S <i>", style_path: "/theme/x.css" };

    fn hostile() -> Article {
        let hostile = "<script>alert(1)</script> & \"q\"";
        Article {
            slug: "a\"b<c".to_owned(),
            source: "x".into(),
            text: format!("Hello {hostile}"),
            body_start: 0,
            head: FrontMatter {
                title: hostile.to_owned(),
                date: Some(Day { year: 2026, month: 1, day: 2 }),
                description: Some(hostile.to_owned()),
            },
            files: Vec::new(),
        }
    }

    #[test]
    fn hostile_titles_are_text_on_every_page() {
        let article = hostile();
        let pages = [
            THEME.article(&article).0,
            THEME.list(&[article]),
            THEME.message("<script>", "<script>"),
        ];
        for page in pages {
            assert!(!page.contains("<script") && !page.contains("<i>"), "{page}");
            assert!(page.contains("&lt;script&gt;"), "{page}");
            assert!(!page.contains("{{") && !page.contains("style=\""), "{page}");
        }
    }

    #[test]
    fn a_day() {
        let expected = "<time datetime=\"2026-01-02\">2 January 2026</time>";
        assert_eq!(time(Day { year: 2026, month: 1, day: 2 }), expected);
    }

    #[test]
    fn an_empty_site_says_so() {
        assert!(THEME.list(&[]).contains("Nothing has been published here yet."));
    }
}
