// Parts that several panels show: links to states and edges, runs, source text.
import { fill, h } from "./dom.js";
import { endOf, kindsOf } from "./model.js";

/** No more elements of an array are shown than these. */
const MOST_ELEMENTS = 16;

/** A button that shows a state. */
export const stateLink = (page, id) =>
  h("button", { class: "link state-link", type: "button", "data-show-state": id, click: () => page.show({ state: id }) }, id);

/** A button that shows an edge; `end` says which of its ends is worth telling. */
export function edgeLink(page, edge, ends = "both") {
  const from = edge.source ?? "new";
  const text = { both: `${from} → ${endOf(edge)}`, target: `→ ${endOf(edge)}`, source: `from ${from}` }[ends];
  return h(
    "button",
    { class: "row", type: "button", "data-show-edge": edge.id, click: () => page.show({ edges: [edge.id] }) },
    h("span", { class: "name" }, edge.name),
    h("span", { class: "ends" }, text),
    badges(edge),
  );
}

/** What an edge is, each word with its own look. */
export const badges = (edge) =>
  kindsOf(edge).map((kind) => h("span", { class: `badge ${kind.replaceAll(" ", "-")}` }, kind));

/** A list of edges, or a word where there is none. */
export const edgeList = (page, edges, ends, none) =>
  edges.length === 0
    ? h("p", { class: "quiet" }, none)
    : h("ul", { class: "plain" }, edges.map((edge) => h("li", null, edgeLink(page, edge, ends))));

/** `name = value, name = value`. */
export const values = (named) => named.map(({ name, value }) => `${name} = ${value}`).join(", ");

/** A table of fields and values, a column each. */
export function fieldTable(rows, model) {
  const types = new Map((model.background?.fields ?? []).map((field) => [field.name, field.ty]));
  const names = [...new Set(rows.flatMap((row) => row.map(({ name }) => name)))];
  const valueOf = (row, name) => row.find((one) => one.name === name)?.value ?? "";
  const title = (name) => (types.has(name) ? `${name}: ${types.get(name)}` : name);
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: "fields" },
      h("thead", null, h("tr", null, names.map((name) => h("th", { scope: "col" }, title(name))))),
      h("tbody", null, rows.map((row) => h("tr", null, names.map((name) => h("td", null, valueOf(row, name)))))),
    ),
  );
}

/** The fields after a call: of many fields only those that it changed. */
function fieldsText(call, before) {
  if (!before || call.fields.length <= 4) return values(call.fields);
  const known = new Map(before.fields.map(({ name, value }) => [name, value]));
  const changed = call.fields.filter(({ name, value }) => known.get(name) !== value);
  return changed.length ? `${values(changed)}; the rest as before` : "all fields as before";
}

/** A call with its values, as it would be written. */
export function callText(call) {
  const name = call.name.split("(")[0];
  const results = call.results?.length ? ` returns ${values(call.results)}` : "";
  const exception = call.exception ? ` ! ${call.exception}` : "";
  return `${name}(${values(call.arguments)})${results}${exception}`;
}

/** What a call is given: `#1 is Box [full = true]`, `#2 is array<u8> [0, 7]`. */
function objectText({ name, type, fields = [], elements = [] }) {
  if (!type) return `${name} is the object itself`;
  const shown = elements.slice(0, MOST_ELEMENTS);
  const more = elements.length > shown.length ? [`… ${elements.length} in all`] : [];
  return `${name} is ${type} [${[...shown, ...more, ...(fields.length ? [values(fields)] : [])].join(", ")}]`;
}

/** Where a call ends; one that takes no edge ends in an error, which is told with the call, or breaks the invariant. */
function endText({ edge, exception, target }) {
  if (edge == null) return exception ? "" : "→ where the invariant does not hold";
  return target ? `→ ${target}` : "→ no object";
}

/** The lines that a call runs through: of the user's own files, where the source text was made of these. */
function linesText({ path, user_path: files }) {
  const named = (lines) => `${new Set(lines).size === 1 ? "line" : "lines"} ${lineRanges(lines)}`;
  if (files?.length) return files.map(({ file, lines }) => `${file} ${named(lines)}`).join("; ");
  return path?.length ? named(path) : null;
}

/** A run step by step, above the source text in which the lines of one step are marked. */
export function runView(page, run, title) {
  const { model } = page;
  const source = sourceView(model);
  const steps = run.calls.map((call, index) => {
    const show = () => {
      for (const other of steps) other.firstChild.removeAttribute("aria-current");
      step.firstChild.setAttribute("aria-current", "step");
      source?.mark(call.path ?? []);
    };
    const lines = linesText(call);
    const step = h(
      "li",
      null,
      h(
        "button",
        { class: "step", type: "button", click: show, title: "Marks the lines of this call in the source" },
        h("code", null, callText(call)),
        h("span", { class: "ends" }, endText(call)),
        call.fields.length > 0 &&
          h("code", { class: "after", title: values(call.fields) }, fieldsText(call, run.calls[index - 1])),
        (call.objects ?? []).map((object) => h("span", { class: "quiet lines" }, objectText(object))),
        lines && h("span", { class: "quiet lines" }, lines),
      ),
    );
    step.show = show;
    return step;
  });
  const view = h(
    "section",
    { class: "run" },
    h("h3", null, title),
    h("ol", { class: "steps" }, steps),
    !run.replayed && h("p", { class: "quiet" }, `Not run by the interpreter: ${run.not_replayed ?? "not known why"}.`),
    source?.element,
  );
  steps[steps.length - 1]?.show();
  return view;
}

/** The call with which the engine answered: one object before and after, and the lines it runs through. */
export function answerCall(page, edge, title) {
  const { model } = page;
  const { before, arguments: given, after, replayed, path } = edge.answer.call;
  const source = sourceView(model);
  if (path?.length) source?.mark(path);
  const row = (name, fields) => fields.length > 0 && [h("dt", null, name), h("dd", null, h("code", null, values(fields)))];
  return h(
    "section",
    { class: "answer-call" },
    h("h3", null, title),
    h(
      "dl",
      null,
      row("Before", before),
      h("dt", null, "Call"),
      h("dd", null, h("code", null, callText({ name: edge.answer.asked ?? edge.action, arguments: given, exception: edge.exception }))),
      row("After", after),
      path?.length > 0 && [h("dt", null, "Lines"), h("dd", null, lineRanges(path))],
    ),
    h(
      "p",
      { class: "quiet" },
      replayed
        ? "The interpreter made the same call, and it does this. "
        : "The interpreter could not make the same call (something in it is not recorded, or left open), so this is the engine's word. ",
      !edge.constructs && "The object keeps the invariant; whether one like it can be made is another question.",
    ),
    path?.length > 0 && source?.element,
  );
}

/** Lines in order, those that follow one another as a range. */
function lineRanges(path) {
  const ranges = [];
  for (const line of [...new Set(path)].sort((a, b) => a - b)) {
    const last = ranges[ranges.length - 1];
    if (last && last[1] + 1 === line) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(", ");
}

/** The source text with lines that can be marked; nothing where it is not known. */
export function sourceView(model) {
  const { background } = model;
  if (!background) return null;
  const lines = background.source.split(/\r?\n/).map((text, i) => h("span", { class: "line", "data-line": i + 1 }, text));
  const code = h("pre", { class: "source", tabindex: "0", "aria-label": `Source text of ${background.file}` }, lines);
  const element = h("details", { class: "source-box", open: true }, h("summary", null, background.file), code);
  const mark = (path) => {
    const wanted = new Set(path);
    lines.forEach((line, i) => line.classList.toggle("marked", wanted.has(i + 1)));
    const first = lines[Math.min(...path) - 1];
    // Only the text scrolls, not the page; where it is not in the page yet there is nothing to measure.
    requestAnimationFrame(() => {
      if (first) code.scrollTop = first.offsetTop - code.offsetTop - code.clientHeight / 3;
    });
  };
  return { element, mark };
}

/** What a closed box shows when it is opened: long texts are only made then. */
export function onDemand(summary, make, attributes = {}) {
  const body = h("div", null);
  let made = false;
  const open = ({ target }) => {
    if (target.open && !made) {
      made = true;
      fill(body, make());
    }
  };
  return h("details", { ...attributes, toggle: open }, h("summary", null, summary), body);
}

