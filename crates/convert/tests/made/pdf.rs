//! PDF files for the tests, of objects as they are written.

/// Makes a file of objects, numbered from 1; the first is the catalog.
pub(crate) fn pdf(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.5\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n", number + 1).into_bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let table = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for place in places {
        out.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    let size = objects.len() + 1;
    out.extend(
        format!("trailer\n<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{table}\n%%EOF\n").into_bytes(),
    );
    out
}

/// Makes a stream object.
pub(crate) fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let mut out = format!("<<{dictionary}/Length {}>>\nstream\n", content.len()).into_bytes();
    out.extend(content);
    out.extend(b"\nendstream");
    out
}

/// Makes a file with a page for each content; object 3 is an image, object 4 a font.
pub(crate) fn pages(contents: &[&str], trailer: &str) -> Vec<u8> {
    pages_with(contents, "", trailer)
}

/// Makes such a file with more in its catalog, which is object 1.
pub(crate) fn pages_with(contents: &[&str], catalog: &str, trailer: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", 5 + 2 * page)).collect();
    let mut objects = vec![
        format!("<</Type/Catalog/Pages 2 0 R{catalog}>>").into_bytes(),
        format!("<</Type/Pages/Kids[{}]/Count {}>>", kids.join(" "), contents.len()).into_bytes(),
        stream("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", b"x"),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
    ];
    for (number, content) in contents.iter().enumerate() {
        objects.push(
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {} 0 R/Resources<</XObject<</I 3 0 R>>/Font<</F 4 0 R>>>>>>",
                6 + 2 * number
            )
            .into_bytes(),
        );
        objects.push(stream("", content.as_bytes()));
    }
    pdf(&objects, trailer)
}

/// Makes a file of one page with a content, turned by so many degrees.
pub(crate) fn turned(content: &str, degrees: usize) -> Vec<u8> {
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Rotate {degrees}/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>"
        )
        .into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
        stream("", content.as_bytes()),
    ];
    pdf(&objects, "")
}

/// What draws a line of text.
pub(crate) fn text(line: &str) -> String {
    format!("BT /F 12 Tf 72 700 Td ({line}) Tj ET")
}

/// What draws an image over the whole page.
pub(crate) const IMAGE: &str = "q 600 0 0 800 0 0 cm /I Do Q";
