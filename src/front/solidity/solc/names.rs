//! Source unit names: what an import means, by the compiler's own rules (its manual's chapter on path resolution).

use std::path::{Component, Path};

use super::project::Remapping;

/// The name of a file: relative to the root, with `/`.
pub(super) fn name_of(file: &Path, root: &Path) -> String {
    let relative = file.strip_prefix(root).unwrap_or(file);
    let parts = relative.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
        _ => None,
    });
    let joined = parts.collect::<Vec<_>>().join("/");
    if relative.is_absolute() {
        format!("/{joined}")
    } else {
        joined
    }
}

/// The name that an import means, before remapping.
///
/// A relative one is told by its importer's name, of which a part is taken away for each `..` in front.
pub(super) fn combine(importer: &str, import: &str) -> String {
    if !(import.starts_with("./") || import.starts_with("../")) {
        return import.to_owned();
    }
    let mut inner: Vec<&str> = Vec::new();
    let mut prefix = parent(importer);
    for part in import.split('/') {
        match part {
            "" | "." => {}
            ".." if inner.pop().is_none() => prefix = parent(prefix),
            ".." => {}
            part => inner.push(part),
        }
    }
    let slash = if prefix.is_empty() { "" } else { "/" };
    format!("{prefix}{slash}{}", inner.join("/"))
}

/// A name without its last part and the slashes before it.
fn parent(name: &str) -> &str {
    name.rsplit_once('/')
        .map_or("", |(before, _)| before.trim_end_matches('/'))
}

/// The name after remapping: the longest context wins, then the longest prefix, then the last.
pub(super) fn remap(remappings: &[Remapping], importer: &str, name: &str) -> String {
    let holds = |remapping: &&Remapping| {
        importer.starts_with(&remapping.context) && name.starts_with(&remapping.prefix)
    };
    let lengths = |remapping: &&Remapping| (remapping.context.len(), remapping.prefix.len());
    match remappings.iter().filter(holds).max_by_key(lengths) {
        Some(best) => format!(
            "{}{}",
            best.target,
            &name.get(best.prefix.len()..).unwrap_or_default()
        ),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_imports_are_combined_as_the_compiler_does() {
        // The examples of the compiler's manual.
        for (importer, import, expected) in [
            ("lib/math.sol", "./util.sol", "lib/util.sol"),
            ("lib/math.sol", "../token.sol", "token.sol"),
            (
                "/project/lib/math.sol",
                "../token.sol",
                "/project/token.sol",
            ),
            (
                "lib/src/../contract.sol",
                "./util/./util.sol",
                "lib/src/../util/util.sol",
            ),
            (
                "lib/src/../contract.sol",
                "./util//util.sol",
                "lib/src/../util/util.sol",
            ),
            (
                "lib/src/../contract.sol",
                "../util/../array/util.sol",
                "lib/src/array/util.sol",
            ),
            ("lib/src/../contract.sol", "../.././../util.sol", "util.sol"),
            (
                "lib/src/../contract.sol",
                "../../.././../util.sol",
                "util.sol",
            ),
            ("a.sol", "lib/util.sol", "lib/util.sol"),
            ("a.sol", "@x/y.sol", "@x/y.sol"),
        ] {
            assert_eq!(
                combine(importer, import),
                expected,
                "{importer} imports {import}"
            );
        }
    }

    #[test]
    fn the_closest_remapping_wins() {
        let read = |text: &str| Remapping::parse(text).expect("a remapping");
        let remappings = ["@a/=x/", "@a/b/=y/", "src:@a/=z/", "@a/b/=w/"].map(read);
        assert_eq!(remap(&remappings, "A.sol", "@a/c.sol"), "x/c.sol");
        assert_eq!(remap(&remappings, "A.sol", "@a/b/c.sol"), "w/c.sol");
        assert_eq!(remap(&remappings, "src/A.sol", "@a/b/c.sol"), "z/b/c.sol");
        assert_eq!(remap(&remappings, "A.sol", "d.sol"), "d.sol");
    }
}
