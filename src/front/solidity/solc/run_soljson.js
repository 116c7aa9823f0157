// Runs a soljson.js of any version on standard JSON: its path is the argument, the JSON the standard input. The first
// line that is printed is the version, the rest is the compiler's answer.
//
// npm's own `solcjs` is not used: before 0.5.1 it does not start under today's Node, and it prints other things too.
"use strict";
const fs = require("fs");
const compiler = require(process.argv[2]);

const has = (name) => typeof compiler["_" + name] === "function";
const call = (name, ...args) => compiler.cwrap(name, "string", args.map((arg) => typeof arg))(...args);

function print(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(1, bytes, at);
}

function run() {
  const input = fs.readFileSync(0, "utf8");
  print(call(has("solidity_version") ? "solidity_version" : "version") + "\n");
  // From 0.5 on; there is no callback for imports, nor a context for it: all sources are in the input.
  if (has("solidity_compile")) print(call("solidity_compile", input, 0, 0));
  else if (has("compileStandard")) print(call("compileStandard", input, 0));
  else throw new Error("this version knows no standard JSON");
}

// Some builds are ready at once, some later.
if (has("version") || has("solidity_version")) run();
else compiler.onRuntimeInitialized = run;
