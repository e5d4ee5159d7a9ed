use crate::commands::run::RequestArgs;
use crate::context::Context;
use crate::exit::Exit;

/// Tell whether a request would run, without running it
///
/// Prints {"status": 0 | 1 | 2, "description"}: it would; something is not ready; the request is wrong.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: RequestArgs,

    /// Pilot first if need be
    #[arg(long)]
    pilot: bool,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let (located, request) = args.request.read(context)?;
    let verdict = match context.read(&located.folder, &[], args.pilot) {
        Ok(endpoint) => endpoint.dry_run_value(&request),
        // Not being ready is an answer here, not a failure.
        Err(error) if crate::exit::judge(&error).0 == Exit::NotReady => {
            mge_core::Verdict::not_ready(error.to_string())
        }
        Err(error) => return Err(error),
    };
    context.printer.json(&verdict)?;
    Ok(match verdict.status {
        0 => Exit::Done,
        1 => Exit::NotReady,
        _ => Exit::Usage,
    })
}
