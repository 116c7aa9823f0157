//! `tranquera survey merge`

use std::path::PathBuf;

use crate::survey::{Merged, SurveyTally};
use crate::view::survey::{self as view, SurveyPage};

use super::super::Failure;
use super::super::output::{self, Colour};
use super::lines::{self, OutputArguments};

#[derive(Debug, clap::Args)]
pub(super) struct MergeArguments {
    /// Files with the lines of surveys
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
}

pub(super) fn run(arguments: &MergeArguments) -> Result<(), Failure> {
    let to = &arguments.output;
    let merged = Merged::of(&arguments.files).map_err(|error| lines::wrong(&error))?;
    let (mut tally, mut page) = (SurveyTally::default(), SurveyPage::default());
    let mut file = match &to.output {
        Some(path) => Some((lines::whole(path)?, path)),
        None => None,
    };
    let mut read = true;
    for line in merged.lines() {
        let (line, at) = line.map_err(|error| lines::wrong(&error))?;
        let text = lines::text(&line)?;
        match &mut file {
            Some((file, path)) => lines::put(file, &text, path)?,
            None => read = read && lines::print(&text)?,
        }
        tally.add(&line);
        if to.page.is_some() {
            page.add(&line, at);
        }
    }
    // The output may take the place of a file that the page is made from.
    let paged = lines::page(to, |file| page.write(merged.files(), file));
    if let Some((file, path)) = file {
        let written = file.commit();
        written.map_err(|error| output::cannot_write(path, &error))?;
    }
    paged?;
    output::complain(&view::merged(
        &tally,
        arguments.color.on(&std::io::stderr()),
    ));
    super::judge(&tally)
}
