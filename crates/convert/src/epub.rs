//! Books: HTML chapters in an archive.

use std::collections::BTreeMap;

use crate::archive::Archive;
use crate::html;
use crate::xml::{attribute, each_tag, read_statements};
use crate::{ConvertError, Converted, Limits};

/// What the package of a book says.
#[derive(Debug, Default)]
struct Package {
    /// Its parts: where each lies.
    items: BTreeMap<String, String>,
    /// Its chapters in order, by the names of parts.
    spine: Vec<String>,
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<Converted, ConvertError> {
    let mut archive = Archive::open(bytes, limits)?;
    let broken = |reason: &str| ConvertError::Broken { reason: reason.to_owned() };
    let container = archive
        .text("META-INF/container.xml")?
        .ok_or_else(|| broken("it has no 'META-INF/container.xml'"))?;
    let path = package_path(&container)?.ok_or_else(|| broken("its container names no package"))?;
    let package = archive.text(&path)?.ok_or_else(|| broken("its package is missing"))?;
    let mut converted = Converted::default();
    read_statements(&package, &mut converted)?;
    let package = read_package(&package)?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for chapter in &package.spine {
        let Some(target) = package.items.get(chapter) else {
            converted.warnings.push(format!("its chapter '{chapter}' is not among its parts"));
            continue;
        };
        let name = resolved(folder, target);
        match archive.text(&name)? {
            Some(page) => {
                let markdown = html::markdown(&page, limits)?;
                if !markdown.is_empty() {
                    if !converted.markdown.is_empty() {
                        converted.markdown.push('\n');
                    }
                    converted.markdown.push_str(&markdown);
                }
            }
            None => converted.warnings.push(format!("its chapter '{name}' is missing")),
        }
        let (size, limit) = (converted.markdown.len() as u64, limits.max_output_bytes as u64);
        if size > limit {
            return Err(ConvertError::TooLarge { size, limit });
        }
    }
    Ok(converted)
}

/// Returns the path of a part, which is written relative to its folder and with percent signs.
fn resolved(folder: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or(target);
    let mut bytes = Vec::with_capacity(target.len());
    let mut rest = target.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code =
            after.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    let target = String::from_utf8_lossy(&bytes);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn package_path(container: &str) -> Result<Option<String>, ConvertError> {
    let mut path = None;
    each_tag(container, &mut |name, tag| {
        if name == "rootfile" && path.is_none() {
            path = attribute(tag, "full-path");
        }
    })?;
    Ok(path)
}

fn read_package(package: &str) -> Result<Package, ConvertError> {
    let mut read = Package::default();
    each_tag(package, &mut |name, tag| match name {
        "item" => {
            if let (Some(id), Some(target)) = (attribute(tag, "id"), attribute(tag, "href")) {
                read.items.insert(id, target);
            }
        }
        "itemref" => read.spine.extend(attribute(tag, "idref")),
        _ => {}
    })?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_from_the_folder_of_the_package() {
        assert_eq!(resolved("OEBPS", "text/a%20b.xhtml#x"), "OEBPS/text/a b.xhtml");
        assert_eq!(resolved("OEBPS/x", "../c.html"), "OEBPS/c.html");
        assert_eq!(resolved("", "../../../etc/passwd"), "etc/passwd");
    }

    #[test]
    fn a_book_is_its_chapters_in_the_order_of_its_spine() {
        let book = crate::testing::zip(&[
            ("mimetype", "application/epub+zip"),
            (
                "META-INF/container.xml",
                "<container><rootfiles><rootfile full-path='O/p.opf'/></rootfiles></container>",
            ),
            (
                "O/p.opf",
                "<package xmlns:dc='d'><metadata><dc:title>The Quay &amp; I</dc:title><dc:creator>Ada</dc:creator>\
                 <dc:date>2001-02-03</dc:date></metadata><manifest><item id='b' href='two.html'/><item id='a' href='one.html'/>\
                 </manifest><spine><itemref idref='a'/><itemref idref='b'/><itemref idref='c'/></spine></package>",
            ),
            ("O/one.html", "<html><body><h1>One</h1><p>First.</p></body></html>"),
            ("O/two.html", "<html><body><h1>Two</h1><p>Second.</p></body></html>"),
        ]);
        let book = convert(&book, &Limits::default()).expect("a book");
        assert_eq!(book.markdown, "# One\n\nFirst.\n\n# Two\n\nSecond.\n");
        assert_eq!((book.title.as_deref(), book.author.as_deref()), (Some("The Quay & I"), Some("Ada")));
        assert_eq!(book.date.as_deref(), Some("2001-02-03"));
        assert_eq!(book.warnings.len(), 1);
    }
}
