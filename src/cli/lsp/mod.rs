//! `tranquera lsp`: an editor's questions about `.tq` texts, in the language server protocol (3.17) over standard input and
//! output. Everything but EPAs and pages is answered at once; those are made beside it (`background.rs`).

mod background;
mod client;
mod document;
mod pages;

use std::collections::HashMap;
use std::sync::Arc;

use lsp_server::{Connection, ErrorCode, ExtractError, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Notification as _,
    PublishDiagnostics,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, ExecuteCommand, Formatting, GotoDefinition, HoverRequest,
    Request as _,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    ExecuteCommandOptions, GotoDefinitionResponse, HoverProviderCapability, Location, OneOf,
    PublishDiagnosticsParams, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    Uri,
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
        documents: HashMap::new(),
    };
    server.serve()?;
    threads.join().map_err(|e| fail(&e))
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
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

/// The texts that are open, and who asks about them.
struct Server {
    connection: Connection,
    documents: HashMap<String, Document>,
    background: Background,
}

impl Server {
    /// Answers until the editor has had enough.
    fn serve(mut self) -> Result<(), Failure> {
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

    /// A text was opened, changed or closed.
    fn hear(&mut self, notification: Notification) {
        let parameters = notification.params;
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(opened) = read::<lsp_types::DidOpenTextDocumentParams>(parameters) {
                    self.take(opened.text_document.uri, opened.text_document.text);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(changed) = read::<lsp_types::DidChangeTextDocumentParams>(parameters)
                    && let Some(last) = changed.content_changes.into_iter().last()
                {
                    self.take(changed.text_document.uri, last.text);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(closed) = read::<lsp_types::DidCloseTextDocumentParams>(parameters) {
                    self.background.forget(closed.text_document.uri.as_str());
                    self.documents.remove(closed.text_document.uri.as_str());
                    self.publish(closed.text_document.uri, Vec::new());
                }
            }
            _ => {}
        }
    }

    /// Takes a text as it is now, and says what is wrong with it. Its EPAs begin anew.
    fn take(&mut self, uri: Uri, text: String) {
        let document = Document::of(&uri, text);
        let name = uri.as_str().to_owned();
        match document.loaded() {
            Some(loaded) => self.background.compute(&name, loaded),
            None => self.background.forget(&name),
        }
        self.publish(uri, document.diagnostics());
        self.documents.insert(name, document);
    }

    fn publish(&self, uri: Uri, diagnostics: Vec<lsp_types::Diagnostic>) {
        let parameters = PublishDiagnosticsParams {
            uri,
            diagnostics,
            version: None,
        };
        let method = PublishDiagnostics::METHOD.to_owned();
        self.send(Notification::new(method, parameters).into());
    }

    fn answer(&self, request: Request) -> Response {
        let method = request.method.clone();
        let id = request.id.clone();
        let answered = match method.as_str() {
            Formatting::METHOD => self.about::<Formatting>(request, |parameters| {
                let document = self.document(&parameters.text_document.uri)?;
                document.formatted()
            }),
            CodeLensRequest::METHOD => self.about::<CodeLensRequest>(request, |parameters| {
                let uri = &parameters.text_document.uri;
                let known = self.background.known(uri.as_str());
                Some(self.document(uri)?.lenses(uri, &known))
            }),
            CodeActionRequest::METHOD => self.about::<CodeActionRequest>(request, |parameters| {
                let uri = &parameters.text_document.uri;
                Some(self.document(uri)?.fixes(uri, parameters.range))
            }),
            GotoDefinition::METHOD => self.about::<GotoDefinition>(request, |parameters| {
                let at = parameters.text_document_position_params;
                let uri = at.text_document.uri;
                let range = self.document(&uri)?.definition(at.position)?;
                Some(GotoDefinitionResponse::Scalar(Location { uri, range }))
            }),
            ExecuteCommand::METHOD => self.about::<ExecuteCommand>(request, |parameters| {
                self.execute(&parameters.command, &parameters.arguments);
                None
            }),
            HoverRequest::METHOD => self.about::<HoverRequest>(request, |parameters| {
                let at = parameters.text_document_position_params;
                let known = self.background.known(at.text_document.uri.as_str());
                let document = self.document(&at.text_document.uri)?;
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
        if let (PAGE, [Value::String(name), Value::String(class)]) = (command, arguments)
            && let Some(loaded) = self.documents.get(name).and_then(Document::loaded)
        {
            self.background.open_page(name, class, loaded);
        }
    }

    fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }
}

/// Parameters; what is none of them is not for us.
fn read<T: DeserializeOwned>(parameters: Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}
