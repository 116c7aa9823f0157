// Who can call what: of contracts that ask somebody who he is.
import { h, prose } from "./dom.js";
import { stateLink } from "./parts.js";

/** The table: a row an action, a column a state; nothing where nobody is asked who he is. */
export function accessView(page) {
  const access = page.model.background?.access;
  if (!access) return null;
  const cell = (who) => h("td", { class: who ? null : "quiet" }, who || "–");
  const row = ({ action, who }) => h("tr", null, h("th", { scope: "row" }, action), who.map(cell));
  return h(
    "section",
    { class: "access" },
    h("h3", null, "Who can call what"),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        null,
        h("thead", null, h("tr", null, h("td", null), access.states.map((id) => h("th", { scope: "col" }, stateLink(page, id))))),
        h("tbody", null, access.rows.map(row)),
      ),
    ),
    conditions(access.rows),
    h("p", { class: "quiet" }, prose(access.meaning)),
  );
}

/** Who can call what in a state. */
export function accessHere(model, id) {
  const access = model.background?.access;
  const column = access?.states.indexOf(id) ?? -1;
  if (column < 0) return null;
  const rows = access.rows.filter(({ who }) => who[column]);
  if (rows.length === 0) return null;
  return h(
    "section",
    { class: "access" },
    h("h3", null, "Who can call what here"),
    h("table", null, h("tbody", null, rows.map(({ action, who }) => h("tr", null, h("th", { scope: "row" }, action), h("td", null, who[column]))))),
    conditions(rows),
  );
}

/** What calls ask of their sender besides his role. */
const conditions = (rows) => rows.filter(({ condition }) => condition).map(({ condition }) => h("p", { class: "quiet" }, condition));
