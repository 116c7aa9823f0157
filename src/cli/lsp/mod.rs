//! `tranquera lsp`: an editor's questions about classes, in the language server protocol (3.17) over standard input and
//! output. Everything but EPAs and pages is answered at once; those are made beside it.
//!
//! | file | what it holds |
//! |---|---|
//! | `document` | an open document, and what there is to say about it at once |
//! | `text` | places in a text, as the protocol counts, and where they are after an edit |
//! | `studied` | what is studied of a document, through the list of languages |
//! | `background` | EPAs and pages, made beside the answers |
//! | `known` | what is known of a document's classes by now |
//! | `pages` | pages that are open |
//! | `client` | the editor, as it is told something |

mod background;
mod client;
mod document;
mod known;
mod pages;
mod studied;
mod text;

use std::sync::Arc;

use lsp_server::{Connection, ErrorCode, ExtractError, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as _,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, ExecuteCommand, Formatting, GotoDefinition, HoverRequest,
    Request as _,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    ExecuteCommandOptions, GotoDefinitionResponse, HoverProviderCapability, Location, OneOf,
    ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Failure;
use background::Background;
use client::Client;
use document::Document;

/// The command with which an editor opens the page of a class; it is told the text and the class.
const PAGE: &str = "tranquera.page";

#[derive(Debug, clap::Args)]
pub(super) struct LspArguments {
    /// Standard input and output, which is the only way there is; editors like to say so
    #[arg(long)]
    stdio: bool,
}

pub(super) fn run(_: &LspArguments) -> Result<(), Failure> {
    let fail = |error: &dyn std::fmt::Display| {
        Failure::BadInput(format!("error: the editor cannot be understood: {error}"))
    };
    let (connection, threads) = Connection::stdio();
    let capabilities = serde_json::to_value(capabilities()).map_err(|e| fail(&e))?;
    let said = connection.initialize(capabilities).map_err(|e| fail(&e))?;
    let sender = connection.sender.clone();
    let tell: Arc<dyn Fn(Message) + Send + Sync> = Arc::new(move |message| {
        // If the editor is gone there is nobody left to tell.
        let _ = sender.send(message);
    });
    let server = Server {
        background: Background::new(Client::new(&said, tell)),
        connection,
    };
    server.serve()?;
    threads.join().map_err(|e| fail(&e))
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::FULL),
                save: Some(TextDocumentSyncSaveOptions::Supported(true)),
                ..TextDocumentSyncOptions::default()
            },
        )),
        document_formatting_provider: Some(OneOf::Left(true)),
        definition_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![PAGE.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        ..ServerCapabilities::default()
    }
}

/// The documents that are open, with what is known of them, and who asks about them.
struct Server {
    connection: Connection,
    background: Background,
}

impl Server {
    /// Answers until the editor has had enough.
    fn serve(self) -> Result<(), Failure> {
        // The queue is empty for good when the editor is gone.
        while let Ok(message) = self.connection.receiver.recv() {
            match message {
                Message::Request(request) => {
                    let is_end = self.connection.handle_shutdown(&request);
                    if is_end.unwrap_or(true) {
                        break;
                    }
                    let answer = self.answer(request);
                    self.send(Message::Response(answer));
                }
                Message::Notification(notification) => self.hear(notification),
                // That the lenses were refreshed, or a page shown.
                Message::Response(_) => {}
            }
        }
        self.background.end();
        Ok(())
    }

    fn send(&self, message: Message) {
        // If the editor is gone there is nobody left to tell.
        let _ = self.connection.sender.send(message);
    }

    /// A document was opened, edited, saved or closed.
    fn hear(&self, notification: Notification) {
        let parameters = notification.params;
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(opened) = read::<lsp_types::DidOpenTextDocumentParams>(parameters) {
                    let opened = opened.text_document;
                    let name = opened.uri.as_str().to_owned();
                    let document = Document::of(opened.uri, opened.version, opened.text);
                    self.background.take(&name, document);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(changed) = read::<lsp_types::DidChangeTextDocumentParams>(parameters)
                    && let Some(last) = changed.content_changes.into_iter().last()
                {
                    let changed = changed.text_document;
                    self.edited(changed.uri.as_str(), changed.version, last.text);
                }
            }
            DidSaveTextDocument::METHOD => {
                if let Some(saved) = read::<lsp_types::DidSaveTextDocumentParams>(parameters) {
                    self.saved(saved.text_document.uri.as_str());
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(closed) = read::<lsp_types::DidCloseTextDocumentParams>(parameters) {
                    self.background.close(closed.text_document.uri.as_str());
                }
            }
            _ => {}
        }
    }

    /// Takes a document as it is after an edit.
    fn edited(&self, name: &str, version: i32, text: String) {
        self.goes_on(name, |document| document.edited(version, text));
    }

    /// Takes notice that a document was saved.
    fn saved(&self, name: &str) {
        self.goes_on(name, Document::saved);
    }

    /// Has what a document becomes, and studies it anew where that is something else to study.
    fn goes_on(&self, name: &str, becomes: impl FnOnce(Document) -> (Document, bool)) {
        let before = self.background.documents().remove(name);
        match before.map(becomes) {
            Some((document, true)) => self.background.take(name, document),
            Some((document, false)) => self.background.follow(name, document),
            None => {}
        }
    }

    fn answer(&self, request: Request) -> Response {
        let method = request.method.clone();
        let id = request.id.clone();
        let answered = match method.as_str() {
            Formatting::METHOD => self.about::<Formatting>(request, |parameters| {
                let documents = self.background.documents();
                documents
                    .get(parameters.text_document.uri.as_str())?
                    .formatted()
            }),
            CodeLensRequest::METHOD => self.about::<CodeLensRequest>(request, |parameters| {
                let name = parameters.text_document.uri.as_str();
                let documents = self.background.documents();
                let known = self.background.known(name);
                Some(documents.get(name)?.lenses(&known))
            }),
            CodeActionRequest::METHOD => self.about::<CodeActionRequest>(request, |parameters| {
                let documents = self.background.documents();
                let document = documents.get(parameters.text_document.uri.as_str())?;
                Some(document.fixes(parameters.range))
            }),
            GotoDefinition::METHOD => self.about::<GotoDefinition>(request, |parameters| {
                let at = parameters.text_document_position_params;
                let uri = at.text_document.uri;
                let documents = self.background.documents();
                let range = documents.get(uri.as_str())?.definition(at.position)?;
                drop(documents);
                Some(GotoDefinitionResponse::Scalar(Location { uri, range }))
            }),
            ExecuteCommand::METHOD => self.about::<ExecuteCommand>(request, |parameters| {
                self.execute(&parameters.command, &parameters.arguments);
                None
            }),
            HoverRequest::METHOD => self.about::<HoverRequest>(request, |parameters| {
                let at = parameters.text_document_position_params;
                let documents = self.background.documents();
                let known = self.background.known(at.text_document.uri.as_str());
                let document = documents.get(at.text_document.uri.as_str())?;
                document.hover(at.position, &known)
            }),
            _ => {
                let code = ErrorCode::MethodNotFound as i32;
                return Response::new_err(id, code, format!("there is no {method} here"));
            }
        };
        answered.unwrap_or_else(|error| {
            Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string())
        })
    }

    /// The answer to a request of a kind.
    fn about<R: lsp_types::request::Request>(
        &self,
        request: Request,
        answer: impl FnOnce(R::Params) -> R::Result,
    ) -> Result<Response, ExtractError<Request>> {
        let (id, parameters) = request.extract::<R::Params>(R::METHOD)?;
        Ok(Response::new_ok(id, answer(parameters)))
    }

    /// Does what a command says, which came from a lens; there may be another text by now.
    fn execute(&self, command: &str, arguments: &[Value]) {
        if let (PAGE, [Value::String(name), Value::String(class)]) = (command, arguments) {
            self.background.open_page(name, class);
        }
    }
}

/// Parameters; what is none of them is not for us.
fn read<T: DeserializeOwned>(parameters: Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}
