//! The EPA as JSON: the data themselves (DESIGN 1.7), indented.

use super::ViewError;
use crate::epa::Epa;

pub(super) fn render(epa: &Epa) -> Result<String, ViewError> {
    let mut text = serde_json::to_string_pretty(epa)?;
    text.push('\n');
    Ok(text)
}
