// What can be entered in a position, as the server tells it, and what follows from that.

import { actionWords, COLOURS, letterOf } from "./cards.js";
import { countOf } from "./words.js";

/**
 * @typedef {object} Question
 * @property {string} name
 * @property {string} words
 * @property {string} help
 * @property {"who" | "cards" | "card" | "colour" | "number"} kind
 * @property {number} least
 * @property {number} most
 * @property {number} usual
 * @property {boolean} may_begin_in_the_middle
 * @property {string[]} colours
 * @property {Record<string, number>} left
 *
 * @typedef {object} Offers
 * @property {string[]} colours
 * @property {Record<string, number>} left cards that are not seen
 * @property {Record<string, number>} back cards that a reshuffle would put back
 * @property {{count: number, until: boolean, ends: string[]}} draw
 * @property {string[]} swaps
 * @property {number} got
 * @property {{colour: string, own_lie: boolean, right: number, wrong: number} | null} challenge
 * @property {{me: number | null, opponent: number | null}} forgot
 * @property {{cards: Record<string, number>, draw: boolean, keep: boolean, challenge: boolean, deciding: boolean} | null} theirs
 *
 * @typedef {object} View a position, now or earlier
 * @property {"asking" | "yours" | "theirs" | "over"} status
 * @property {Question | null} question
 * @property {Offers | null} offers
 * @property {string[]} hand
 * @property {string[]} legal
 * @property {string | null} drawn
 * @property {number} opponent_size
 * @property {number} draw_size
 * @property {string | null} top
 * @property {number} debt
 */

/**
 * Returns the cards that so many draws can bring: where they need a reshuffle, those that it puts back too.
 * @param {View} view
 * @param {Offers} offers
 * @param {number} count
 * @returns {Record<string, number>}
 */
export function drawable(view, { left, back: returned }, count) {
  if (count <= view.draw_size) {
    return left;
  }
  const there = { ...left };
  for (const [code, number] of Object.entries(returned)) {
    there[code] = (there[code] ?? 0) + number;
  }
  return there;
}

/**
 * Returns counts less some cards.
 * @param {Record<string, number>} left
 * @param {string[]} cards
 * @returns {Record<string, number>}
 */
export function less(left, cards) {
  const there = { ...left };
  for (const code of cards) {
    there[code] = (there[code] ?? 0) - 1;
  }
  return Object.fromEntries(Object.entries(there).filter(([, count]) => count > 0));
}

/**
 * Returns in words how many cards a draw asks for that does not go on until one fits.
 * @param {View} view
 * @returns {string}
 */
export function drawnWords(view) {
  const count = Math.max(view.debt, view.offers?.draw.count ?? 0);
  return count > 1 ? countOf(count, "card") : "a card";
}

/**
 * Returns an own move without a card in words.
 * @param {string} action
 * @param {View} view
 * @returns {string}
 */
export function deedWords(action, view) {
  if (action === "draw") {
    return view.offers?.draw.until ? "draw until one fits" : `draw ${drawnWords(view)}`;
  }
  const colour = view.offers?.challenge?.colour;
  return action === "keep" ? `keep ${view.drawn === null ? "it" : actionWords(view.drawn)}` : `challenge${colour === undefined ? "" : `: ${COLOURS[letterOf(colour) ?? "R"].sign} ${colour}?`}`;
}
