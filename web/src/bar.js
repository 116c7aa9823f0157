// The bar above the picture: search, what is hidden, the legend, zoom, and the walk.
import { fill, h } from "./dom.js";
import { endOf } from "./model.js";

const MOST = 30;

/** The bar's parts; `page` is told what is chosen. */
export function makeBar(page) {
  const { model } = page;
  const walk = h("button", { type: "button", id: "walk", "aria-pressed": "false", title: "Walk the EPA call by call (w)", click: () => page.toggleWalk() }, "Walk");
  const zoomButton = (text, title, click, look) => h("button", { type: "button", class: look, title, "aria-label": title, click }, text);
  const shown = hiding(page);
  const fold = (on) => {
    document.body.classList.toggle("folded", on);
    folding.setAttribute("aria-expanded", String(!on));
  };
  const folding = h(
    "button",
    { type: "button", id: "fold", "aria-expanded": "true", "aria-controls": "panel", click: () => fold(!document.body.classList.contains("folded")) },
    "Details",
  );
  const bar = document.querySelector("#bar");
  fill(
    bar,
    h("h1", null, h("button", { type: "button", class: "link", title: "Overview (Esc)", click: () => page.show({}) }, model.class)),
    searchBox(page),
    shown.element,
    legend(model),
    h("span", { class: "space" }),
    h(
      "span",
      { class: "group zoom", role: "group", "aria-label": "Zoom" },
      zoomButton("−", "Smaller (−)", () => page.picture.zoomBy(1 / 1.3), "smaller"),
      zoomButton("+", "Larger (+)", () => page.picture.zoomBy(1.3), "larger"),
      zoomButton("Fit", "All of it (0)", () => page.picture.fit()),
    ),
    walk,
    h("button", { type: "button", id: "help", title: "Keys (?)", "aria-label": "Keys", click: () => page.keys.open() }, "?"),
    folding,
  );
  return {
    walking: (on) => walk.setAttribute("aria-pressed", String(on)),
    changed: shown.apply,
    fold,
  };
}

/** Search: a list of states, actions' edges below the box, moved in by the arrow keys. */
function searchBox(page) {
  const { model } = page;
  const list = h("ul", { id: "found", role: "listbox", "aria-label": "Found", hidden: true });
  const input = h("input", {
    id: "search",
    type: "search",
    placeholder: "Search  /",
    autocomplete: "off",
    role: "combobox",
    "aria-label": "Search for states and actions",
    "aria-controls": "found",
    "aria-expanded": "false",
    input: update,
    focus: update,
    keydown: key,
  });
  let current = -1;

  function candidates(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (candidate) => words.every((word) => candidate.toLowerCase().includes(word));
    const states = model.states
      .map((state) => ({ title: state.id, detail: `{ ${state.enabled.join(", ")} }`, what: { state: state.id } }))
      .filter(({ title, detail }) => fits(`state ${title} ${detail}`));
    const edges = model.edges
      .map((edge) => ({ title: edge.name, detail: `${edge.source ?? "new"} → ${endOf(edge)}`, what: { edges: [edge.id] } }))
      .filter(({ title, detail }) => fits(`${title} ${detail}`));
    // A state's own id, and an action's own name, come before what only mentions them.
    const rank = ({ title }) => (title.toLowerCase() === text.toLowerCase() ? 0 : title.toLowerCase().startsWith(text.toLowerCase()) ? 1 : 2);
    return [...states, ...edges].sort((a, b) => rank(a) - rank(b));
  }

  function update() {
    const text = input.value.trim();
    const all = text ? candidates(text) : [];
    current = all.length ? 0 : -1;
    const options = all.slice(0, MOST).map(({ title, detail, what }, index) =>
      h(
        "li",
        { role: "option", id: `found-${index}`, mousedown: (event) => event.preventDefault(), click: () => take(what) },
        h("span", { class: "name" }, title),
        " ",
        h("span", { class: "ends" }, detail),
      ),
    );
    options.forEach((option, index) => (option.what = all[index].what));
    const more = all.length > MOST && h("li", { class: "quiet" }, `and ${all.length - MOST} more`);
    const none = text && all.length === 0 && h("li", { class: "quiet" }, "Nothing of that name.");
    fill(list, options, more, none);
    list.hidden = !text;
    input.setAttribute("aria-expanded", String(Boolean(text)));
    choose();
  }

  function choose() {
    const options = [...list.querySelectorAll("[role=option]")];
    options.forEach((option, index) => option.setAttribute("aria-selected", String(index === current)));
    if (options[current]) {
      input.setAttribute("aria-activedescendant", options[current].id);
      options[current].scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
  }

  function take(what) {
    input.value = "";
    close();
    page.show(what, true);
  }

  function key(event) {
    const options = list.querySelectorAll("[role=option]");
    if (event.key === "Escape") {
      event.stopPropagation();
      input.value = "";
      close();
      input.blur();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (options.length) current = (current + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length;
      choose();
    } else if (event.key === "Enter" && options[current]) {
      event.preventDefault();
      take(options[current].what);
    }
  }

  input.addEventListener("blur", close);
  return h("span", { class: "search" }, input, list);
}

/** Which edges are shown: kinds that occur, then every action. */
function hiding(page) {
  const { model } = page;
  const { edges } = model;
  const hidden = new Set();
  const kinds = [
    ["loops", "self loops", (edge) => edge.source !== null && edge.source === edge.target, true],
    ["idle", "loops of actions that do nothing else", (edge) => model.idle.has(edge.action) && edge.source === edge.target, model.options.idleLoops],
    ["exceptional", "edges that end in an exception", (edge) => Boolean(edge.exception), model.options.exceptional],
    ["uncertain", "uncertain edges", (edge) => edge.verdict === "maybe", true],
    ["unconfirmed", "unconfirmed edges", (edge) => edge.confirmation?.status === "unconfirmed", true],
    ["refuted", "refuted edges", (edge) => edge.refuted, true],
  ].filter(([, , test]) => edges.some(test));
  const tests = new Map([
    ...kinds.map(([key, , test]) => [`kind ${key}`, test]),
    ...model.actions.map((action) => [`action ${action}`, (edge) => !edge.constructs && edge.action === action]),
  ]);
  const summary = h("summary", null, "Show");
  const split = splitting(page);
  const apply = () => {
    split.apply();
    const active = [...hidden].map((key) => tests.get(key));
    page.picture.hide((edge) => active.some((test) => test(edge)));
    summary.textContent = hidden.size ? `Show (${hidden.size} off)` : "Show";
  };
  const box = (key, text, on) => {
    const change = ({ target }) => {
      if (target.checked) hidden.delete(key);
      else hidden.add(key);
      apply();
    };
    if (!on) hidden.add(key);
    return h("label", null, h("input", { type: "checkbox", "data-hide": key, checked: on, change }), " ", text);
  };
  const all = (on) => () => {
    for (const input of element.querySelectorAll("[data-hide^='action ']")) {
      if (input.checked !== on) input.click();
    }
  };
  const element = h(
    "details",
    { class: "menu", id: "hiding" },
    summary,
    h(
      "div",
      { class: "sheet" },
      split.element,
      kinds.map(([key, text, , on]) => box(`kind ${key}`, text, on)),
      h("h3", null, "Actions"),
      h(
        "p",
        { class: "buttons" },
        h("button", { type: "button", click: all(true) }, "All"),
        h("button", { type: "button", click: all(false) }, "None"),
      ),
      model.actions.map((action) => box(`action ${action}`, action, true)),
    ),
  );
  apply();
  return { element, apply };
}

/** The switch between one arrow for all edges between two states and one for each. */
function splitting({ pictures, toggleSplit }) {
  if (!pictures.merges) return { element: null, apply: () => {} };
  const input = h("input", { type: "checkbox", id: "splitting", disabled: !pictures.canSplit, change: toggleSplit });
  const text = pictures.canSplit ? "one arrow for each action" : "one arrow for each action: too many to draw";
  const element = h("label", { class: "split" }, input, " ", text);
  return { element, apply: () => (input.checked = pictures.isSplit()) };
}

/** What the looks mean, those that occur. */
function legend(model) {
  const some = (test) => model.edges.some(test);
  const status = (wanted) => some((edge) => edge.confirmation?.status === wanted);
  const rows = [
    [true, "initial", "an initial state: a constructor can end here"],
    [model.states.some((state) => state.enabled.length === 0 && !state.refuted), "deadlock", "nothing can be called"],
    [some((edge) => edge.verdict === "reached" && !edge.confirmation), "certain", "a certain edge"],
    [status("confirmed"), "confirmed", "confirmed: a run from a constructor takes it"],
    [some((edge) => edge.verdict === "maybe"), "uncertain", "?  uncertain: an engine could not decide"],
    [status("unconfirmed"), "unconfirmed", "~  not confirmed within the bound"],
    [status("refuted"), "refuted", "x  refuted: no object takes it"],
    [some((edge) => edge.exception), "exceptional", "!  ends in an exception"],
    [some((edge) => edge.violates_invariant), "violates", "*  can break the invariant"],
  ].filter(([occurs]) => occurs);
  return h(
    "details",
    { class: "menu", id: "legend" },
    h("summary", null, "Legend"),
    h("ul", { class: "sheet plain" }, rows.map(([, look, text]) => h("li", null, h("span", { class: `swatch ${look}` }), text))),
  );
}
