//! Whether the real Boogie takes a text. A test that asks fails where Boogie is missing, and says what to install.

use std::process::Command;

use tranquera::engine::Tool;

/// What the real Boogie's parser and checks have against a text; none where they take it.
pub fn boogie_objections(text: &str) -> Option<String> {
    let boogie = Tool::Boogie.locate("boogie", None);
    let boogie = boogie.unwrap_or_else(|error| {
        panic!(
            "{error}: this test needs the real one. {}",
            Tool::Boogie.hint()
        )
    });
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("q.bpl"), text).expect("written");
    let run = Command::new(&boogie.path)
        .args(["/nologo", "/noVerify", "q.bpl"])
        .current_dir(folder.path())
        .output()
        .expect("Boogie runs");
    let said = String::from_utf8_lossy(&run.stdout);
    let quiet = "\nBoogie program verifier finished with 0 verified, 0 errors\n";
    (said != quiet || !run.status.success()).then(|| format!("{} {said}", run.status))
}
