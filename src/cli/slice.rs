//! `tranquera slice`

use crate::front::tq;

use super::Failure;
use super::input::ClassArguments;
use super::output::TextOutput;
use super::parse::TreeFormat;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    class: ClassArguments,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: TreeFormat,
    #[command(flatten)]
    output: TextOutput,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    let instead = "`tranquera epa` shows the states of a class";
    arguments.class.without_marks(instead)?;
    let input = arguments.class.load(None, None)?;
    let loaded = input
        .sliced()
        .map_err(|failure| arguments.class.color.told(failure))?
        .loaded;
    let text = match arguments.format {
        TreeFormat::Text => loaded.source.text.clone(),
        TreeFormat::Json => tq::to_json(&loaded.file),
    };
    arguments.output.write(&text)
}
