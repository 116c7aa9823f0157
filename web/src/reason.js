// Why a state is there in which nothing can be called, in words, and the way out.
import { h, prose } from "./dom.js";
import { stateLink, values } from "./parts.js";

/** What was found out about a deadlock; nothing where nothing was. */
export function reasonView(page, state) {
  const { model } = page;
  const deadlock = model.deadlock(state.id);
  if (!deadlock) return null;
  const { explanation } = deadlock;
  return h(
    "section",
    { class: "reason" },
    h("h3", null, "Why is this state here?"),
    h(
      "ol",
      null,
      h("li", null, how(page, explanation)),
      h("li", null, stuck(model, state)),
      h("li", null, reality(model, state)),
      h("li", null, wayOut(explanation)),
    ),
    h("p", { class: "quiet" }, "All that was tried, and what else each clause does:"),
    h("p", null, h("code", { class: "command" }, `tranquera explain ${model.background.named} --edge '${explanation.edge}'`)),
  );
}

/** The call that leads here. */
function how(page, { edge, witness, doubt }) {
  const { source, action } = partsOf(edge);
  const from = (mark) => source && [" from ", h("span", { class: "nowrap" }, stateLink(page, source), mark)];
  if (!witness) return [h("code", null, action), " leads here", from("."), ` The engine gave no example: ${doubt ?? "it does not say why"}.`];
  const call = h("code", null, `${action.split("(")[0]}(${values(witness.arguments)})`);
  if (!source) return [call, " makes an object with ", code(values(witness.after)), "."];
  return [
    call,
    " leads here",
    from(":"),
    " an object with ",
    code(values(witness.before)),
    " keeps the invariant, and ends with ",
    code(values(witness.after)),
    ".",
  ];
}

/** `S1 -Buy-> S2` or `C(int) -> S1`, taken apart. */
function partsOf(edge) {
  const left = edge.slice(0, edge.lastIndexOf("->"));
  const found = left.match(/^(\S+) -(.*)-?$/);
  return found ? { source: found[1], action: found[2].replace(/-$/, "") } : { source: null, action: left.trim() };
}

const code = (text) => h("code", null, text || "no fields that can be shown");

/** Why nothing can be called then. */
function stuck(model, state) {
  const actions = model.background.actions.filter((action) => !state.enabled.includes(action.name));
  return [
    "There nothing can be called:",
    h("ul", null, actions.map((action) => h("li", null, h("code", null, action.name), " needs ", h("code", null, action.condition)))),
  ];
}

/** Whether an object is really ever here. */
function reality(model, state) {
  const keeps = model.refutedInvariant.map((clause) => `\`${clause}\``).join(" and ");
  if (state.refuted) {
    const why = keeps ? `every object keeps ${keeps}. The state is only in the EPA because the invariant does not say so` : "no call leads here";
    return prose(`No object is ever really here: ${why}.`);
  }
  if (model.shortestTo(state.id)) return "An object really gets here: the run is below. So this is no weakness of the invariant: the class can get stuck.";
  if (model.secondPass) return "Whether an object really gets here is not known: the second pass found neither a run nor a proof.";
  return prose("Whether an object really gets here from a constructor was not asked: run again with `--confirm`.");
}

/** The values of the fields that a clause speaks of, in the object that does not keep it. */
function broken(clause, witness) {
  const fields = witness?.before.length ? witness.before : (witness?.after ?? []);
  const words = clause.split(/[^\w#]+/);
  const meant = fields.filter(({ name }) => words.includes(name));
  return meant.length > 0 && [" The object of the first step does not keep it: there ", code(values(meant)), "."];
}

/** The clause that takes the edge away. */
function wayOut({ changes, tried, left_out: leftOut, witness }) {
  const [first, ...others] = changes;
  if (!first) {
    return leftOut > 0
      ? `The way out: ${leftOut} of ${tried} clauses that were tried take the edge away; the command below says which.`
      : `None of the ${tried} clauses that the class suggests takes the edge away by itself: look at what the actions do.`;
  }
  const kept =
    first.place !== "invariant"
      ? "."
      : first.broken_by.length === 0
        ? ": every call keeps it already, so it only has to be said."
        : `, and change what does not keep it: ${first.broken_by.join(", ")}.`;
  const removed = first.effect.removed.length ? ` It also takes away ${first.effect.removed.join(", ")}.` : " It takes nothing else away.";
  return [
    "The way out: add ",
    h("code", { class: "clause" }, first.clause),
    kept,
    broken(first.clause, witness),
    removed,
    others.length > 0 && [" Others that do: ", others.map((change, index) => [index > 0 && ", ", h("code", null, change.clause)]), "."],
  ];
}
