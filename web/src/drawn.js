// What is where in the drawn picture: its nodes and edges, with the model's states and edges that they stand for.
import { endOf, kindsOf } from "./model.js";

const SVG = "http://www.w3.org/2000/svg";

/** The nodes that can be gone to (states and where constructors begin), the states by their ids, and the edges. */
export function readDrawn(model, content) {
  const states = readStates(model, content);
  const edges = readEdges(model, content);
  const nodes = [...states.values(), ...readStarts(content)];
  for (const node of nodes) {
    node.leaving = edges
      .filter((drawn) => drawn.source === node.name)
      .flatMap((drawn) => (drawn.labels.length > 0 ? drawn.labels : [{ ...drawn.line, ids: drawn.edges.map(({ id }) => id) }]))
      .map((stop) => ({ ...stop, ids: stop.ids ?? [stop.edge.id] }));
  }
  return { nodes, states, edges };
}

/** The states in the picture, each with its element, its middle, and how far it can grow before it touches another. */
function readStates(model, content) {
  const states = new Map();
  for (const element of content.querySelectorAll("[data-state]")) {
    const id = element.dataset.state;
    const box = element.getBBox();
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", stateWords(model.state(id), id));
    const { width, height } = box;
    const letters = Math.min(height * 0.8, (width * 1.4) / Math.max(id.length, 1));
    element.append(largeId(id, box, letters));
    const [x, y] = [box.x + width / 2, box.y + height / 2];
    states.set(id, { element, state: id, name: id, x, y, width, height, letters, room: Infinity });
  }
  const all = [...states.values()];
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      const across = (2 * Math.abs(one.x - other.x)) / (one.width + other.width);
      const along = (2 * Math.abs(one.y - other.y)) / (one.height + other.height);
      const room = Math.max(1, 0.92 * Math.max(across, along));
      one.room = Math.min(one.room, room);
      other.room = Math.min(other.room, room);
    }
  }
  return states;
}

function stateWords(state, id) {
  const what = state?.enabled.length ? `${state.enabled.join(", ")} can be called` : "nothing can be called";
  return `State ${id}${state?.initial ? ", initial" : ""}${state?.refuted ? ", refuted" : ""}: ${what}`;
}

/** A state's id as large as its box allows, in the middle. */
function largeId(id, box, size) {
  const text = document.createElementNS(SVG, "text");
  text.setAttribute("class", "large");
  text.setAttribute("aria-hidden", "true");
  text.setAttribute("x", box.x + box.width / 2);
  text.setAttribute("y", box.y + box.height / 2 + size * 0.36);
  text.setAttribute("font-size", size);
  text.textContent = id;
  return text;
}

/** Where constructors begin. */
function readStarts(content) {
  return [...content.querySelectorAll(".nodes > .start")].map((element) => {
    const box = element.getBBox();
    const name = element.querySelector("title").textContent;
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", `Constructor ${name}`);
    return { element, name, x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
}

/** The drawn edges: the groups of line and labels, what can be pressed, and the model's edges that they stand for. */
function readEdges(model, content) {
  const found = [];
  const lists = new Map();
  const keyOf = (group) => JSON.stringify([group.getAttribute("class"), group.dataset.source, group.dataset.target]);
  for (const group of content.querySelectorAll(".labels > g")) {
    const key = keyOf(group);
    lists.set(key, [...(lists.get(key) ?? []), group]);
  }
  for (const group of content.querySelectorAll(".edges > g")) {
    // Where several edges have the same ends, lines and labels come in the same order.
    const named = lists.get(keyOf(group))?.shift() ?? null;
    const line = group.querySelector(".line");
    const wide = line.cloneNode();
    wide.setAttribute("class", "wide");
    group.append(wide);
    const texts = named ? [...named.querySelectorAll("text")] : [];
    const pairs = texts.map((element) => labelOf(model, element)).filter(({ edge }) => edge);
    const { source, target } = group.dataset;
    const edges = pairs.length > 0 ? pairs.map(({ edge }) => edge) : model.constructorsOf(source, target);
    const free = texts.filter((element) => !pairs.some((pair) => pair.element === element));
    for (const { element, edge } of pairs) name(element, edgeWords(edge));
    if (pairs.length === 0) name(group, edges.map(edgeWords).join("; "));
    const middle = line.getPointAtLength(line.getTotalLength() / 2);
    found.push({
      source,
      groups: named ? [group, named] : [group],
      line: { element: group, x: middle.x, y: middle.y },
      lines: [group, ...free],
      labels: pairs,
      edges,
    });
  }
  return found;
}

function labelOf(model, element) {
  const edge = edgeOf(model, element);
  return { element, edge, x: Number(element.getAttribute("x")), y: Number(element.getAttribute("y")) };
}

function edgeOf(model, { dataset }) {
  if (dataset.transition !== undefined) return model.ofTransition(Number(dataset.transition));
  if (dataset.refuted !== undefined) return model.ofRefuted(Number(dataset.refuted));
  return null;
}

function name(element, words) {
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", words);
  element.setAttribute("tabindex", "-1");
}

function edgeWords(edge) {
  const from = edge.source ? `from ${edge.source} ` : "";
  return [`${edge.name}, ${from}to ${endOf(edge)}`, ...kindsOf(edge)].join(", ");
}
