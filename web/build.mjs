// Bundles src/ into the script and the style that the Rust template includes, with the licences of what is bundled.
import { build } from "esbuild";
import { readdir, readFile, writeFile } from "node:fs/promises";

const here = new URL(".", import.meta.url);
const out = new URL("../templates/view/", here);

/** A fingerprint of the sources (FNV-1a, 64 bits), by which a test sees that the bundle is theirs. */
async function fingerprint() {
  let hash = 0xcbf29ce484222325n;
  const names = (await readdir(new URL("src/", here))).sort();
  for (const name of ["../package-lock.json", ...names]) {
    for (const byte of await readFile(new URL(`src/${name}`, here))) {
      hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    }
  }
  return hash.toString(16).padStart(16, "0");
}

const result = await build({
  absWorkingDir: decodeURIComponent(here.pathname),
  entryPoints: ["src/page.js", "src/page.css"],
  outdir: "out",
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
});

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const found = input.match(/^node_modules\/([^/]+)\//);
  if (found) packages.add(found[1]);
}
const notices = [];
for (const name of [...packages].sort()) {
  const root = new URL(`node_modules/${name}/`, here);
  const { version } = JSON.parse(await readFile(new URL("package.json", root), "utf8"));
  const licence = (await readFile(new URL("LICENSE", root), "utf8")).trim();
  notices.push(`${name} ${version}\n${licence}`);
}
const head = [
  `Bundled from web/ by web/build.mjs; do not edit. Sources: ${await fingerprint()}`,
  "This page holds parts of the following packages.",
  ...notices,
].join("\n\n");

for (const file of result.outputFiles) {
  const name = file.path.split("/").pop();
  const text = name.endsWith(".js") ? `/*\n${head}\n*/\n${file.text}` : file.text;
  await writeFile(new URL(name, out), text);
  console.log(`${name}: ${text.length} characters`);
}
