use std::ffi::OsString;
use std::io::Read as _;

use serde_json::{Map, Value};

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::locate::Located;

/// Call a capability
///
/// The answer is printed as it is, as JSON.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Arguments are JSON, or name=value with a value that is JSON or else a text:
  mge run search_entities text=ferry limit=3
  mge run search_entities '{\"text\": \"ferry\"}'
  mge run search_entities @arguments.json
  echo '{\"text\": \"ferry\"}' | mge run search_entities -

A whole request, or the messages of a conversation, come with - or @FILE in place of the name.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) request: RequestArgs,

    /// Pilot first if need be
    #[arg(long)]
    pilot: bool,
}

/// The words that make a request.
#[derive(Debug, clap::Args)]
pub(crate) struct RequestArgs {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or(crate::complete::Word::Capability))]
    first: Option<OsString>,

    /// The capability's name, then its arguments
    #[arg(value_name = "CAPABILITY ARGUMENT", add = crate::complete::word(crate::complete::Word::Capability))]
    rest: Vec<OsString>,
}

impl RequestArgs {
    /// Finds the endpoint and reads the request.
    pub(crate) fn read(self, context: &Context) -> Result<(Located, Value), Failure> {
        let located = context.locate(self.first, self.rest, usize::MAX)?;
        let Some((name, arguments)) = located.words.split_first() else {
            return Err(Failure::usage("which capability?").hint("mge meta lists them"));
        };
        let request =
            if name == "-" || name.starts_with('@') || name.starts_with('{') || name.starts_with('[') {
                if let Some(extra) = arguments.first() {
                    return Err(Failure::usage(format!(
                        "unexpected argument '{extra}' after a whole request"
                    )));
                }
                json(&text(name)?)?
            } else {
                serde_json::json!({"name": name, "arguments": parse(arguments)?})
            };
        Ok((located, request))
    }
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let (located, request) = args.request.read(context)?;
    let endpoint = context.read(&located.folder, &[], args.pilot)?;
    let response = context.run_value(&endpoint, &request)?;
    context.printer.json(&response)?;
    Ok(if response.finish_reason == "error" { Exit::Outside } else { Exit::Done })
}

/// Reads arguments: one JSON object, or pairs.
fn parse(words: &[String]) -> Result<Value, Failure> {
    if let [only] = words
        && (only == "-" || only.starts_with('@') || only.trim_start().starts_with('{'))
    {
        let value = json(&text(only)?)?;
        if !value.is_object() {
            return Err(Failure::usage("the arguments are a JSON object").hint("{\"name\": value, …}"));
        }
        return Ok(value);
    }
    let mut arguments = Map::new();
    for word in words {
        let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Failure::usage(format!("'{word}' is no argument"))
                .hint("write name=value, or one JSON object"));
        };
        let value = match value.strip_prefix('@') {
            Some(_) => Value::String(text(value)?),
            None => serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned())),
        };
        if arguments.insert(name.to_owned(), value).is_some() {
            return Err(Failure::usage(format!("the argument '{name}' is given twice")));
        }
    }
    Ok(Value::Object(arguments))
}

/// Returns what a word stands for: itself, a file behind `@`, or standard input.
fn text(word: &str) -> Result<String, Failure> {
    if word == "-" {
        let mut text = String::new();
        return std::io::stdin()
            .read_to_string(&mut text)
            .map(|_| text)
            .map_err(|error| Failure::usage("cannot read standard input as text").caused_by(error));
    }
    match word.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Failure::usage(format!("cannot read the file {file}")).caused_by(error)),
        None => Ok(word.to_owned()),
    }
}

fn json(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::usage("the request is no JSON").caused_by(error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn arguments_are_pairs_or_one_object() {
        let parsed = |given: &[&str]| parse(&words(given)).map_err(|failure| failure.message);
        assert_eq!(
            parsed(&["a=1", "b=two words", "c=[1]", "d=x=y"]),
            Ok(json!({"a": 1, "b": "two words", "c": [1], "d": "x=y"}))
        );
        assert_eq!(parsed(&["{\"a\": 1}"]), Ok(json!({"a": 1})));
        assert_eq!(parsed(&[]), Ok(json!({})));
        assert!(parsed(&["a"]).is_err());
        assert!(parsed(&["=1"]).is_err());
        assert!(parsed(&["a=1", "a=2"]).is_err());
        assert!(parsed(&["{"]).is_err());
    }
}
