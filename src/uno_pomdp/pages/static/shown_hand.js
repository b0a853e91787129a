// The hand that a challenge shows: it lies open on the table for some seconds, with what follows from it.

import { cardSvg, letterOf, partsOf } from "./cards.js";
import { find } from "./places.js";
import { challengeEnded } from "./words.js";

/** @typedef {import("./api.js").Move} Move */

/** Milliseconds that a shown hand lies open; the pointer on it, or the focus in it, keeps it there. */
const OPEN = 8000;

const panel = find("shown", HTMLElement);
const close = find("shown-close", HTMLButtonElement);

/** The challenge whose hand was shown last, by its number and words; empty for none. */
let last = "";
let timer = 0;

/**
 * Lays the hand of a new challenge open; one that was taken back, or belongs to another round, is put away.
 * @param {Move[]} moves all moves of the game
 * @param {number} seen how many of them the person has seen before
 */
export function showHand(moves, seen) {
  const move = moves.findLast((each) => each.challenge);
  const name = move === undefined ? "" : `${move.number} ${move.words}`;
  if (name === last) {
    return;
  }
  last = name;
  putAway();
  if (move?.challenge && move.number > seen) {
    layOpen(move, move.challenge);
  }
}

/**
 * @param {Move} move
 * @param {import("./api.js").Challenge} challenge
 */
function layOpen(move, challenge) {
  const letter = letterOf(challenge.colour);
  find("shown-title", HTMLElement).textContent = move.by === "you" ? "The opponent’s hand" : "Your hand, as it was shown";
  find("shown-words", HTMLElement).textContent = challengeEnded(move);
  const cards = challenge.hand.map((code) => cardSvg(code, { small: true }));
  cards.forEach((card, place) => card.classList.toggle("proof", partsOf(challenge.hand[place]).colour === letter));
  find("shown-cards", HTMLElement).replaceChildren(...cards);
  panel.classList.toggle("caught", challenge.right);
  panel.hidden = false;
  wait();
}

/** Puts the hand away after some seconds. */
function wait() {
  clearTimeout(timer);
  timer = setTimeout(putAway, OPEN);
}

function putAway() {
  clearTimeout(timer);
  panel.hidden = true;
}

for (const event of ["pointerenter", "focusin"]) {
  panel.addEventListener(event, () => clearTimeout(timer));
}
for (const event of ["pointerleave", "focusout"]) {
  panel.addEventListener(event, wait);
}
close.addEventListener("click", () => {
  putAway();
  find("hand", HTMLElement).querySelector("button")?.focus({ preventScroll: true });
});
