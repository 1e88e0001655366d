//! The theme's templates: HTML files with `{{name}}` in them.
//!
//! What fills a slot says itself whether it is text or HTML, so that forgetting to escape is not
//! possible in a template. The files are compiled in; a test renders each of them.

use super::escape;

/// What fills a slot.
#[derive(Debug, Clone, Copy)]
pub enum Fill<'a> {
    /// Escaped.
    Text(&'a str),
    /// Copied as it is: made by this crate.
    Html(&'a str),
}

/// Appends `template` with its slots filled.
///
/// # Panics
/// If the template names a slot that is not given: templates are part of the program.
pub fn fill(out: &mut String, template: &str, slots: &[(&str, Fill<'_>)]) {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) =
            after.split_once("}}").expect("a compiled-in template closes its slots");
        let slot = slots.iter().find(|(known, _)| *known == name);
        match slot.unwrap_or_else(|| panic!("the theme asks for `{name}`, which no page gives")).1 {
            Fill::Text(text) => escape::push_text(out, text),
            Fill::Html(html) => out.push_str(html),
        }
        rest = after;
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_html_is_not() {
        let mut out = String::new();
        fill(
            &mut out,
            "<p>{{a}}</p>{{b}}{{a}}.",
            &[("a", Fill::Text("<")), ("b", Fill::Html("<b>"))],
        );
        assert_eq!(out, "<p>&lt;</p><b>&lt;.");
    }
}
