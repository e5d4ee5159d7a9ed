//! The PDF files of `tests/pdf/`: texts of our own, set by the programs that most PDF files come from.
//!
//! It needs pandoc, pdflatex, soffice, chromium, groff, gs, and a python3 with typst, weasyprint, reportlab and
//! fpdf2. A case whose programs are missing is reported, and its file stays as it is.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::steps;

/// Makes the files of these cases anew, or all that are there if none is named.
///
/// The last word of a case is its text, and what stands before it says how it is set.
///
/// # Errors
/// Names the cases that could not be made.
pub(crate) fn write(root: &Path, wanted: &[&str]) -> Result<(), String> {
    let folder = root.join("tests/pdf");
    let build = root.join("target/pdf");
    fs::create_dir_all(&build).map_err(|error| format!("cannot create {}: {error}", build.display()))?;
    let mut failed = Vec::new();
    let cases =
        if wanted.is_empty() { present(&folder)? } else { wanted.iter().map(ToString::to_string).collect() };
    for case in &cases {
        match set(case, &folder, &build) {
            Ok(()) => println!("wrote tests/pdf/{case}.pdf"),
            Err(message) => failed.push(format!("{case}: {message}")),
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Names the cases whose files are there.
fn present(folder: &Path) -> Result<Vec<String>, String> {
    let listing =
        fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let names = listing.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut cases: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".pdf")?.to_owned())).collect();
    cases.sort();
    Ok(cases)
}

/// Sets one case.
fn set(case: &str, folder: &Path, build: &Path) -> Result<(), String> {
    let (way, text) = case.rsplit_once('-').ok_or("a case is named way-text")?;
    let source = folder.join(format!("texts/{text}.md"));
    let styles = folder.join("styles");
    let output = folder.join(format!("{case}.pdf"));
    let style = |name: &str| styles.join(name).display().to_string();
    let between = |extension: &str| build.join(format!("{case}.{extension}"));
    let pandoc = |extension: &str, more: &[&str]| {
        let made = between(extension);
        run(Command::new("pandoc")
            .args(["--standalone", "--from=markdown-auto_identifiers"])
            .args(more)
            .arg(&source)
            .arg("-o")
            .arg(&made))
        .map(|()| made)
    };
    let latex = |output: &Path, more: &[&str]| {
        let options = ["--pdf-engine=pdflatex", "--from=markdown-auto_identifiers", "-V", "papersize=a4"];
        run(Command::new("pandoc").args(options).args(more).arg(&source).arg("-o").arg(output))
    };
    let chromium = |css: &str| {
        let page = pandoc("html", &["--metadata=pagetitle:Test", "--self-contained", "--css", &style(css)])?;
        let print = format!("--print-to-pdf={}", output.display());
        run(Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", &print])
            .arg(page))
    };
    let typst = |head: &str| {
        let tree = pandoc("json", &[])?;
        let made = between("pdf");
        run(Command::new("python3")
            .arg(styles.join("set_typst.py"))
            .arg(styles.join(head))
            .arg(tree)
            .arg(&made))?;
        fs::copy(made, &output).map(|_| ()).map_err(|error| error.to_string())
    };
    match way {
        "latex" => latex(&output, &["-V", "colorlinks=true"]),
        "latex-columns" => latex(&output, &["-V", "classoption=twocolumn"]),
        "latex-indented" => latex(&output, &["-V", "indent=true", "-V", "fontfamily=mathptmx"]),
        "latex-headed" => {
            latex(&output, &["-V", "documentclass=report", "-V", "pagestyle=headings", "-V", "fontsize=12pt"])
        }
        "ghostscript" => {
            let raw = between("pdf");
            latex(&raw, &["-V", "fontfamily=mathptmx"])?;
            run(Command::new("gs")
                .args(["-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-o"])
                .arg(&output)
                .arg(raw))
        }
        "office" => {
            let document = pandoc("docx", &[])?;
            let profile = format!("-env:UserInstallation=file://{}", build.join("office").display());
            run(Command::new("soffice")
                .args([&profile, "--headless", "--convert-to", "pdf", "--outdir"])
                .arg(folder)
                .arg(document))
        }
        "chromium" => chromium("plain.css"),
        "chromium-book" => chromium("book.css"),
        "chromium-columns" => chromium("columns.css"),
        "typst" => typst("plain.typ"),
        "typst-columns" => typst("columns.typ"),
        "weasyprint" | "weasyprint-columns" => {
            let css = style(if way == "weasyprint" { "book.css" } else { "columns.css" });
            let page = pandoc("html", &["--metadata=pagetitle:Test", "--metadata=lang:en", "--css", &css])?;
            run(Command::new("python3").args(["-m", "weasyprint"]).arg(page).arg(&output))
        }
        "reportlab" => {
            let tree = pandoc("json", &[])?;
            run(Command::new("python3").arg(styles.join("set_reportlab.py")).arg(tree).arg(&output))
        }
        "fpdf" => {
            let page = pandoc("html", &["--metadata=pagetitle:Test", "--template", &style("body.txt")])?;
            run(Command::new("python3").arg(styles.join("set_fpdf.py")).arg(page).arg(&output))
        }
        "groff" => {
            let manuscript = pandoc("ms", &[])?;
            let printed = between("ps");
            let file = fs::File::create(&printed).map_err(|error| error.to_string())?;
            run(Command::new("groff")
                .args(["-ms", "-t", "-k", "-Tps", "-P-pa4"])
                .arg(manuscript)
                .stdout(file))?;
            run(Command::new("gs")
                .args(["-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-o"])
                .arg(&output)
                .arg(printed))
        }
        _ => Err(format!("nothing is known of the way '{way}'")),
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    // Times in the files would make each run differ.
    steps::run(command.env("SOURCE_DATE_EPOCH", "1767225600"))
}
