// A belief as a table of 4 × 13 cards and 2: how likely each is in the opponent's hand, as a number and as a shade.

import { cardWords, COLOURS, COLOUR_LETTERS } from "./cards.js";
import { html } from "./elements.js";
import { percent } from "./words.js";

const RANKS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "R", "+2"];
const RANK_NAMES = /** @type {Record<string, string>} */ ({ S: "skip", R: "reverse", "+2": "draw two" });
const SHADES = 10;

/**
 * Returns the heat map of a belief.
 * @param {import("./api.js").Belief} belief
 * @returns {HTMLElement}
 */
export function heatMap(belief) {
  const heads = RANKS.map((rank) => html("th", { scope: "col", ...named(RANK_NAMES[rank]) }, rank));
  const head = html("tr", {}, html("td", {}), ...heads, html("th", { scope: "col", class: "any" }, "any"));
  const rows = COLOUR_LETTERS.filter((letter) => RANKS.some((rank) => `${letter}${rank}` in belief.cards)).map(
    (letter) => {
      const { name, sign } = COLOURS[letter];
      const title = html(
        "th",
        { scope: "row", class: `card-letter ${name}` },
        html("span", { "aria-hidden": "true" }, sign),
        html("span", { class: "visually-hidden" }, name),
      );
      const cells = RANKS.map((rank) => cell(belief, `${letter}${rank}`));
      return html("tr", {}, title, ...cells, anyCell(belief.colours[name], `any ${name} card`));
    },
  );
  const table = html(
    "table",
    { class: "heat-map" },
    html("caption", { class: "visually-hidden" }, "How likely each card is in the opponent’s hand, in percent"),
    html("thead", {}, head),
    html("tbody", {}, ...rows),
  );
  return html("div", { class: "heat" }, table, blackRow(belief));
}

/**
 * Returns attributes that name a short sign in full.
 * @param {string | undefined} name
 * @returns {Record<string, string>}
 */
function named(name) {
  return name === undefined ? {} : { abbr: name, title: name };
}

/**
 * Returns the cell of a card; one that the deck has not, or that can't be there, is empty.
 * @param {import("./api.js").Belief} belief
 * @param {string} code
 * @returns {HTMLElement}
 */
function cell(belief, code) {
  const share = belief.cards[code];
  if (share === undefined) {
    return html("td", { class: "shade-0" });
  }
  const expected = belief.expected[code];
  const more = expected === undefined ? "" : `, ${expected.toFixed(2)} expected`;
  return html("td", { class: shadeOf(share), title: `${cardWords(code)}: ${percent(share)}${more}` }, figureOf(share));
}

/**
 * Returns the cell that sums a row up.
 * @param {number | undefined} share
 * @param {string} words
 * @returns {HTMLElement}
 */
function anyCell(share, words) {
  return share === undefined
    ? html("td", { class: "any" })
    : html("td", { class: `any ${shadeOf(share)}`, title: `${words}: ${percent(share)}` }, figureOf(share));
}

/**
 * Returns the two black cards, and whether anything fits at all.
 * @param {import("./api.js").Belief} belief
 * @returns {HTMLElement}
 */
function blackRow(belief) {
  const parts = ["W", "W4"]
    .filter((code) => code in belief.cards)
    .map((code) => {
      const share = belief.cards[code];
      return html(
        "span",
        { class: "black-cell" },
        `${cardWords(code)} `,
        html("b", { class: shadeOf(share) }, percent(share)),
      );
    });
  if (belief.nothing_playable !== null && belief.nothing_playable !== undefined) {
    parts.push(
      html(
        "span",
        { class: "black-cell" },
        "nothing fits ",
        html("b", { class: shadeOf(belief.nothing_playable) }, percent(belief.nothing_playable)),
      ),
    );
  }
  return html("p", { class: "blacks" }, ...parts);
}

/**
 * Returns the class of a shade: by the square root, for most shares are small.
 * @param {number} share
 * @returns {string}
 */
function shadeOf(share) {
  return `shade-${Math.min(SHADES, Math.max(0, share > 0 ? Math.ceil(SHADES * Math.sqrt(share)) : 0))}`;
}

/**
 * Returns a share in as few figures as fit a cell.
 * @param {number} share
 * @returns {string}
 */
function figureOf(share) {
  return share <= 0 ? "·" : share < 0.005 ? "<1" : `${Math.round(100 * share)}`;
}
