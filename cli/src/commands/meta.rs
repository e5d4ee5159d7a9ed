use std::ffi::OsString;

use mge_core::Agentic as _;

use crate::context::Context;
use crate::exit::{Exit, Failure};

/// Print what an endpoint, or an item of it, can do
///
/// State, description and capabilities as JSON, each capability with the JSON Schema of its arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or(crate::complete::Word::Item))]
    first: Option<OsString>,

    /// The item; without one, the endpoint with what it exposes
    #[arg(value_name = "ITEM", add = crate::complete::word(crate::complete::Word::Item))]
    second: Option<OsString>,

    /// Pilot first if need be
    #[arg(long)]
    pilot: bool,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.second, 1)?;
    let item = located.words.first();
    if let Some(item) = item {
        let looked = context.look(&located.folder)?;
        let mut names = looked.config().items().map(|(_, item)| item.name.as_str());
        if !names.any(|name| name == item) {
            let names = looked.config().items().map(|(_, item)| item.name.as_str());
            return Err(Failure::not_found(format!("there is no item '{item}'")).near(item, names).into());
        }
    }
    let needed: Vec<&str> = item.map(String::as_str).into_iter().collect();
    let endpoint = context.read(&located.folder, &needed, args.pilot)?;
    let meta = match item {
        None => endpoint.meta(),
        Some(item) => match endpoint.component(item) {
            Some(component) => component.meta(),
            None => return Err(Failure::new(Exit::NotReady, format!("'{item}' was not built")).into()),
        },
    };
    context.printer.document(&meta)?;
    Ok(Exit::Done)
}
