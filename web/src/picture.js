// The picture: what is where in it, zoom and pan, what is marked, dimmed or hidden, and the keys that move in it.
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 24;
/** Below this scale, text cannot be read: the ids of the states are shown as large as they fit. */
const FAR = 0.45;

/** Prepares the drawn picture. `chosen` gets `{state}` or `{edges}` when something in it is clicked or entered. */
export function openPicture(model, chosen) {
  const svg = document.querySelector("#picture > svg");
  const content = document.createElementNS(SVG, "g");
  for (const child of [...svg.children]) {
    if (child.tagName === "g") content.append(child);
    else if (child.classList.contains("page")) child.remove();
  }
  svg.append(content);
  for (const name of ["width", "height", "viewBox", "role"]) svg.removeAttribute(name);
  svg.setAttribute("aria-label", `The EPA of ${model.class}: arrow keys move between states, Enter shows one`);
  svg.setAttribute("role", "group");

  const states = readStates(content);
  const edges = readEdges(model, content);
  let touched = false;
  const zooming = zoom()
    .scaleExtent([0.05, 4])
    .on("zoom", (event) => {
      content.setAttribute("transform", event.transform);
      content.style.setProperty("--scale", event.transform.k);
      content.classList.toggle("far", event.transform.k < FAR);
      touched ||= Boolean(event.sourceEvent);
    });
  const view = select(svg).call(zooming).on("dblclick.zoom", null);

  for (const [id, { element }] of states) {
    onPress(element, () => chosen({ state: id }));
    element.addEventListener("focus", () => rove(element));
  }
  for (const drawn of edges) {
    for (const part of drawn.lines) onPress(part, () => chosen({ edges: drawn.edges.map((edge) => edge.id) }));
    for (const label of drawn.labels) onPress(label.element, () => chosen({ edges: [label.edge.id] }));
  }

  function rove(element) {
    for (const { element: other } of states.values()) other.setAttribute("tabindex", other === element ? "0" : "-1");
  }
  const [first] = states.values();
  if (first) rove(first.element);

  /** Moves the focus to the nearest state that way. */
  function move(from, dx, dy) {
    let best = null;
    for (const other of states.values()) {
      const [x, y] = [other.x - from.x, other.y - from.y];
      const along = x * dx + y * dy;
      if (along <= 1) continue;
      const cost = along + 2 * Math.abs(x * dy - y * dx);
      if (!best || cost < best.cost) best = { cost, other };
    }
    if (best) focus(best.other);
  }

  function focus(state) {
    reveal(state);
    state.element.focus({ preventScroll: true });
  }

  svg.addEventListener("keydown", (event) => {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const here = states.get(event.target.closest?.("[data-state]")?.dataset.state);
    if (here && ways[event.key]) {
      event.preventDefault();
      move(here, ...ways[event.key]);
    }
  });

  /** Brings a place into view, where it is not. */
  function reveal(place) {
    const box = svg.getBoundingClientRect();
    const now = currentTransform();
    const [x, y] = now.apply([place.x, place.y]);
    const inside = x > 60 && y > 40 && x < box.width - 60 && y < box.height - 40;
    if (!inside || now.k < 0.35) {
      touched = true;
      const scale = Math.max(now.k, 0.7);
      view.call(
        zooming.transform,
        zoomIdentity.translate(box.width / 2 - scale * place.x, box.height / 2 - scale * place.y).scale(scale),
      );
    }
  }

  const currentTransform = () => svg.__zoom ?? zoomIdentity;

  function fit() {
    const box = svg.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return;
    const all = content.getBBox();
    if (all.width === 0 || all.height === 0) return;
    const scale = Math.min((box.width - 2 * MARGIN) / all.width, (box.height - 2 * MARGIN) / all.height, 1.4);
    const k = Math.max(scale, 0.05);
    const [x, y] = [all.x + all.width / 2, all.y + all.height / 2];
    view.call(zooming.transform, zoomIdentity.translate(box.width / 2 - k * x, box.height / 2 - k * y).scale(k));
  }

  /** Marks what is selected, and dims what has nothing to do with it; in a walk, what does not leave the state too. */
  function mark({ state = null, ids = [], leaving = false }) {
    const marked = new Set(ids);
    const busy = state !== null || marked.size > 0;
    const near = new Set(state === null ? [] : [state]);
    for (const drawn of edges) {
      const touches = state !== null && drawn.edges.some((edge) => edge.source === state || (!leaving && edge.target === state));
      const chosenHere = drawn.edges.some((edge) => marked.has(edge.id));
      for (const group of drawn.groups) {
        group.classList.toggle("chosen", chosenHere);
        group.classList.toggle("dim", busy && !touches && !chosenHere);
      }
      for (const label of drawn.labels) label.element.classList.toggle("chosen", marked.has(label.edge.id));
      if (touches || chosenHere) for (const edge of drawn.edges) near.add(edge.source).add(edge.target);
    }
    for (const [id, { element }] of states) {
      element.classList.toggle("chosen", id === state);
      element.classList.toggle("dim", busy && !near.has(id));
      if (id === state) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    }
  }

  /** Hides the edges for which the test says so: a line goes when all its labels do. */
  function hide(test) {
    for (const drawn of edges) {
      for (const label of drawn.labels) label.element.classList.toggle("gone", test(label.edge));
      const all = drawn.edges.length > 0 && drawn.edges.every(test);
      for (const group of drawn.groups) group.classList.toggle("gone", all);
    }
  }

  return {
    fit: () => {
      touched = false;
      fit();
    },
    touched: () => touched,
    mark,
    hide,
    zoomBy: (factor) => {
      touched = true;
      view.call(zooming.scaleBy, factor);
    },
    showState: (id) => states.has(id) && reveal(states.get(id)),
    focusState: (id) => states.has(id) && focus(states.get(id)),
    showEdge: (edge) => {
      const drawn = edges.find((one) => one.edges.includes(edge));
      const label = drawn?.labels.find((one) => one.edge === edge)?.element;
      if (label) reveal({ x: Number(label.getAttribute("x")), y: Number(label.getAttribute("y")) });
    },
  };
}

/** The states in the picture, each with its element and its middle. */
function readStates(content) {
  const states = new Map();
  for (const element of content.querySelectorAll("[data-state]")) {
    const box = element.getBBox();
    element.setAttribute("role", "button");
    element.append(largeId(element, box));
    states.set(element.dataset.state, { element, x: box.x + box.width / 2, y: box.y + box.height / 2 });
  }
  return states;
}

/** A state's id as large as its box allows, in the middle. */
function largeId({ dataset: { state } }, box) {
  const text = document.createElementNS(SVG, "text");
  const size = Math.min(box.height * 0.8, (box.width * 1.4) / Math.max(state.length, 1));
  text.setAttribute("class", "large");
  text.setAttribute("aria-hidden", "true");
  text.setAttribute("x", box.x + box.width / 2);
  text.setAttribute("y", box.y + box.height / 2 + size * 0.36);
  text.setAttribute("font-size", size);
  text.textContent = state;
  return text;
}

/** The drawn edges: the groups of line and labels, what can be pressed, and the model's edges that they stand for. */
function readEdges(model, content) {
  const found = [];
  const labels = [...content.querySelectorAll(".labels > g")];
  const keyOf = (group) => JSON.stringify([group.getAttribute("class"), group.dataset.source, group.dataset.target]);
  const byKey = new Map(labels.map((group) => [keyOf(group), group]));
  for (const group of content.querySelectorAll(".edges > g")) {
    const named = byKey.get(keyOf(group)) ?? null;
    const line = group.querySelector(".line");
    const wide = line.cloneNode();
    wide.setAttribute("class", "wide");
    group.append(wide);
    const texts = named ? [...named.querySelectorAll("text")] : [];
    const pairs = texts.map((element) => ({ element, edge: edgeOf(model, element) })).filter(({ edge }) => edge);
    const { source, target } = group.dataset;
    const edges = pairs.length > 0 ? pairs.map(({ edge }) => edge) : model.constructorsOf(source, target);
    const free = texts.filter((element) => !pairs.some((pair) => pair.element === element));
    found.push({
      groups: named ? [group, named] : [group],
      lines: [group, ...free],
      labels: pairs,
      edges,
    });
  }
  return found;
}

function edgeOf(model, { dataset }) {
  if (dataset.transition !== undefined) return model.ofTransition(Number(dataset.transition));
  if (dataset.refuted !== undefined) return model.ofRefuted(Number(dataset.refuted));
  return null;
}

/** A click, or Enter or the space bar where the focus is. */
function onPress(element, action) {
  element.classList.add("press");
  element.addEventListener("click", (event) => {
    event.stopPropagation();
    action();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      action();
    }
  });
}
