// The picture: zoom and pan, what is marked, dimmed or hidden. What is where in it is read in `drawn.js`, the keys that
// move in it are in `focus.js`.
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { moveByKeys } from "./focus.js";
import { readDrawn } from "./drawn.js";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 24;
/** Below this scale, text cannot be read: the states grow as far as there is room, and show their ids alone. */
const FAR = 0.45;
/** How large ids are then, in pixels. */
const ID = 13;
/** At this scale or above, the text of a state that has grown can be read. */
const LEGIBLE = 0.6;

/** Prepares a drawn picture. `chosen` gets `{state}` or `{edges}` when something in it is clicked or entered. */
export function openPicture(model, svg, chosen) {
  const content = prepare(model, svg);
  const { nodes, states, edges } = readDrawn(model, content);
  let touched = false;
  const zooming = zoom()
    .scaleExtent([0.01, 4])
    .on("zoom", (event) => {
      content.setAttribute("transform", event.transform);
      scaled(event.transform.k);
      touched ||= Boolean(event.sourceEvent);
    });
  const view = select(svg).call(zooming).on("dblclick.zoom", null);
  const currentTransform = () => svg.__zoom ?? zoomIdentity;

  /** Lines keep their width from afar, and states grow. */
  function scaled(k) {
    content.style.setProperty("--scale", k);
    const far = k < FAR;
    const was = content.classList.contains("far");
    content.classList.toggle("far", far);
    if (!far && !was) return;
    for (const { element, x, y, room, letters } of states.values()) {
      // Until the id can be read, if there is room.
      const factor = far ? Math.min(room, Math.max(1, ID / (letters * k)), 1 / k) : 1;
      if (factor === 1) element.removeAttribute("transform");
      else element.setAttribute("transform", `translate(${x * (1 - factor)} ${y * (1 - factor)}) scale(${factor})`);
      element.style.setProperty("--grown", k * factor);
      element.classList.toggle("legible", k * factor >= LEGIBLE);
    }
  }

  for (const node of nodes) {
    onPress(node.element, () => chosen(node.state ? { state: node.state } : { edges: node.leaving.flatMap(({ ids }) => ids) }));
  }
  for (const drawn of edges) {
    const ids = drawn.edges.map((edge) => edge.id);
    for (const part of drawn.lines) onPress(part, () => chosen({ edges: ids }));
    for (const label of drawn.labels) onPress(label.element, () => chosen({ edges: [label.edge.id] }));
  }

  /** Brings a place into view, where it is not, or cannot be read. */
  function reveal(place) {
    const box = svg.getBoundingClientRect();
    const now = currentTransform();
    const [x, y] = now.apply([place.x, place.y]);
    const inside = x > 60 && y > 40 && x < box.width - 60 && y < box.height - 40;
    if (!inside || now.k < FAR) {
      touched = true;
      const scale = Math.max(now.k, 0.7);
      view.call(
        zooming.transform,
        zoomIdentity.translate(box.width / 2 - scale * place.x, box.height / 2 - scale * place.y).scale(scale),
      );
    }
  }

  const focus = moveByKeys(svg, nodes, states, reveal);

  function fit() {
    const box = svg.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return;
    const all = content.getBBox();
    if (all.width === 0 || all.height === 0) return;
    const scale = Math.min((box.width - 2 * MARGIN) / all.width, (box.height - 2 * MARGIN) / all.height, 1.4);
    const k = Math.max(scale, 0.01);
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
        group.classList.toggle("near", touches);
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

  const labelOf = (edge) => edges.flatMap((drawn) => drawn.labels).find((label) => label.edge === edge);
  return {
    svg,
    merges: edges.some((drawn) => drawn.labels.length > 1),
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
    showEdge: (edge) => labelOf(edge) && reveal(labelOf(edge)),
    focusState: focus.state,
    focusCurrent: focus.current,
  };
}

/** Puts all that is drawn into one group, and the states before the labels: that is the order of the tab key. */
function prepare(model, svg) {
  const content = document.createElementNS(SVG, "g");
  for (const child of [...svg.children]) {
    if (child.tagName === "g") content.append(child);
    else if (child.tagName !== "style") child.remove();
  }
  content.append(...content.querySelectorAll(":scope > .labels"));
  svg.append(content);
  for (const name of ["width", "height", "viewBox", "aria-labelledby"]) svg.removeAttribute(name);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", `The EPA of ${model.class}. The arrow keys move from state to state, Tab to the edges, Enter shows one.`);
  return content;
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
