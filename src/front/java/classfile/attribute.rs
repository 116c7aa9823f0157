//! Attributes (JVMS 4.7): named parts of known length, of which those are skipped that nobody needs.

use super::bytes::{Bytes, Result};
use super::pool::{Index, Pool};

/// Gives each attribute of a list to `one`, which says whether it knows the name. What it knows it has to read to the end.
///
/// # Errors
/// A length is wrong, or what `one` says.
pub(super) fn each_attribute(
    pool: &Pool,
    bytes: &mut Bytes,
    mut one: impl FnMut(&str, &mut Bytes) -> Result<bool>,
) -> Result<()> {
    for _ in 0..bytes.u2()? {
        let name = Index(bytes.u2()?);
        let length = bytes.u4()?;
        let mut body = bytes.take(length as usize)?;
        let name = pool.text(name)?;
        if one(&name, &mut body)? && !body.is_empty() {
            let message = format!("{} bytes too many in {name}", body.left());
            return Err(body.malformed(message));
        }
    }
    Ok(())
}
