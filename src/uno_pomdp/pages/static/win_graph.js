// A graph of chances to win: what one seat could know, and after the end what open hands would have said.

import { html, svg } from "./elements.js";
import { percent } from "./words.js";

/** @typedef {{number: number, win: number}} Point */
/** @typedef {{number: number, win: number | null}} Thought what a coach thought, if it did */

const WIDTH = 340;
const HEIGHT = 130;
const LEFT = 34;
const BOTTOM = 18;
const TOP = 8;
/** Of a line with more points than these, dots would hide it. */
const MOST_DOTS = 40;

/**
 * Returns the graph as a figure; a screen reader is told its first and last values.
 * @param {Thought[]} thoughts from what the seat has seen
 * @param {Point[]} [open] with both hands open
 * @param {string} [title] whose chance it is
 * @returns {HTMLElement}
 */
export function winGraph(thoughts, open = [], title = "Your chance to win") {
  const seen = thoughts.flatMap(({ number, win }) => (win === null ? [] : [{ number, win }]));
  const last = Math.max(1, ...seen.map((point) => point.number), ...open.map((point) => point.number));
  /** @param {number} number */
  const x = (number) => LEFT + ((WIDTH - LEFT - 8) * number) / last;
  /** @param {number} win */
  const y = (win) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - win);
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "win-graph",
    role: "img",
    "aria-label": graphWords(seen, open, title),
  });
  for (const level of [0, 0.5, 1]) {
    const line = {
      x1: LEFT,
      x2: WIDTH - 8,
      y1: y(level),
      y2: y(level),
      class: level === 0.5 ? "level middle" : "level",
    };
    picture.append(
      svg("line", line),
      svg("text", { x: LEFT - 5, y: y(level) + 4, "text-anchor": "end" }, `${100 * level}`),
    );
  }
  picture.append(svg("text", { x: WIDTH - 8, y: HEIGHT - 3, "text-anchor": "end" }, `move ${last}`));
  picture.append(...curve(open, x, y, "open"), ...curve(seen, x, y, "seen"));
  return html("figure", {}, picture, legend(seen, open));
}

/**
 * Returns a line through points, and dots where they are few.
 * @param {Point[]} points
 * @param {(number: number) => number} x
 * @param {(win: number) => number} y
 * @param {string} name
 * @returns {SVGElement[]}
 */
function curve(points, x, y, name) {
  const places = points.map(({ number, win }) => `${x(number).toFixed(1)} ${y(win).toFixed(1)}`);
  const line = places.length < 2 ? [] : [svg("path", { class: `curve ${name}`, d: `M${places.join("L")}` })];
  const dots =
    points.length > MOST_DOTS
      ? []
      : points.map(({ number, win }) =>
          svg(
            "circle",
            { class: `dot ${name}`, cx: x(number), cy: y(win), r: name === "seen" ? 3 : 2 },
            svg("title", {}, `move ${number}: ${percent(win)}`),
          ),
        );
  return [...line, ...dots];
}

/**
 * Returns what each line is.
 * @param {Point[]} seen
 * @param {Point[]} open
 * @returns {HTMLElement}
 */
function legend(seen, open) {
  const parts = [];
  if (seen.length > 0) {
    parts.push(html("span", { class: "key seen" }, "● from what you saw"));
  }
  if (open.length > 0) {
    parts.push(html("span", { class: "key open" }, "┄ with open hands"));
  }
  return html("figcaption", { class: "quiet" }, ...(parts.length === 0 ? ["Nothing to show yet."] : parts));
}

/**
 * Returns a graph in words.
 * @param {Point[]} seen
 * @param {Point[]} open
 * @param {string} title
 * @returns {string}
 */
function graphWords(seen, open, title) {
  /**
   * @param {Point[]} points
   * @param {string} how
   */
  const course = (points, how) => `${how} from ${percent(points[0].win)} to ${percent(points[points.length - 1].win)}`;
  const parts = [
    ...(seen.length > 0 ? [course(seen, "from what you saw")] : []),
    ...(open.length > 0 ? [course(open, "with open hands")] : []),
  ];
  return `${title}: ${parts.join("; ") || "nothing yet"}`;
}
