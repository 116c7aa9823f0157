//! A file is watched: somebody is told of every time it is saved.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::Failure;

/// A watch over a file. It ends when this is dropped.
pub(super) struct Saves {
    /// Does its work while it is kept.
    _watcher: RecommendedWatcher,
}

impl Saves {
    /// Tells of every save of this file from now on, more than once if need be: an editor may write it in parts, or write
    /// another file and move it there. So its folder is watched, and where the file is a link, the folder of what
    /// it leads to as well.
    ///
    /// # Errors
    /// [`Failure::BadInput`]: there is no such file, or the system cannot watch it.
    pub(super) fn of(file: &Path, tell: impl Fn() + Send + 'static) -> Result<Saves, Failure> {
        let fail = |error: &dyn std::fmt::Display| {
            Failure::BadInput(format!("error: cannot watch `{}`: {error}", file.display()))
        };
        let places = places(file).map_err(|error| fail(&error))?;
        let wanted = places.clone();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // What could not be told may have been a save.
            if event.map_or(true, |event| is_save(&event, &wanted)) {
                tell();
            }
        })
        .map_err(|error| fail(&error))?;
        for place in &places {
            let folder = place.parent().unwrap_or(place);
            watcher
                .watch(folder, RecursiveMode::NonRecursive)
                .map_err(|error| fail(&error))?;
        }
        Ok(Saves { _watcher: watcher })
    }
}

/// Where a file is: its own place, and that of the file it is a link to. Their folders are as the system calls them, for
/// so it calls them when it tells of them.
fn places(file: &Path) -> io::Result<Vec<PathBuf>> {
    let target = file.canonicalize()?;
    let name = file.file_name().unwrap_or(OsStr::new("."));
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let own = folder.canonicalize()?.join(name);
    Ok(if own == target {
        vec![own]
    } else {
        vec![own, target]
    })
}

/// Whether the file has, or may have, other contents after this. To read it is none, nor to change its mode.
fn is_save(event: &Event, places: &[PathBuf]) -> bool {
    let changes = match event.kind {
        EventKind::Any | EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(how) => !matches!(how, ModifyKind::Metadata(_)),
        EventKind::Access(how) => how == AccessKind::Close(AccessMode::Write),
        EventKind::Other => event.need_rescan(),
    };
    let ours = |path: &PathBuf| places.contains(path);
    changes && (event.need_rescan() || event.paths.iter().any(ours))
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, Flag, MetadataKind, RemoveKind, RenameMode};

    use super::*;

    #[test]
    fn a_save_is_what_may_change_the_contents_of_this_file() {
        let places = [PathBuf::from("/a/x.tq"), PathBuf::from("/b/y.tq")];
        let told = |kind, path: &str| is_save(&Event::new(kind).add_path(path.into()), &places);
        let saves = [
            EventKind::Create(CreateKind::File),
            EventKind::Modify(ModifyKind::Data(DataChange::Any)),
            EventKind::Modify(ModifyKind::Name(RenameMode::To)),
            EventKind::Remove(RemoveKind::File),
            EventKind::Access(AccessKind::Close(AccessMode::Write)),
        ];
        for kind in saves {
            assert!(told(kind, "/a/x.tq") && told(kind, "/b/y.tq"), "{kind:?}");
            assert!(!told(kind, "/a/y.tq") && !told(kind, "/a"), "{kind:?}");
        }
        let others = [
            EventKind::Access(AccessKind::Open(AccessMode::Any)),
            EventKind::Access(AccessKind::Close(AccessMode::Read)),
            EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
        ];
        for kind in others {
            assert!(!told(kind, "/a/x.tq"), "{kind:?}");
        }
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(is_save(&lost, &places), "events were lost");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_watched_at_both_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        std::fs::create_dir(root.join("far")).expect("made");
        std::fs::write(root.join("far/x.tq"), "").expect("written");
        std::os::unix::fs::symlink("far/x.tq", root.join("link.tq")).expect("made");
        let found = places(&root.join("link.tq")).expect("there");
        assert_eq!(found, [root.join("link.tq"), root.join("far/x.tq")]);
        let found = places(&root.join("far/x.tq")).expect("there");
        assert_eq!(found, [root.join("far/x.tq")]);
        assert!(places(&root.join("none.tq")).is_err());
    }
}
