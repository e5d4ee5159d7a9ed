//! tmp
use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let site = mge_wiki::Site::default();
    if std::env::args().nth(1).as_deref() == Some("json") {
        let list: Vec<String> = serde_json::from_str(&text).unwrap();
        let out: Vec<String> = list.iter().map(|t| mge_wiki::to_markdown(&site, "T", t).markdown).collect();
        println!("{}", serde_json::to_string(&out).unwrap());
    } else {
        let a = mge_wiki::to_markdown(&site, "T", &text);
        print!("{}", a.markdown);
        eprintln!("{:?} {:?}", a.categories, a.redirect);
    }
}
