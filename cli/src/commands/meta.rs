use std::ffi::OsString;

use crate::context::Context;
use crate::diagnostics;
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
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.second, 1)?;
    let item = located.words.first();
    let endpoint = context.look(&located.folder)?;
    if let Some(item) = item {
        let names = || endpoint.config().items().map(|(_, item)| item.name.as_str());
        if !names().any(|name| name == item) {
            return Err(Failure::not_found(format!("there is no item '{item}'")).near(item, names()).into());
        }
    }
    let described = endpoint.describe(item.map(String::as_str));
    let meta =
        described.map_err(|fault| diagnostics::fault(Exit::NotReady, "nothing can be said of it", &fault))?;
    context.printer.document(&meta)?;
    Ok(Exit::Done)
}
