use super::*;

fn rendered(body: &str) -> Rendered {
    let text = format!("+++\n+++\n{body}");
    render(Source { slug: "s", title: "The title", text: &text, body_start: 8 })
}

#[track_caller]
fn check(body: &str, expected: &str) {
    assert_eq!(shortened(&rendered(body).html), expected, "for {body:?}");
}

/// The anchors of headings as `{id}`.
fn shortened(html: &str) -> String {
    let html = html.replace("\" aria-label=\"Link to this part\"></a>", "}");
    html.replace("<a class=\"anchor\" href=\"#", "{").trim_end().to_owned()
}

#[test]
fn prose() {
    check(
        "a *b* **c** `d<` ~~e~~\nf",
        "<p>a <em>b</em> <strong>c</strong> <code>d&lt;</code> <del>e</del>\nf</p>",
    );
    check("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>");
    check("3. a", "<ol start=\"3\">\n<li>a</li>\n</ol>");
    check("> a", "<blockquote>\n<p>a</p>\n</blockquote>");
    check(
        "- [x] a",
        "<ul>\n<li><input type=\"checkbox\" disabled checked aria-label=\"done\"> a</li>\n</ul>",
    );
}

#[test]
fn headings_have_anchors_of_their_own() {
    check(
        "## A `b` & C\n\n## A b c\n\n## A b  c\n\n## ?\n\n## Main",
        "<h2 id=\"a-b--c\">A <code>b</code> &amp; C{a-b--c}</h2>\n\
         <h2 id=\"a-b-c\">A b c{a-b-c}</h2>\n\
         <h2 id=\"a-b--c-1\">A b  c{a-b--c-1}</h2>\n\
         <h2 id=\"part\">?{part}</h2>\n\
         <h2 id=\"main-1\">Main{main-1}</h2>",
    );
}

#[test]
fn no_link_is_inside_another() {
    check(
        "## See [x](#y)[^1]\n\n[^1]: z",
        "<h2 id=\"see-x\">See <a href=\"#y\">x</a><sup><a class=\"note\" id=\"fnref:1\" href=\"#fn:1\" \
         role=\"doc-noteref\">1</a></sup>{see-x}</h2>\n\
         <section class=\"notes\" role=\"doc-endnotes\" aria-label=\"Footnotes\">\n<ol>\n\
         <li id=\"fn:1\"><p>z <a href=\"#fnref:1\" role=\"doc-backlink\" \
         aria-label=\"Back to the text\">↩</a></p></li>\n</ol>\n</section>",
    );
    // The parser dissolves a link that would contain another one.
    for text in ["[a[^1]](#y)", "[a[^1]][r]", "[a<https://b.c>](#y)", "[a ![b](https://b.c)](#y)"] {
        let html = rendered(&format!("{text}\n\n[^1]: z\n\n[r]: #y")).html;
        let mut depth = 0;
        for piece in html.split('<').skip(1) {
            depth += i32::from(piece.starts_with("a ")) - i32::from(piece.starts_with("/a>"));
            assert!((0..=1).contains(&depth), "{text}: {html}");
        }
    }
}

/// What takes a square of the length of a file would take minutes here.
#[test]
fn long_files_take_one_pass() {
    let start = std::time::Instant::now();
    let html = rendered(&"## Same\n\n[a](b.svg)\n\n".repeat(40_000));
    assert_eq!(html.references.last(), Some(&(160_001, "/article/s/b.svg".to_owned())));
    assert!(html.html.contains("<h2 id=\"same-39999\">"));
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn there_is_one_heading_of_the_first_level() {
    check("# The title\n\n## A", "<h2 id=\"a\">A{a}</h2>");
    check(
        "# Another\n\n## A",
        "<h2 id=\"another\">Another{another}</h2>\n\
         <h3 id=\"a\">A{a}</h3>",
    );
}

#[test]
fn a_paragraph_of_pictures_is_figures() {
    check(
        "![alt \"a\"](cpu-pipe.svg \"caption & all\")",
        "<figure>\n<a href=\"/article/s/cpu-pipe.svg\"><img src=\"/article/s/cpu-pipe.svg\" \
         alt=\"alt &quot;a&quot;\" decoding=\"async\"></a>\n\
         <figcaption>caption &amp; all</figcaption>\n</figure>",
    );
    assert_eq!(rendered("![a](a.svg)\n![b](b.svg)").html.matches("<figure>").count(), 2);
    check("see ![a](a.png)", "<p>see <img src=\"/article/s/a.png\" alt=\"a\"></p>");
}

#[test]
fn a_table_scrolls_by_itself() {
    let html = rendered("## R\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n").html;
    let expected = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table 1: R\">\n\
        <table>\n<thead>\n<tr><th scope=\"col\">a</th><th scope=\"col\" class=\"right\">b</th></tr>\n\
        </thead>\n<tbody>\n<tr><td>1</td><td class=\"right\">2</td></tr>\n</tbody>\n</table>\n</div>\n";
    assert!(html.ends_with(expected), "{html}");
}

#[test]
fn code_keeps_its_language_and_escapes_its_text() {
    check(
        "```rust,ignore\nlet a = b < c;\n```",
        "<pre tabindex=\"0\"><code class=\"language-rust\">let a = b &lt; c;\n</code></pre>",
    );
    check("    x", "<pre tabindex=\"0\"><code>x</code></pre>");
    check(
        "``` \"><script>\nx\n```",
        "<pre tabindex=\"0\"><code class=\"language-&quot;&gt;&lt;script&gt;\">x\n</code></pre>",
    );
}

#[test]
fn footnotes_are_numbered_by_use_and_lead_back() {
    let html = rendered("a[^x] b[^y] c[^x]\n\n[^y]: why\n\n[^x]: ex\n\n[^z]: unused").html;
    let notes = html.split("doc-endnotes").nth(1).expect("there are notes");
    assert!(!html.contains("unused"), "{html}");
    assert!(html.starts_with("<p>a<sup><a class=\"note\" id=\"fnref:1\" href=\"#fn:1\""), "{html}");
    let (one, two) =
        (notes.find("fn:1\"><p>ex").expect("first"), notes.find("fn:2\"><p>why").expect("second"));
    assert!(one < two, "{notes}");
    assert!(notes.contains("href=\"#fnref:1:2\""), "{notes}");
    assert!(notes.contains("↩</a></p></li>"), "{notes}");
}

#[test]
fn raw_html_is_text_and_comments_are_silent() {
    check("a <b onclick=x>c</b>", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>");
    check("<script>\nalert(1)\n</script>", "<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>");
    check("<!-- note\nto self -->\n\na<!-- x -->b", "<p>ab</p>");
    check("<!-- a --><script>", "<p>&lt;!-- a --&gt;&lt;script&gt;</p>");
    check("<!-->", "<p>&lt;!--&gt;</p>");
}

#[test]
fn dangerous_links_lose_their_address() {
    check("[a](javascript:alert(1))", "<p>a</p>");
    check("[a](jav&#97;script:alert(1))", "<p>a</p>");
    check("[a](&#1;javascript:alert(1))", "<p>a</p>");
    check("<javascript:alert(1)>", "<p>javascript:alert(1)</p>");
    check("![a](data:image/svg+xml,x)", "<p>a</p>");
    check("[a][r]\n\n[r]: vbscript:x 't'", "<p>a</p>");
    check(
        "[a](https://b.c/?d=\"&e='f \"g\\\"h\")",
        "<p><a href=\"https://b.c/?d=&quot;&amp;e=&#39;f\" title=\"g&quot;h\">a</a></p>",
    );
    check("<a@b.c>", "<p><a href=\"mailto:a@b.c\">a@b.c</a></p>");
}

#[test]
fn pictures_from_elsewhere_become_links() {
    check("![a](https://b.c/d.png)", "<p><a href=\"https://b.c/d.png\">a</a></p>");
    check("[![a](https://b.c/d.png)](https://b.c)", "<p><a href=\"https://b.c\">a</a></p>");
}

#[test]
fn references_carry_the_line_of_the_file() {
    let found = rendered("[d](data.json)\n\n![a](a.svg)\n\n[e](https://e.f) [h](#h)").references;
    let expected = [(3, "/article/s/data.json".to_owned()), (5, "/article/s/a.svg".to_owned())];
    assert_eq!(found, expected);
}

#[test]
fn depth_costs_no_stack() {
    let html = rendered(&"> ".repeat(20_000)).html;
    assert!(html.contains("<blockquote>"));
}

/// Any bytes: no panic, and no element that the writer does not make.
#[test]
fn hostile_text_makes_no_elements() {
    let pieces = [
        "<script>",
        "</p>",
        "[",
        "](",
        "javascript:x",
        ")",
        "![",
        "\n",
        "\n\n",
        "|",
        "|-|",
        "```",
        "[^1]",
        "[^1]: ",
        "# ",
        "> ",
        "- ",
        "\"",
        "'",
        "<!--",
        "-->",
        "<img src=x onerror=y>",
        "&lt;",
        "\u{0}",
        "\\",
        "<a href='",
        "é",
        "    ",
        "+++",
        "*",
        "_",
        "<https://a>",
        "`",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..3000 {
        let mut body = String::new();
        for _ in 0..24 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            body.push_str(pieces[usize::try_from(state >> 40).expect("24 bits") % pieces.len()]);
        }
        let html = rendered(&body).html;
        for piece in html.split('<').skip(1) {
            let name: String = piece
                .trim_start_matches('/')
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            let ours = [
                "p",
                "a",
                "em",
                "strong",
                "code",
                "pre",
                "ul",
                "ol",
                "li",
                "blockquote",
                "h1",
                "h2",
                "h3",
                "hr",
                "br",
                "img",
                "figure",
                "figcaption",
                "div",
                "table",
                "thead",
                "tbody",
                "tr",
                "th",
                "td",
                "sup",
                "section",
                "del",
            ];
            assert!(ours.contains(&name.as_str()), "<{name}> from {body:?}: {html}");
        }
        assert!(!html.contains("href=\"javascript"), "{body:?}: {html}");
    }
}
