// The games of this browser, so that one can be gone on with: where each is, and a few words about it.

import { keep, kept } from "./storage.js";

/** How many are remembered. */
const MOST = 12;

/**
 * @typedef {object} SavedGame
 * @property {string} token
 * @property {string} rules
 * @property {string} opponent
 * @property {string} words how it stands
 * @property {boolean} over
 * @property {number} at when it was last seen, in milliseconds
 */

/**
 * Returns the games that are remembered, the latest first.
 * @returns {SavedGame[]}
 */
export function savedGames() {
  const found = kept("games");
  return Array.isArray(found)
    ? found.filter((each) => typeof each?.token === "string" && typeof each.at === "number")
    : [];
}

/**
 * Remembers how a game stands.
 * @param {string} token
 * @param {import("./api.js").PlayState} state
 */
export function remember(token, state) {
  const score = state.result?.score ?? state.match?.score; // that of the match is from before this round
  const match = state.match === null ? "" : `round ${state.match.round}, ${score?.join(" : ")}, `;
  const over = state.status === "over" && !(state.result?.next_round ?? false);
  const stands =
    state.status === "over" ? state.result?.words : `you ${state.hand.length} cards, it ${state.opponent_size}`;
  const words = `${match}${stands ?? "over"}`;
  const game = { token, rules: state.rules, opponent: state.opponent, words, over, at: Date.now() };
  keep("games", [game, ...savedGames().filter((each) => each.token !== token)].slice(0, MOST));
}

/**
 * Forgets a game.
 * @param {string} token
 */
export function forget(token) {
  keep(
    "games",
    savedGames().filter((each) => each.token !== token),
  );
}
