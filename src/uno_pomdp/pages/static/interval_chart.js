// Intervals as pictures: one that narrows while a match goes on, and several side by side.

import { html, svg } from "./elements.js";

/** @typedef {[number, number, number, number]} Point deals done, low, estimate, high */
/** @typedef {{name: string, low: number, estimate: number, high: number}} Row */

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 48;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 26;
const ROW = 34;
const NAMES = 250;

/**
 * Returns a share in percent.
 * @param {number} share
 * @param {number} [digits]
 * @returns {string}
 */
export function points(share, digits = 1) {
  return `${(100 * share).toFixed(digits)} %`;
}

/**
 * Returns the interval of a match against the deals played: it narrows as the match goes on.
 * @param {string} name
 * @param {Point[]} course
 * @param {number} pairs
 * @returns {HTMLElement}
 */
export function narrowing(name, course, pairs) {
  const [low, high] = [Math.min(0.5, ...course.map((point) => point[1])), Math.max(0.5, ...course.map((point) => point[3]))];
  const room = Math.max(0.02, (high - low) * 0.08);
  const [bottom, top] = [Math.max(0, low - room), Math.min(1, high + room)];
  /** @param {number} done */
  const x = (done) => LEFT + ((WIDTH - LEFT - RIGHT) * done) / pairs;
  /** @param {number} share */
  const y = (share) => TOP + ((HEIGHT - TOP - BOTTOM) * (top - share)) / (top - bottom);
  const last = course[course.length - 1];
  const said = last === undefined ? `${name}: nothing yet` : `${name}: ${points(last[2])} of the points, from ${points(last[1])} to ${points(last[3])}, after ${last[0]} of ${pairs} deals`;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "narrowing", role: "img", "aria-label": said });
  for (const level of [bottom, 0.5, top]) {
    picture.append(
      svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(level), y2: y(level), class: level === 0.5 ? "half" : "level" }),
      svg("text", { x: LEFT - 6, y: y(level) + 4, "text-anchor": "end" }, points(level, 0)),
    );
  }
  if (course.length > 1) {
    const upper = course.map((point) => `${x(point[0]).toFixed(1)} ${y(point[3]).toFixed(1)}`);
    const lower = course.map((point) => `${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`).reverse();
    const middle = course.map((point) => `${x(point[0]).toFixed(1)} ${y(point[2]).toFixed(1)}`);
    picture.append(svg("path", { class: "band", d: `M${[...upper, ...lower].join("L")}z` }), svg("path", { class: "estimate", d: `M${middle.join("L")}` }));
  }
  if (last !== undefined) {
    picture.append(svg("circle", { class: "now", cx: x(last[0]), cy: y(last[2]), r: 4 }));
  }
  picture.append(svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, `${pairs.toLocaleString("en")} deals`));
  return html("figure", {}, html("figcaption", {}, said), picture);
}

/**
 * Returns intervals side by side, with a line at nothing and one at what is known exactly.
 * @param {Row[]} rows
 * @param {number | null} exact
 * @returns {HTMLElement}
 */
export function sideBySide(rows, exact) {
  const known = exact === null ? [] : [exact];
  const low = Math.min(0, ...rows.map((row) => row.low), ...known);
  const high = Math.max(0.01, ...rows.map((row) => row.high), ...known);
  const height = TOP + ROW * rows.length + BOTTOM;
  /** @param {number} share */
  const x = (share) => NAMES + ((WIDTH - NAMES - RIGHT) * (share - low)) / (high - low);
  const said = rows.map((row) => `${row.name}: ${points(row.estimate)}, from ${points(row.low)} to ${points(row.high)}`).join("; ");
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "side-by-side", role: "img", "aria-label": `Margins: ${said}` });
  picture.append(svg("line", { class: "half", x1: x(0), x2: x(0), y1: TOP, y2: height - BOTTOM }), svg("text", { x: x(0), y: height - 8, "text-anchor": "middle" }, "0"));
  if (exact !== null) {
    picture.append(svg("line", { class: "exact", x1: x(exact), x2: x(exact), y1: TOP, y2: height - BOTTOM }), svg("text", { x: x(exact), y: height - 8, "text-anchor": "middle" }, `exact ${points(exact, 2)}`));
  }
  rows.forEach((row, place) => {
    const y = TOP + ROW * (place + 0.5);
    const name = row.name.length > 36 ? `${row.name.slice(0, 35)}…` : row.name;
    picture.append(
      svg("text", { x: NAMES - 8, y: y + 4, "text-anchor": "end" }, name, svg("title", {}, row.name)),
      svg("line", { class: "interval", x1: x(row.low), x2: x(row.high), y1: y, y2: y }),
      svg("circle", { class: "now", cx: x(row.estimate), cy: y, r: 5 }, svg("title", {}, points(row.estimate, 2))),
    );
  });
  return html("figure", {}, picture);
}
