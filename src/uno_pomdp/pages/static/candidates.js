// The moves that a search weighs, as bars that grow with it: chance to win, its error, and how often each was tried.

import { cardText } from "./cards.js";
import { html } from "./elements.js";
import { percent } from "./words.js";

/** A 95 % interval is this many standard errors to each side. */
const WIDE = 1.96;
/** More than these are not shown; the list is the best first. */
const MOST = 8;

/**
 * Returns the candidates as a table with bars.
 * @param {import("./api.js").Candidate[]} candidates
 * @returns {HTMLElement}
 */
export function candidateBars(candidates) {
  const head = html(
    "tr",
    {},
    html("th", { scope: "col" }, "Move"),
    html("th", { scope: "col" }, "Chance to win"),
    html("th", { scope: "col", class: "figure" }, "Tries"),
  );
  const rows = candidates.slice(0, MOST).map(candidateRow);
  return html("table", { class: "candidates" }, html("thead", {}, head), html("tbody", {}, ...rows));
}

/**
 * Returns the row of a candidate.
 * @param {import("./api.js").Candidate} candidate
 * @param {number} place
 * @returns {HTMLElement}
 */
function candidateRow(candidate, place) {
  const error = candidate.error === null || candidate.error === undefined ? null : WIDE * candidate.error;
  const tries = candidate.simulations;
  const value = candidate.value ?? null;
  const notes = candidate.note && value !== null ? [html("small", { class: "note" }, candidate.note)] : [];
  return html(
    "tr",
    place === 0 ? { class: "best" } : {},
    html("th", { scope: "row", title: candidate.words }, cardText(candidate.action), ...notes),
    value === null
      ? html("td", {}, html("small", {}, "not weighed"))
      : html("td", {}, barOf(value, error), valueOf(value, error)),
    html("td", { class: "figure" }, tries === null || tries === undefined ? "" : shortNumber(tries)),
  );
}

/**
 * Returns a bar with its error bar.
 * @param {number} value
 * @param {number | null} error
 * @returns {HTMLElement}
 */
function barOf(value, error) {
  const fill = html("span", { class: "fill" });
  fill.style.width = `${100 * value}%`;
  const bar = html("span", { class: "bar", "aria-hidden": "true" }, fill);
  if (error !== null && error > 0) {
    const whisker = html("span", { class: "whisker" });
    const [low, high] = [Math.max(0, value - error), Math.min(1, value + error)];
    whisker.style.left = `${100 * low}%`;
    whisker.style.width = `${100 * (high - low)}%`;
    bar.append(whisker);
  }
  return bar;
}

/**
 * Returns a chance in figures.
 * @param {number} value
 * @param {number | null} error
 * @returns {HTMLElement}
 */
function valueOf(value, error) {
  const more = error === null ? [] : [html("small", {}, ` ± ${Math.round(100 * error)}`)];
  return html("span", { class: "value" }, percent(value), ...more);
}

/**
 * Returns a large number in few signs.
 * @param {number} count
 * @returns {string}
 */
function shortNumber(count) {
  return count >= 10000 ? `${Math.round(count / 1000)} k` : String(count);
}
