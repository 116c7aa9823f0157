// Walking the EPA: one call after the other, and whether a concrete object is known that follows.
import { h } from "./dom.js";
import { endOf } from "./model.js";
import { answerCall, badges, callText, fieldTable } from "./parts.js";

/** A walk. It holds the path, and shows itself in the panel. */
export function walkOf(page) {
  const { model } = page;
  const path = [];
  const here = () => (path.length ? model.edges[path[path.length - 1]].target : null);
  const started = () => path.length > 0;
  const choices = () =>
    model.edges.filter((edge) => !edge.refuted && (started() ? edge.source !== null && edge.source === here() : edge.constructs));

  function take(id) {
    if (!choices().some((edge) => edge.id === id)) return false;
    path.push(id);
    page.refresh();
    return true;
  }

  function back() {
    path.pop();
    page.refresh();
  }

  function restart() {
    path.length = 0;
    page.refresh();
  }

  function view() {
    const run = started() ? model.following(path) : null;
    return [
      h("h2", { tabindex: "-1" }, "Walk"),
      h(
        "p",
        { class: "buttons" },
        h("button", { type: "button", class: "back", disabled: !started(), click: back }, "One back"),
        h("button", { type: "button", class: "restart", disabled: !started(), click: restart }, "From the start"),
      ),
      h("p", { class: "where", "aria-live": "polite" }, whereText()),
      choiceList(run),
      started() && objectView(run),
      started() && h("h3", null, "The path so far"),
      started() && h("ol", { class: "steps path" }, path.map((id, index) => stepView(model.edges[id], run?.calls[index]))),
    ];
  }

  function whereText() {
    if (!started()) return "Make an object:";
    const last = model.edges[path[path.length - 1]];
    if (!last.target) return `The constructor ended in ${last.exception}: there is no object.`;
    const state = model.state(here());
    return state?.enabled.length ? `In ${here()}. Call:` : `In ${here()}: nothing can be called.`;
  }

  function choiceList(run) {
    const edges = choices();
    const enabled = started() ? (model.state(here())?.enabled ?? []) : [];
    const without = enabled.filter((action) => !edges.some((edge) => edge.action === action));
    return h(
      "ul",
      { class: "plain choices" },
      edges.map((edge) =>
        h(
          "li",
          null,
          h(
            "button",
            { class: "row", type: "button", "data-take": edge.id, click: () => take(edge.id) },
            h("span", { class: "name" }, edge.name),
            h("span", { class: "ends" }, `→ ${endOf(edge)}`),
            badges(edge),
            (run || !started()) && !model.following([...path, edge.id]) && h("span", { class: "badge" }, "no object known"),
          ),
        ),
      ),
      without.map((action) => h("li", { class: "quiet" }, `${action} can be called, but leads nowhere that is shown`)),
    );
  }

  /** What is known of the object that took this path. */
  function objectView(run) {
    if (!run) return abstractView(model.edges[path[path.length - 1]]);
    const call = run.calls[path.length - 1];
    return h(
      "div",
      { class: "object concrete" },
      h("h3", null, run.replayed ? "An object follows" : "An object follows, as the engine says"),
      call.fields.length > 0 ? fieldTable([call.fields], model) : h("p", { class: "quiet" }, "Its fields are not known."),
    );
  }

  /** No object is known: why, and what the engine knows of the last call by itself. */
  function abstractView(edge) {
    const why = model.objects.any
      ? "among the objects that were made, none takes exactly these calls"
      : "no object could be made: the class leaves open what a constructor does, or its arguments cannot be chosen";
    const advice = model.secondPass ? "" : " With --confirm, the second pass looks for more runs.";
    return h(
      "div",
      { class: "object abstract" },
      h("p", null, `Only the abstraction is walked: ${why}. An object need not be able to follow.${advice}`),
      edge.answer?.call && answerCall(page, edge, "The last call, made by some object that keeps the invariant"),
    );
  }

  function stepView(edge, call) {
    return h("li", null, h("code", null, call ? callText(call) : edge.name), " ", h("span", { class: "ends" }, `→ ${endOf(edge)}`));
  }

  return {
    take,
    view,
    here,
    /** What the picture marks: where the walk is, and the last call. */
    marked: () => ({ state: here(), ids: path.slice(-1), leaving: true }),
  };
}
