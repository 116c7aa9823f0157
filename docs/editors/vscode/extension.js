// What the extension does beyond colours: it starts `tranquera lsp`, and leaves the rest to the two ends of the protocol.

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

/** @type {LanguageClient | undefined} */
let client;

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('tranquera.restart', start),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('tranquera')) return start();
    }),
  );
  await start();
}

/** Starts the server, or starts it anew. */
async function start() {
  await stop();
  const settings = vscode.workspace.getConfiguration('tranquera');
  const command = settings.get('path', 'tranquera');
  /** @type {string[]} */
  const languages = settings.get('languages', []);
  client = new LanguageClient(
    'tranquera',
    'Tranquera',
    { command, args: ['lsp'] },
    { documentSelector: languages.map((language) => ({ scheme: 'file', language })) },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    tellWhy(command, error);
  }
}

/**
 * Why there is no server, and the way out.
 * @param {string} command
 * @param {unknown} error
 */
async function tellWhy(command, error) {
  const why = `Tranquera: \`${command} lsp\` could not be started: ${error}`;
  const open = 'Set its path';
  if ((await vscode.window.showErrorMessage(why, open)) === open) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'tranquera.path');
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

module.exports = { activate, deactivate: stop };
