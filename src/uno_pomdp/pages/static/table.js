// The table: the opponent's backs, the piles, the active colour, what is owed. It draws a state, and knows no server.

import { backSvg, cardSvg, cardWords, COLOURS, letterOf, shapeOf, spelledOut } from "./cards.js";
import { svg } from "./elements.js";
import { find } from "./places.js";
import { challengeWords, countOf, debtTitle, statusWords } from "./words.js";

/** @typedef {import("./api.js").PlayState} PlayState */

/** More backs than this are not drawn: the number says the rest. */
const MOST_BACKS = 12;

/** Milliseconds that a short sentence stays. */
const BRIEFLY = 4000;

/** @type {PlayState | null} what is drawn */
let told = null;

const backs = find("opponent-cards", HTMLElement);
const drawPile = find("draw-pile", HTMLButtonElement);
const topCard = find("top-card", HTMLElement);
const status = find("status", HTMLElement);

/**
 * Draws all but the hand.
 * @param {PlayState} state
 */
export function drawTable(state) {
  clearTimeout(timer);
  told = state;
  drawFacts(state);
  drawOpponent(state);
  drawPiles(state);
  drawColour(state);
  drawNotices(state);
}

/** @param {PlayState} state */
function drawFacts(state) {
  const { match } = state;
  const parts = [`against ${state.opponent}`, `${state.rules} rules`, `you are player ${state.you}`];
  if (match !== null) {
    parts.unshift(`round ${match.round}, ${match.score[0]} : ${match.score[1]} of ${match.to}`);
  }
  if (state.practice) {
    parts.unshift("practice");
  }
  const facts = find("facts", HTMLElement);
  facts.textContent = parts.join(" · ");
  facts.title = facts.textContent; // a phone shows three lines of it
  document.title = `${state.status === "yours" ? "Your turn · " : ""}UNO against ${state.opponent}`;
}

/** @param {PlayState} state */
function drawOpponent(state) {
  const count = state.opponent_size;
  const shown = Math.min(count, MOST_BACKS);
  while (backs.children.length > shown) {
    backs.lastElementChild?.remove();
  }
  while (backs.children.length < shown) {
    backs.append(backSvg({ small: true, hidden: true }));
  }
  backs.setAttribute("aria-label", `The opponent holds ${countOf(count, "card")}`);
  const words = find("opponent-words", HTMLElement);
  words.textContent = count === 1 ? "UNO! 1 card" : countOf(count, "card");
  words.classList.toggle("uno", count === 1);
}

/** @param {PlayState} state */
function drawPiles(state) {
  const may = state.status === "yours" && state.legal.includes("draw");
  const count = state.draw_size;
  const draw = find("draw-card", HTMLElement);
  draw.replaceChildren(...(count === 0 ? [] : [backSvg({ hidden: true })]));
  draw.classList.toggle("empty", count === 0);
  find("draw-words", HTMLElement).textContent = `${count} to draw`;
  drawPile.setAttribute("aria-disabled", String(!may));
  drawPile.setAttribute("aria-label", `Draw${state.debt > 0 ? ` ${state.debt}` : ""}: ${count} in the draw pile`);
  drawPile.classList.toggle("ready", may);
  const declared = letterOf(state.colour);
  topCard.replaceChildren(...(state.top === null ? [] : [cardSvg(state.top, { declared, hidden: true })]));
  topCard.classList.toggle("empty", state.top === null);
  const pile = find("played-pile", HTMLElement);
  pile.setAttribute("role", "img");
  pile.setAttribute("aria-label", topWords(state));
  find("played-words", HTMLElement).textContent = `${state.played_size} played`;
}

/**
 * Returns what lies on the played pile, in words.
 * @param {PlayState} state
 * @returns {string}
 */
function topWords({ top, colour, played_size: count }) {
  return top === null
    ? "No card is played yet"
    : `Top card: ${cardWords(top, letterOf(colour))}. ${countOf(count, "played card")}`;
}

/** @param {PlayState} state */
function drawColour(state) {
  const letter = letterOf(state.colour);
  const box = find("colour", HTMLElement);
  box.hidden = letter === null;
  if (letter === null) {
    return;
  }
  const { fill, ink } = COLOURS[letter];
  const picture = svg("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, shapeOf(letter, 32, 32, 20, ink));
  find("colour-shape", HTMLElement).replaceChildren(picture);
  find("colour-name", HTMLElement).textContent = state.colour;
  box.setAttribute("aria-label", `Active colour: ${state.colour}`);
  box.style.backgroundColor = fill;
  box.style.color = ink;
}

/** @param {PlayState} state */
function drawNotices(state) {
  const owed = debtTitle(state);
  find("debt", HTMLElement).hidden = owed === "";
  find("debt-title", HTMLElement).textContent = owed;
  find("debt-words", HTMLElement).textContent =
    state.status === "yours" && state.challenge === null ? spelledOut(state.debt_words) : "";
  const open = state.status === "yours" && state.challenge !== null;
  find("challenge", HTMLElement).hidden = !open;
  find("challenge-words", HTMLElement).textContent = open ? challengeWords(state) : "";
  const { past, now } = statusWords(state);
  const words = spelledOut(`${past} ${now}`.trim());
  if (status.dataset.words !== words) {
    status.dataset.words = words;
    const strong = document.createElement("strong");
    strong.textContent = now;
    status.replaceChildren(past === "" ? "" : `${spelledOut(past)} `, strong);
  }
  status.classList.toggle("yours", state.status === "yours");
}

let timer = 0;

/**
 * Says something for a moment, or until the next state comes.
 * @param {string} words
 */
export function sayBriefly(words) {
  clearTimeout(timer);
  delete status.dataset.words;
  status.textContent = words;
  timer = setTimeout(() => told !== null && drawNotices(told), BRIEFLY);
}
