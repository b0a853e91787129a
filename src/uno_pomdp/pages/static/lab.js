// An experiment: how it goes while it runs, what was found when it has ended.

import { ask, Refusal } from "./api.js";
import { Connection } from "./connection.js";
import { html } from "./elements.js";
import { narrowing, points, sideBySide } from "./interval_chart.js";
import { find } from "./places.js";
import { showPage } from "./site.js";

/**
 * @typedef {{low: number, estimate: number, high: number}} Interval
 * @typedef {{challenger: string, about: string, pairs: number, margin: Interval, joint: Interval}} Bound
 *
 * @typedef {object} LabState
 * @property {number} version
 * @property {"waiting" | "running" | "done" | "stopped" | "failed"} status
 * @property {string} trouble
 * @property {{kind: "match" | "nash", rules: string, first: string, second: string, pairs: number, seed: string}} asked
 * @property {{name: string, pairs: number, left: number | null, course: import("./interval_chart.js").Point[]}[]} matches
 * @property {any} report
 * @property {string} text
 */

const base = `/api${location.pathname}`;
const trouble = find("connection", HTMLElement);
const stop = find("stop", HTMLButtonElement);

/** Returns how wide a picture may be, in pixels: it is drawn for its place, so that its words are of one size. */
const room = () => Math.max(240, find("pictures", HTMLElement).clientWidth);

/**
 * Shows a sentence about what is wrong; an empty one hides it.
 * @param {string} words
 */
function complain(words) {
  trouble.textContent = words;
  trouble.hidden = words === "";
}

/** @type {LabState | null} */
let shown = null;

/** @param {LabState} state */
function draw(state) {
  shown = state;
  showPage();
  const { asked, matches } = state;
  const title = asked.kind === "match" ? `${asked.first} v ${asked.second}` : `Can ${asked.first} be beaten?`;
  find("title", HTMLElement).textContent = title;
  document.title = `${title}: lab`;
  find("facts", HTMLElement).textContent = `${asked.rules} rules · ${asked.pairs.toLocaleString("en")} pairs of games · seed ${asked.seed}`;
  find("status", HTMLElement).textContent = statusWords(state);
  complain(state.trouble);
  stop.hidden = state.status !== "running" && state.status !== "waiting";
  const found = state.report === null ? "" : asked.kind === "match" ? state.text : String(state.report.verdict);
  find("verdict", HTMLElement).hidden = found === "";
  find("verdict-words", HTMLElement).textContent = found;
  if (asked.kind === "match" || state.report === null) {
    const pictures = matches.map((match) => narrowing(match.name, match.course, match.pairs, room()));
    find("pictures", HTMLElement).replaceChildren(...(pictures.length > 0 ? pictures : [html("p", { class: "quiet" }, "Nothing to show yet.")]));
  } else {
    drawReport(state.report);
  }
}

/** @param {{bounds: Bound[], exact: {margin: number} | null, nothing_exact_because: string | null}} report */
function drawReport(report) {
  find("pictures-title", HTMLElement).textContent = "Margins of the attempts, with joint 95 % intervals";
  const rows = report.bounds.map(({ challenger, joint }) => ({ name: challenger, ...joint }));
  const why = report.nothing_exact_because === null ? [] : [html("p", { class: "quiet" }, `Nothing exact: ${report.nothing_exact_because}.`)];
  find("pictures", HTMLElement).replaceChildren(sideBySide(rows, report.exact?.margin ?? null, room()), ...why);
  const head = ["Attempt", "Knows", "Pairs", "Margin", "Joint interval"].map((words) => html("th", { scope: "col" }, words));
  const body = report.bounds.map((bound) =>
    html("tr", {}, html("th", { scope: "row" }, bound.challenger), ...[bound.about, bound.pairs.toLocaleString("en"), points(bound.margin.estimate, 2), `${points(bound.joint.low, 2)} to ${points(bound.joint.high, 2)}`].map((words) => html("td", {}, words))),
  );
  find("table", HTMLElement).replaceChildren(html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...body)));
  find("table-panel", HTMLElement).hidden = false;
}

/**
 * Returns how an experiment goes, in a sentence.
 * @param {LabState} state
 * @returns {string}
 */
function statusWords({ status, matches }) {
  const now = matches[matches.length - 1];
  if (status === "running") {
    const left = now?.left === null || now?.left === undefined ? "" : `, about ${now.left} s left in this match`;
    return now === undefined ? "It begins …" : `${now.name}: ${(now.course[now.course.length - 1]?.[0] ?? 0).toLocaleString("en")} of ${now.pairs.toLocaleString("en")} pairs${left}`;
  }
  return { waiting: "It waits for another experiment to end.", done: "Done.", stopped: "Stopped.", failed: "Failed." }[status];
}

addEventListener("resize", () => shown !== null && draw(shown));
stop.addEventListener("click", () => {
  stop.disabled = true;
  ask(`${base}/stop`, {}).catch((error) => {
    stop.disabled = false;
    complain(error instanceof Refusal ? error.message : String(error));
  });
});
new Connection(base, {
  state: draw,
  analysis: () => {},
  away: (away) => away && complain("The server does not answer; trying again …"),
});
