//! The pages in a real browser: light and dark, desk and telephone.
//!
//! Articles come from the fixtures, and from the `articles/` of the project when there are any.

use crate::webdriver::Browser;
use crate::{Blog, fixtures};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Widths of a telephone and of a desk.
const WIDTHS: [u32; 2] = [390, 1280];

#[test]
fn articles_work_in_both_schemes_and_widths() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut folders = vec![fixtures()];
    let published = lissom_testkit::launch::root().join("articles");
    if published.is_dir() {
        folders.push(published);
    }
    for (number, folder) in folders.iter().enumerate() {
        let blog = Blog::start(folder);
        let mut seen = Seen::default();
        for path in pages(&blog) {
            for width in WIDTHS {
                let paper = ["light", "dark"].map(|scheme| {
                    browser.emulate(scheme, width);
                    let facts = check_page(&browser, &blog, &path);
                    keep(&browser, &format!("{number}{path}-{scheme}-{width}"));
                    let column = facts["column"].as_f64().expect("a width");
                    assert!(column > 0.5 * f64::from(width), "{path}: {column} of {width} px");
                    seen.add(&facts);
                    facts["paper"].as_str().expect("a colour").to_owned()
                });
                assert_ne!(paper[0], paper[1], "{path} looks the same in light and dark");
            }
        }
        check_links(&blog, &seen);
        if number == 0 {
            // The specimen: without it the rest could pass by looking at nothing.
            assert!(seen.pictures >= 2 && seen.tables >= 2 && seen.links.len() >= 8, "{seen:?}");
        }
    }
}

#[test]
fn a_mistaken_address_shows_the_sites_own_page() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let blog = Blog::start(&fixtures());
    browser.open(&format!("http://{}/article/nothing", blog.address));
    let heading = browser.run("return document.querySelector('h1').textContent");
    assert_eq!(heading, "There is no such page");
    // The browser itself reports the page's own status, and nothing else.
    let errors = browser.console_errors();
    assert!(
        errors.iter().all(|e| e["message"].as_str().is_some_and(|m| m.contains("404"))),
        "{errors:?}"
    );
    assert_eq!(errors.len(), 1, "{errors:?}");
}

#[test]
fn an_authors_script_does_not_run() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let blog = Blog::start(&fixtures());
    browser.open(&format!("http://{}/article/hostile", blog.address));
    let facts = browser.run(
        "return { title: document.title,
                  scripts: document.scripts.length,
                  handlers: [...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())
                      .filter(name => name.startsWith('on')).length,
                  addresses: [...document.links].map(a => a.protocol) }",
    );
    let title = facts["title"].as_str().expect("a title");
    assert_eq!(title, "<script>document.title='owned'</script> & \"friends\" · Articles");
    assert_eq!((&facts["scripts"], &facts["handlers"]), (&0.into(), &0.into()), "{facts}");
    let protocols = facts["addresses"].as_array().expect("a list");
    assert!(protocols.iter().all(|p| p == "http:" || p == "https:"), "{facts}");
}

#[test]
fn a_picture_by_itself_keeps_its_style() {
    let Some(browser) = Browser::start() else { return };
    let blog = Blog::start(&fixtures());
    let bar = ["light", "dark"].map(|scheme| {
        browser.emulate(scheme, 1280);
        browser.open(&format!("http://{}/article/specimen/plot.svg", blog.address));
        browser.run("return getComputedStyle(document.querySelector('.bar')).fill")
    });
    assert_eq!(bar, ["rgb(47, 111, 143)", "rgb(111, 179, 210)"]);
    assert_eq!(browser.console_errors(), Vec::<Value>::new());
}

#[test]
fn the_keyboard_reaches_the_text_first() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let blog = Blog::start(&fixtures());
    browser.open(&format!("http://{}/article/specimen", blog.address));
    for kind in ["rawKeyDown", "keyUp"] {
        let key = serde_json::json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
        browser.devtools("Input.dispatchKeyEvent", &key);
    }
    let facts = browser.run(
        "const skip = document.activeElement, box = skip.getBoundingClientRect();
         return { target: skip.hash, seen: box.top >= 0 && box.height > 0,
                  scrolling: [...document.querySelectorAll('.scroll, pre')].every(e => e.tabIndex === 0) }",
    );
    assert_eq!((&facts["target"], &facts["seen"]), (&"#main".into(), &true.into()), "{facts}");
    assert_eq!(facts["scrolling"], true);
}

/// What was seen on the pages of one site.
#[derive(Debug, Default)]
struct Seen {
    pictures: u64,
    tables: u64,
    /// Addresses on the site, with their fragments.
    links: BTreeSet<String>,
}

impl Seen {
    fn add(&mut self, facts: &Value) {
        self.pictures += facts["pictures"].as_array().map_or(0, |list| list.len() as u64);
        self.tables += facts["tables"].as_array().map_or(0, |list| list.len() as u64);
        let links = facts["links"].as_array().expect("a list").iter();
        self.links.extend(links.map(|link| link.as_str().expect("an address").to_owned()));
    }
}

/// The list and every article on it.
fn pages(blog: &Blog) -> Vec<String> {
    let list = blog.get("/content/");
    let mut pages = vec!["/".to_owned()];
    let addresses = list.text().split("href=\"/article/").skip(1);
    pages
        .extend(addresses.filter_map(|rest| Some(format!("/article/{}", rest.split('"').next()?))));
    pages
}

/// Loads a page and complains about everything a reader would.
fn check_page(browser: &Browser, blog: &Blog, path: &str) -> Value {
    browser.open(&format!("http://{}{path}", blog.address));
    let facts = browser.run(PAGE_FACTS);
    assert!(facts.is_object(), "{path}: {facts}");
    for picture in facts["pictures"].as_array().expect("a list") {
        assert!(picture["width"].as_u64() > Some(0), "{path}: a picture did not load: {picture}");
        assert_ne!(picture["alt"], "", "{path}: no words for a picture: {picture}");
    }
    for table in facts["tables"].as_array().expect("a list") {
        assert!(table["cells"].as_u64() > Some(0), "{path}: an empty table: {table}");
    }
    assert_eq!(facts["overflow"], 0, "{path}: the page scrolls sideways: {facts}");
    assert_eq!(facts["faint"], Value::Array(Vec::new()), "{path}: text below a contrast of 4.5:1");
    assert_eq!(facts["twice"], Value::Array(Vec::new()), "{path}: ids that are not unique");
    assert_eq!(facts["headings"], 1, "{path}: not one heading of the first level");
    assert_eq!(facts["foreign"], Value::Array(Vec::new()), "{path}: asked somebody else");
    let errors = browser.console_errors();
    assert!(errors.is_empty(), "{path}: {errors:?}");
    facts
}

/// Everything that is asked of a page, in one visit.
const PAGE_FACTS: &str = r"
    await Promise.all([...document.images].map(i => i.decode().catch(() => {})));
    const rgb = text => text.match(/[\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = e => {
        for (; e; e = e.parentElement) {
            const [r, g, b, a = 1] = rgb(getComputedStyle(e).backgroundColor);
            if (a === 1) return [r, g, b];
        }
        return [255, 255, 255];
    };
    const contrast = e => {
        const [a, b] = [luminance(rgb(getComputedStyle(e).color)), luminance(behind(e))];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const hasText = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    const root = document.documentElement;
    return {
        pictures: [...document.images].map(i => ({ src: i.src, alt: i.alt, width: i.naturalWidth })),
        tables: [...document.querySelectorAll('table')].map(t => ({
            cells: [...t.querySelectorAll('tbody td')].filter(c => c.textContent.trim()).length })),
        links: [...document.links].filter(a => a.origin === location.origin)
            .map(a => a.pathname + a.search + a.hash),
        overflow: Math.max(root.scrollWidth, document.body.scrollWidth) - innerWidth,
        faint: [...document.body.querySelectorAll('*')].filter(hasText)
            .filter(e => contrast(e) < 4.5).map(e => e.outerHTML.slice(0, 80)),
        twice: ids.filter((id, i) => ids.indexOf(id) !== i),
        headings: document.querySelectorAll('h1').length,
        column: document.querySelector('h1').getBoundingClientRect().width,
        foreign: performance.getEntriesByType('resource').map(r => r.name)
            .filter(name => new URL(name).origin !== location.origin),
        paper: getComputedStyle(document.body).backgroundColor,
    };
";

/// Every address on the site answers, and has the part that the link names.
fn check_links(blog: &Blog, seen: &Seen) {
    for link in &seen.links {
        let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
        let answer = blog.get(path);
        assert_eq!(answer.status, 200, "{link}");
        if !fragment.is_empty() {
            let id = format!("id=\"{}\"", decoded(fragment));
            assert!(answer.text().contains(&id), "{link}: no {id}");
        }
    }
}

/// A fragment as the browser shows it, without its percent-encoding.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = fragment.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// Keeps a picture of the page for people to look at.
fn keep(browser: &Browser, name: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    fs::create_dir_all(&folder).expect("a folder for pictures");
    let name: PathBuf = folder.join(format!("{}.png", name.replace('/', "_")));
    let picture = browser.screenshot();
    assert!(picture.starts_with(b"\x89PNG"), "{} is no picture", name.display());
    fs::write(name, picture).expect("written");
}
