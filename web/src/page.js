// The page: what is shown, and the keys that work everywhere.
import { makeBar } from "./bar.js";
import { fill } from "./dom.js";
import { keyList } from "./keys.js";
import { readModel } from "./model.js";
import { edgesView, overview, stateView } from "./panel.js";
import { openPictures } from "./pictures.js";
import { walkOf } from "./walk.js";

const model = readModel(JSON.parse(document.querySelector("#data").textContent));
const panel = document.querySelector("#panel");
const page = { model, show, refresh, toggleWalk, toggleSplit };
let shown = ofAddress();
let walking = false;

page.pictures = openPictures(model, (what) => {
  unfold();
  if (!walking) show(what);
  // In a walk, an edge that leaves the place is a call.
  else what.edges?.some((id) => walk.take(id));
});
page.picture = page.pictures.current();
page.keys = keyList();
const walk = walkOf(page);
const bar = makeBar(page);

/** Shows `{state}`, `{edges}` or, with neither, the whole; `go` brings it into view. */
function show(what, go = false) {
  if (walking) setWalking(false);
  shown = what;
  const place = addressOf(what);
  if (address() !== place) location.hash = encodeURIComponent(place);
  refresh();
  if (what.state && go) page.picture.focusState(what.state);
  if (what.edges?.length && go) page.picture.showEdge(model.edges[what.edges[0]]);
}

/** Draws the panel and the marks anew. */
function refresh() {
  page.picture.mark(walking ? walk.marked() : { state: shown.state ?? null, ids: shown.edges ?? [] });
  const focused = panel.contains(document.activeElement);
  if (walking) fill(panel, walk.view());
  else if (shown.state) fill(panel, stateView(page, shown.state));
  else if (shown.edges) fill(panel, edgesView(page, shown.edges));
  else fill(panel, overview(page));
  panel.scrollTop = 0;
  // What had the focus is gone: it goes on where it was, in a walk at the next call.
  if (focused) (panel.querySelector(".choices button") ?? panel.querySelector("h2"))?.focus();
  if (walking && walk.here()) page.picture.showState(walk.here());
}

function setWalking(on) {
  walking = on;
  bar.walking(on);
}

function toggleWalk() {
  setWalking(!walking);
  refresh();
  if (walking) panel.querySelector(".choices button")?.focus();
}

/** One arrow for each action, or one for all between two states. */
function toggleSplit() {
  const { touched } = page.picture;
  page.picture = page.pictures.toggle();
  bar.changed();
  refresh();
  if (!touched()) page.picture.fit();
  else if (shown.state) page.picture.showState(shown.state);
  else if (shown.edges) page.picture.showEdge(model.edges[shown.edges[0]]);
  else page.picture.fit();
}

/** From the picture to the details, and back. */
function toggleDetails() {
  if (panel.contains(document.activeElement)) return page.picture.focusCurrent();
  unfold();
  panel.querySelector("h2")?.focus();
}

/** In a narrow window the details can be folded away. */
function unfold() {
  if (document.body.classList.contains("folded")) bar.fold(false);
}

/** What stands behind the `#` of the address; nothing where somebody broke it. */
function address() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/** What is shown, as it stands behind the `#` of the address. */
function addressOf({ state, edges }) {
  if (state) return `state ${state}`;
  return edges?.length ? `edge ${edges.join(" ")}` : "";
}

/** The other way round; whatever else stands there is the whole. */
function ofAddress() {
  const [kind, ...rest] = address().split(" ");
  if (kind === "state" && model.state(rest.join(" "))) return { state: rest.join(" ") };
  const ids = rest.map(Number).filter((id) => model.edges[id]);
  return kind === "edge" && ids.length ? { edges: ids } : {};
}

addEventListener("hashchange", () => {
  const what = ofAddress();
  if (addressOf(what) !== addressOf(shown)) show(what);
});

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || page.keys.isOpen() || event.target.matches("input[type=search]")) return;
  const actions = {
    "/": () => document.querySelector("#search").focus(),
    "?": page.keys.open,
    d: toggleDetails,
    s: toggleSplit,
    w: toggleWalk,
    "+": () => page.picture.zoomBy(1.3),
    "-": () => page.picture.zoomBy(1 / 1.3),
    0: () => page.picture.fit(),
    Escape: leave,
  };
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});

/** Closes what is open: a menu first. */
function leave() {
  const open = document.querySelector(".menu[open]");
  if (open) {
    open.open = false;
    open.querySelector("summary").focus();
  } else show({});
}

addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(target)) menu.open = false;
});

// The picture fits until the person has chosen what to see.
new ResizeObserver(() => {
  if (page.picture.touched()) return;
  page.picture.fit();
  if (shown.state) page.picture.showState(shown.state);
}).observe(document.querySelector("#picture"));

refresh();
