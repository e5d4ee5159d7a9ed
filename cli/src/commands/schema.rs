use crate::context::Context;
use crate::exit::Exit;

/// Print the JSON Schema of the configuration
///
/// Editors complete and check configuration files with it: "$schema": "./config.schema.json".
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let schema = mge_config::schema(&context.registry().schemas());
    context.printer.document(&schema)?;
    Ok(Exit::Done)
}
