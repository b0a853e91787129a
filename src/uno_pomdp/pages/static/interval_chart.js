// Intervals as pictures: one that narrows while a match goes on, and several side by side.

import { html, svg } from "./elements.js";

/** @typedef {[number, number, number, number]} Point deals done, low, estimate, high */
/** @typedef {{name: string, low: number, estimate: number, high: number}} Row */

const HEIGHT = 240;
const LEFT = 52;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 26;
const ROW = 34;
/** Of a picture side by side, what names take; where it is narrower than NARROW they stand above their lines. */
const NAMES = 280;
const NARROW = 620;
/** Of a course, the part that the scale does not follow: the first intervals are as wide as anything. */
const EARLY = 1 / 8;

/**
 * Returns a share in percent.
 * @param {number} share
 * @param {number} [digits]
 * @returns {string}
 */
export function points(share, digits = 1) {
  return `${(100 * share).toFixed(digits).replace("-", "−")} %`;
}

/**
 * Returns from where to where a course goes, with a half in sight; its first intervals may reach out of the picture.
 * @param {Point[]} course
 * @returns {[number, number]}
 */
function scaleOf(course) {
  const done = course[course.length - 1]?.[0] ?? 0;
  const followed = course.filter((point) => point[0] >= EARLY * done);
  const [low, high] = [Math.min(0.5, ...followed.map((point) => point[1])), Math.max(0.5, ...followed.map((point) => point[3]))];
  const room = Math.max(0.01, (high - low) * 0.08);
  return [Math.max(0, low - room), Math.min(1, high + room)];
}

/**
 * Returns the interval of a match against the deals played: it narrows as the match goes on.
 * @param {string} name
 * @param {Point[]} course
 * @param {number} pairs
 * @param {number} width in pixels
 * @returns {HTMLElement}
 */
export function narrowing(name, course, pairs, width) {
  const [bottom, top] = scaleOf(course);
  /** @param {number} done */
  const x = (done) => LEFT + ((width - LEFT - RIGHT) * done) / pairs;
  /** @param {number} share */
  const y = (share) => TOP + ((HEIGHT - TOP - BOTTOM) * (top - Math.min(top, Math.max(bottom, share)))) / (top - bottom);
  const last = course[course.length - 1];
  const said = last === undefined ? `${name}: nothing yet` : `${name}: ${points(last[2])} of the points, from ${points(last[1])} to ${points(last[3])}, after ${last[0].toLocaleString("en")} of ${pairs.toLocaleString("en")} pairs`;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, class: "narrowing", role: "img", "aria-label": said });
  const apart = 18 * ((top - bottom) / (HEIGHT - TOP - BOTTOM)); // labels need some room
  for (const level of [bottom, 0.5, top].filter((each) => each === 0.5 || Math.abs(each - 0.5) > apart)) {
    picture.append(
      svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(level), y2: y(level), class: level === 0.5 ? "half" : "level" }),
      svg("text", { x: LEFT - 6, y: y(level) + 4, "text-anchor": "end" }, points(level, top - bottom < 0.1 ? 1 : 0)),
    );
  }
  picture.append(svg("text", { x: LEFT, y: HEIGHT - 6 }, "0"));
  if (course.length > 1) {
    const upper = course.map((point) => `${x(point[0]).toFixed(1)} ${y(point[3]).toFixed(1)}`);
    const lower = course.map((point) => `${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`).reverse();
    const middle = course.map((point) => `${x(point[0]).toFixed(1)} ${y(point[2]).toFixed(1)}`);
    picture.append(svg("path", { class: "band", d: `M${[...upper, ...lower].join("L")}z` }), svg("path", { class: "estimate", d: `M${middle.join("L")}` }));
  }
  if (last !== undefined) {
    picture.append(svg("circle", { class: "now", cx: x(last[0]), cy: y(last[2]), r: 4 }));
  }
  picture.append(svg("text", { x: width - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, `${pairs.toLocaleString("en")} pairs`));
  return html("figure", {}, html("figcaption", {}, said), picture);
}

/**
 * Returns intervals side by side, with a line at nothing and one at what is known exactly.
 * @param {Row[]} rows
 * @param {number | null} exact
 * @param {number} width in pixels
 * @returns {HTMLElement}
 */
export function sideBySide(rows, exact, width) {
  const above = width < NARROW;
  const [left, row, most] = above ? [RIGHT, 1.6 * ROW, Math.floor((width - 2 * RIGHT) / 7.5)] : [NAMES, ROW, 38];
  const known = exact === null ? [] : [exact];
  const low = Math.min(0, ...rows.map((each) => each.low), ...known);
  const high = Math.max(0.01, ...rows.map((each) => each.high), ...known);
  const height = TOP + row * rows.length + BOTTOM;
  /** @param {number} share */
  const x = (share) => left + ((width - left - RIGHT) * (share - low)) / (high - low);
  const said = rows.map(({ name, low: from, estimate, high: to }) => `${name}: ${points(estimate)}, from ${points(from)} to ${points(to)}`).join("; ");
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "side-by-side", role: "img", "aria-label": `Margins: ${said}` });
  picture.append(svg("line", { class: "half", x1: x(0), x2: x(0), y1: TOP, y2: height - BOTTOM }), svg("text", { x: x(0), y: height - 8, "text-anchor": "middle" }, "0"));
  if (exact !== null) {
    picture.append(svg("line", { class: "exact", x1: x(exact), x2: x(exact), y1: TOP, y2: height - BOTTOM }), svg("text", { x: Math.min(Math.max(x(exact), x(0) + 66), width - 54), y: height - 8, "text-anchor": "middle" }, `exact ${points(exact, 2)}`));
  }
  rows.forEach(({ name, low: from, estimate, high: to }, place) => {
    const y = TOP + row * (place + (above ? 0.7 : 0.5));
    const shown = name.length > most ? `${name.slice(0, most - 1)}…` : name;
    const spot = above ? { x: left, y: y - 12, "text-anchor": "start" } : { x: NAMES - 10, y: y + 4, "text-anchor": "end" };
    picture.append(
      svg("text", spot, shown, svg("title", {}, name)),
      svg("line", { class: "interval", x1: x(from), x2: x(to), y1: y, y2: y }),
      svg("circle", { class: "now", cx: x(estimate), cy: y, r: 5 }, svg("title", {}, points(estimate, 2))),
    );
  });
  return html("figure", {}, picture);
}
