//! The editor: what it can do, and what it is told without having asked.

use std::path::Path;
use std::sync::Arc;

use lsp_server::{Message, Notification, Request, RequestId};
use lsp_types::Diagnostic;
use lsp_types::notification::{Notification as _, PublishDiagnostics, ShowMessage};
use lsp_types::request::{CodeLensRefresh, Request as _, ShowDocument};
use serde_json::{Value, json};

use super::document::Document;
use super::known::Known;

/// The editor, as one tells it something from wherever it is found out.
#[derive(Clone)]
pub(super) struct Client {
    tell: Arc<dyn Fn(Message) + Send + Sync>,
    /// Whether it asks for lenses again when it hears that there are new ones.
    refreshes: bool,
    /// Whether it opens what is not a text of its own.
    shows: bool,
}

impl Client {
    /// An editor that said this of itself at the beginning.
    pub(super) fn new(said: &Value, tell: Arc<dyn Fn(Message) + Send + Sync>) -> Client {
        let can = |what: &str| said.pointer(what).and_then(Value::as_bool) == Some(true);
        Client {
            refreshes: can("/capabilities/workspace/codeLens/refreshSupport"),
            shows: can("/capabilities/window/showDocument/support"),
            tell,
        }
    }

    /// Something to do. The answer says nothing, so that all of a kind may have the same name.
    fn request(&self, name: &str, method: &str, parameters: Value) {
        let id = RequestId::from(format!("tranquera/{name}"));
        (self.tell)(Request::new(id, method.to_owned(), parameters).into());
    }

    /// That there are new lenses.
    pub(super) fn has_lenses(&self) {
        if self.refreshes {
            self.request("lenses", CodeLensRefresh::METHOD, Value::Null);
        }
    }

    /// All that there is to say about a document: what is wrong, and what is worth a look.
    pub(super) fn has_said(&self, document: &Document, known: &Known) {
        self.publish(document, document.diagnostics(known));
    }

    /// Nothing more about a document.
    pub(super) fn is_closed(&self, document: &Document) {
        self.publish(document, Vec::new());
    }

    fn publish(&self, document: &Document, diagnostics: Vec<Diagnostic>) {
        let (uri, version) = document.identity();
        let parameters = json!({ "uri": uri, "version": version, "diagnostics": diagnostics });
        let method = PublishDiagnostics::METHOD.to_owned();
        (self.tell)(Notification::new(method, parameters).into());
    }

    /// Something for the person in front of it to read: what went wrong (1), or what is to be known (3).
    fn say(&self, kind: u8, message: &str) {
        let parameters = json!({ "type": kind, "message": message });
        (self.tell)(Notification::new(ShowMessage::METHOD.to_owned(), parameters).into());
    }

    /// That something was asked for in vain.
    pub(super) fn complain(&self, why: &str) {
        self.say(1, why);
    }

    /// A page, to be opened outside of the editor; where it opens nothing, the person is told where it is.
    pub(super) fn show(&self, page: &Path) {
        let uri = uri_of(page);
        if self.shows {
            let parameters = json!({ "uri": uri, "external": true });
            self.request("page", ShowDocument::METHOD, parameters);
        } else {
            self.say(3, &format!("open this in a browser: {uri}"));
        }
    }
}

/// The address of a file.
fn uri_of(file: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let path = file.to_string_lossy();
    let bytes = path.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file://{}", bytes.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_no_odd_letters() {
        let uri = uri_of(Path::new("/tmp/a b/ñ#1.html"));
        assert_eq!(uri, "file:///tmp/a%20b/%C3%B1%231.html");
    }
}
