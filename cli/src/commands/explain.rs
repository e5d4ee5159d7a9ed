use crate::context::Context;
use crate::exit::Exit;

/// Stub
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args, _context: &mut Context) -> anyhow::Result<Exit> {
    Ok(Exit::Done)
}
