use anyhow::Context as _;
use clap_complete::env::Shells;

use crate::context::Context;
use crate::exit::Exit;

/// Print what makes a shell complete the words of mge
///
/// It asks mge itself, so that states, items and capabilities of your endpoints are proposed too.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bash        echo 'source <(mge completions bash)' >> ~/.bashrc
  zsh         echo 'source <(mge completions zsh)' >> ~/.zshrc
  fish        echo 'mge completions fish | source' >> ~/.config/fish/config.fish
  powershell  mge completions powershell | Out-String | Invoke-Expression")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// The shells that can ask.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(alias = "pwsh")]
    Powershell,
    Elvish,
}

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
            Self::Elvish => "elvish",
        }
    }
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let shells = Shells::builtins();
    let name = args.shell.name();
    let shell = shells.completer(name).with_context(|| format!("there are no completions for {name}"))?;
    let mut script = Vec::new();
    shell.write_registration("COMPLETE", "mge", "mge", "mge", &mut script)?;
    context.printer.line(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Done)
}
