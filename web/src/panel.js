// What is told of the whole, of a state, and of edges.
import { accessHere, accessView } from "./access.js";
import { count, h, prose } from "./dom.js";
import { endOf } from "./model.js";
import { answerCall, badges, edgeList, fieldTable, onDemand, runView, sourceView, stateLink } from "./parts.js";
import { reasonView } from "./reason.js";

/** The whole EPA. */
export function overview(page) {
  const { model } = page;
  const { epa } = model;
  const findings = epa.findings ?? [];
  const kept = model.edges.filter((edge) => !edge.refuted);
  const refuted = model.edges.filter((edge) => edge.refuted);
  const uncertain = kept.filter((edge) => edge.verdict === "maybe").length;
  return [
    h("h2", { tabindex: "-1" }, model.class),
    h(
      "p",
      null,
      `${count(epa.states.length, "state")}, ${count(epa.transitions.length, "transition")}, ${count(model.actions.length, "action")}. `,
      uncertain ? `${count(uncertain, "edge")} uncertain. ` : "Every edge is certain. ",
      secondPass(model),
    ),
    findings.length > 0 && h("h3", null, "Findings"),
    findings.length > 0 && h("ul", { class: "findings" }, findings.map((finding) => h("li", null, findingText(page, finding)))),
    accessView(page),
    refuted.length > 0 && h("h3", null, "Refuted: no object takes these"),
    refuted.length > 0 && edgeList(page, refuted, "both", ""),
    model.refutedInvariant.length > 0 && h("p", null, prose(`Every object keeps ${quoted(model.refutedInvariant)}.`)),
    (epa.notes ?? []).length > 0 && h("h3", null, "Notes"),
    (epa.notes ?? []).map((note) => h("p", null, prose(note))),
    h("h3", null, "States"),
    h(
      "ul",
      { class: "plain" },
      model.states.map((state) =>
        h(
          "li",
          null,
          h(
            "button",
            { class: "row", type: "button", "data-show-state": state.id, click: () => page.show({ state: state.id }) },
            h("span", { class: "name" }, state.id),
            h("span", { class: "ends" }, setText(state)),
            state.initial && h("span", { class: "badge" }, "initial"),
            state.refuted && h("span", { class: "badge refuted" }, "refuted"),
          ),
        ),
      ),
    ),
    h("p", { class: "quiet" }, "All of this can be done with the keyboard: ", h("kbd", null, "?"), " lists the keys."),
  ];
}

const setText = (state) => (state.enabled.length ? `{ ${state.enabled.join(", ")} }` : "{ } nothing can be called");

function secondPass(model) {
  if (!model.secondPass) return "There was no second pass: run with --confirm for runs with values.";
  const having = (status) => model.edges.filter((edge) => edge.confirmation?.status === status).length;
  const parts = ["confirmed", "unconfirmed", "refuted"].map((status) => [having(status), status]).filter(([n]) => n > 0);
  return `Second pass: ${parts.map(([n, status]) => `${n} ${status}`).join(", ")}.`;
}

/** A finding, with a link to its state unless that is what is shown, and with the run in which an object does it. */
function findingText(page, finding, here = null) {
  const link = finding.state && finding.state !== here && stateLink(page, finding.state);
  const run = finding.run && onDemand("The run", () => runView(page, finding.run, "An object does it"));
  return [h("span", { class: "badge finding" }, finding.kind), " ", prose(finding.message), " ", link, run];
}

/** A state. */
export function stateView(page, id) {
  const { model } = page;
  const state = model.state(id);
  if (!state) return overview(page);
  const findings = model.findings((finding) => finding.state === id);
  const run = model.shortestTo(id);
  return [
    h("h2", { tabindex: "-1" }, `State ${id}`),
    h(
      "p",
      { class: "badges" },
      state.initial && h("span", { class: "badge" }, "initial"),
      state.enabled.length === 0 && h("span", { class: "badge finding" }, "nothing can be called"),
      state.refuted && h("span", { class: "badge refuted" }, "refuted: no object is ever here"),
    ),
    findings.length > 0 && h("ul", { class: "findings" }, findings.map((finding) => h("li", null, findingText(page, finding, id)))),
    reasonView(page, state),
    h("h3", null, "What holds here"),
    predicate(model, state),
    accessHere(model, id),
    h("h3", null, "Edges from here"),
    edgeList(page, model.out(id), "target", "None."),
    h("h3", null, "Edges to here"),
    edgeList(page, model.into(id).filter((edge) => edge.source !== id), "source", "None."),
    examples(model, state),
    run && runView(page, run, "How an object gets here"),
    !run && !state.refuted && h("p", { class: "quiet" }, unknownRun(model, "that ends here")),
  ];
}

/** Objects in a state: those that a constructor and calls led there, and those with which the engine answered. */
function examples(model, state) {
  const reached = model.reachedIn(state.id);
  const known = new Set(reached.map((row) => JSON.stringify(row)));
  const found = model.foundIn(state.id).filter((row) => !known.has(JSON.stringify(row)));
  return h(
    "section",
    { class: "examples" },
    h("h3", null, "Objects in this state"),
    reached.length > 0 && h("p", { class: "quiet" }, "Made by a constructor and calls:"),
    reached.length > 0 && fieldTable(reached, model),
    found.length > 0 && h("p", { class: "quiet" }, state.refuted ? FOUND_IN_VAIN : FOUND),
    found.length > 0 && fieldTable(found, model),
    reached.length + found.length === 0 && h("p", { class: "quiet" }, model.answered ? NO_VALUES : NO_ANSWERS),
  );
}

const FOUND = "With these the engine answered. They keep the invariant; whether an object can become like this is not known:";
const FOUND_IN_VAIN = "With these the engine answered. They keep the invariant, but no object ever becomes like this:";
const NO_VALUES = "None is known: the engine's answers have no values of such fields (maps, other objects), or it was not asked.";
const NO_ANSWERS = "None is known: this page was made without the engine's answers.";

function unknownRun(model, what) {
  return model.secondPass
    ? `No run is known ${what}.`
    : `No run is known ${what}: with --confirm, the second pass looks for runs.`;
}

/** Clauses in a sentence. */
const quoted = (clauses) => clauses.map((clause) => `\`${clause}\``).join(" and ");

/** A formula longer than this is shown as the class has it, where that is shorter. */
const LONG = 100;

/** When an action can be called, or cannot: said of the fields alone where that is short, else as the class says it. */
function guard(routine, enabled) {
  const clauses = routine.condition;
  const some = routine.parameters.length && routine.requires.length ? `exists ${routine.parameters.join(", ")} :: ` : "";
  const written = enabled ? `${some}${clauses}` : `!(${some}${clauses})`;
  const plain = enabled ? routine.enabled : routine.disabled;
  const long = plain === null || (plain.length > LONG && plain.length > written.length);
  return { shown: long ? written : plain, other: (long ? plain : written) ?? "" };
}

/** The predicate of a state: the invariant, and of each action whether it can be called and what that means. */
function predicate(model, state) {
  const { background } = model;
  const rows = model.actions.map((name) => {
    const enabled = state.enabled.includes(name);
    const routine = background?.actions.find((action) => action.name === name);
    const formula = routine && guard(routine, enabled);
    return h(
      "tr",
      { class: enabled ? "enabled" : "disabled" },
      h("th", { scope: "row" }, h("span", { class: "tick" }, enabled ? "✓" : "✗"), " ", name),
      formula &&
        h(
          "td",
          null,
          h("code", { title: formula.other === formula.shown ? null : formula.other }, formula.shown),
          routine.note && h("p", { class: "quiet" }, prose(routine.note)),
        ),
    );
  });
  return h(
    "table",
    { class: "predicate" },
    h("caption", null, background ? "✓ can be called, ✗ cannot; beside it, what that says of the fields" : "✓ can be called, ✗ cannot"),
    h(
      "tbody",
      null,
      rows,
      (background?.invariant ?? []).map((clause) =>
        h("tr", null, h("th", { scope: "row" }, "invariant"), h("td", null, h("code", null, clause))),
      ),
    ),
  );
}

/** One edge in full, or a choice of several that are drawn as one. */
export function edgesView(page, ids) {
  const edges = ids.map((id) => page.model.edges[id]).filter(Boolean);
  if (edges.length === 0) return overview(page);
  if (edges.length > 1) {
    return [
      h("h2", { tabindex: "-1" }, `${edges[0].source ?? "new"} → ${endOf(edges[0])}`),
      h("p", null, `${edges.length} edges are drawn as one.`),
      edgeList(page, edges, "both", ""),
    ];
  }
  return edgeView(page, edges[0]);
}

function edgeView(page, edge) {
  const { model } = page;
  return [
    h("h2", { tabindex: "-1" }, edge.name),
    h(
      "p",
      null,
      edge.constructs ? "a new object" : stateLink(page, edge.source),
      " → ",
      edge.target ? stateLink(page, edge.target) : `! ${edge.exception}`,
      " ",
      badges(edge),
    ),
    h("dl", { class: "facts" }, facts(model, edge).map(([name, text]) => [h("dt", null, name), h("dd", null, text)])),
    model
      .findings((finding) => finding.action === edge.action && (!finding.state || finding.state === edge.source))
      .map((finding) => h("p", { class: "findings" }, findingText(page, finding))),
    takenBy(page, edge),
    question(model, edge),
    model.command(edge) && edge.target && [
      h("h3", null, "Why is it here, and what would take it away?"),
      h("p", null, h("code", { class: "command" }, model.command(edge))),
    ],
  ];
}

/** How the edge is taken: by a whole run; else by the call with which the engine answered; else where its text is. */
function takenBy(page, edge) {
  if (edge.run) return runView(page, edge.run, edge.constructs ? "The call" : "A run that takes it");
  const none = !edge.refuted && !edge.constructs && h("p", { class: "quiet" }, unknownRun(page.model, "that takes it"));
  if (!edge.answer?.call) return [none, declaration(page.model, edge)];
  const title = edge.refuted ? "A call that would take it, if there were such an object" : "A call that takes it";
  return [answerCall(page, edge, title), none];
}

/** The source text with the action's first line marked. */
function declaration(model, edge) {
  const routine = model.routine(edge);
  const source = routine && sourceView(model);
  source?.mark([routine.line]);
  return source?.element;
}

function facts(model, edge) {
  const rows = [["Answer", answer(edge)]];
  const { confirmation } = edge;
  if (confirmation?.status === "confirmed") {
    rows.push(["Second pass", `confirmed by a run of ${count(confirmation.calls, "call")}, the constructor's included`]);
  } else if (confirmation?.status === "unconfirmed") {
    rows.push(["Second pass", `not confirmed: no run of up to ${count(confirmation.bound, "call")} takes it, and no proof says that none does`]);
  } else if (confirmation?.status === "refuted") {
    const why = model.refutedInvariant.length ? `: every object keeps ${quoted(model.refutedInvariant)}` : "";
    rows.push(["Second pass", prose(`refuted: no object takes it${why}`)]);
  }
  if (edge.violates_invariant) rows.push(["Invariant", "the call can end where the invariant does not hold"]);
  if (edge.exception) rows.push(["Ends in", `the exception ${edge.exception}`]);
  const requires = model.routine(edge)?.requires ?? [];
  if (requires.length) rows.push(["Requires", requires.map((clause) => h("div", null, h("code", null, clause)))]);
  return rows;
}

function answer(edge) {
  if (edge.verdict === "reached") return "reached: some object in the first state, called this way, ends in the second";
  return `not certain, so the edge stays: ${edge.reason ?? "no reason given"}`;
}

/** Who answers where no engine was asked. */
const RUN = "interpreter";
const BY_RUNNING = ", as the call shows: it was found by running the class, and no engine was asked.";

/** What the engine was asked and what it said; texts are closed at first: they are long. */
function question(model, edge) {
  if (!edge.question && !edge.answer) return null;
  return h(
    "section",
    null,
    h("h3", null, "The question"),
    edge.question && h("p", { class: "sentence" }, prose(edge.question.sentence)),
    edge.answer?.asked && h("p", { class: "quiet" }, `Asked of ${edge.answer.asked}, which does the same.`),
    edge.answer?.known?.length > 0 && h("p", { class: "quiet" }, `Known already, and left out: ${edge.answer.known.join(", ")}.`),
    edge.question && onDemand("In Boogie", () => boogie(model, edge.question), { class: "question" }),
    h("h3", null, "The engine's answer"),
    edge.answer ? answerView(edge) : h("p", { class: "quiet" }, unanswered(model, edge)),
  );
}

const code = (content, label) => h("pre", { class: "boogie", tabindex: "0", "aria-label": label }, content);

function boogie(model, { name, text }) {
  return [
    h("p", { class: "quiet" }, `${name}: reached exactly when the answer is yes.`),
    code(text(), "The question in Boogie"),
    onDemand("The class in Boogie, which stands before every question", () => code(model.background.program, "The class in Boogie")),
  ];
}

function answerView(edge) {
  const { engine, verdict, ms, kept } = edge.answer;
  if (engine === RUN) return h("p", { class: "verdict" }, h("strong", null, verdict), BY_RUNNING);
  const took = kept ? "kept from an earlier run (--no-cache asks anew)" : `in ${ms} ms`;
  const where = verdict === "reached" && edge.target ? `, in ${edge.target}` : "";
  return [
    h("p", { class: "verdict" }, h("strong", null, verdict), `${where}; ${took}`),
    h("p", { class: "quiet" }, engine),
    edge.output()
      ? onDemand("What it said: the values recorded, then the path, or what it printed", () => code(edge.output(), "What the engine said"), { class: "said" })
      : h("p", { class: "quiet" }, "It printed nothing."),
  ];
}

function unanswered(model, edge) {
  if (edge.reason?.startsWith("interrupted")) return "It was not asked: the run was interrupted.";
  return model.answered
    ? "It was not asked: the action cannot change anything, so it stays where it is. The question is the one that would be asked."
    : "It is not part of this page.";
}
