// A game in short sentences: what is said aloud, and what is owed.

/** @typedef {import("./api.js").PlayState} PlayState */

/**
 * Returns so many of something.
 * @param {number} count
 * @param {string} noun
 * @returns {string}
 */
export function countOf(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Returns what has happened since the person last moved, and what that move brought to light.
 * @param {PlayState} state
 * @returns {string}
 */
export function lately(state) {
  return state.moves
    .slice(firstOfLate(state) - 1)
    .map((move) => move.words)
    .join(" ");
}

/**
 * Returns the number of the first move that a person has to hear of: the one after the own last, or that one itself if
 * it was a challenge, which shows a hand.
 * @param {PlayState} state
 * @returns {number}
 */
export function firstOfLate({ moves }) {
  const own = moves.findLastIndex((move) => move.by === "you");
  return moves[own]?.challenge ? own + 1 : own + 2;
}

/**
 * Returns how a challenge ended: whose hand was shown, whether it held the colour, and who drew for it.
 * @param {import("./api.js").Move} move
 * @returns {string}
 */
export function challengeEnded({ by, challenge }) {
  if (!challenge) {
    return "";
  }
  const { right, colour, drawn } = challenge;
  const own = by === "you";
  const who = own ? "You challenged the +4" : "The opponent challenged your +4";
  const held = `${own ? "the opponent" : "you"} held ${right ? "" : "no "}${colour}`;
  const draws = own === right ? "It draws" : "You draw";
  return `${who}, and ${right ? "rightly" : "wrongly"}: ${held}. ${draws} ${countOf(drawn, "card")}.`;
}

/**
 * Returns what the person is told: what the other did, and whose turn it is.
 * @param {PlayState} state
 * @returns {{past: string, now: string}}
 */
export function statusWords(state) {
  const past = lately(state);
  switch (state.status) {
    case "yours":
      return { past, now: turnWords(state) };
    case "thinking":
      return { past: state.moves.at(-1)?.words ?? "", now: state.waiting || "The opponent is thinking …" };
    case "preparing":
      return { past: "", now: state.waiting || "The opponent gets ready …" };
    case "over":
      return { past, now: state.result?.words ?? "The game is over." };
    default:
      return { past, now: state.trouble || "The game can't go on." };
  }
}

/**
 * Returns what the person may do.
 * @param {PlayState} state
 * @returns {string}
 */
function turnWords(state) {
  if (state.challenge !== null) {
    return "Your turn: challenge, or draw.";
  }
  if (state.legal.includes("keep")) {
    return "Your turn: play the card you drew, or keep it.";
  }
  const cards = state.legal.some((action) => action !== "draw");
  if (state.debt > 0) {
    return cards ? `Your turn: answer, or draw ${state.debt}.` : `Your turn: draw ${state.debt}.`;
  }
  return cards ? "Your turn." : "Your turn: nothing fits, draw.";
}

/**
 * Returns who owes how many cards; empty if nobody does.
 * @param {PlayState} state
 * @returns {string}
 */
export function debtTitle(state) {
  if (state.debt === 0 || state.status === "over") {
    return "";
  }
  return state.status === "yours" ? `You owe ${state.debt}` : `The opponent owes ${state.debt}`;
}

/**
 * Returns what a challenge is about: what it would show, and what follows.
 * @param {PlayState} state
 * @returns {string}
 */
export function challengeWords(state) {
  const colour = state.challenge ?? "";
  return (
    `It may play a +4 only without a ${colour} card. If you challenge, you see its hand: ` +
    `with ${colour} in it, it draws ${state.debt} and you go on; without, you draw ${state.debt + 2}.`
  );
}

/**
 * Returns a probability as people read it; only certainty reads 0 or 100.
 * @param {number} value
 * @returns {string}
 */
export function percent(value) {
  const rounded = Math.round(100 * value);
  return rounded === 0 && value > 0 ? "<1 %" : rounded === 100 && value < 1 ? ">99 %" : `${rounded} %`;
}

/**
 * @typedef {{probability: number, assumes: string}} Lie how likely the +4 was a lie, as a search took it
 */

/**
 * Returns how likely the +4 was a lie, and what that assumes; empty if there was none to challenge.
 * @param {Lie | null} lie
 * @returns {string}
 */
export function lieWords(lie) {
  return lie === null ? "" : `the +4 was a lie: ${percent(lie.probability)}, if ${lie.assumes}`;
}

/**
 * Returns words as a sentence: what the package says of itself begins small.
 * @param {string} words
 * @returns {string}
 */
export function asSentence(words) {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${/[.?!…]$/.test(words) ? "" : "."}`;
}
