// What the board adds to a review: mistakes to be tried again, and ways to share the game.

import { askText, Refusal } from "./api.js";
import { cardOfAction, cardText, cardWords } from "./cards.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { reviewAddress } from "./record_links.js";
import { saveAs } from "./saving.js";

/**
 * @typedef {{action: string, value: number | null}} Weighed
 * @typedef {{number: number, player: number, action: string, grade: string | null, best: string | null, candidates: Weighed[]}} Judged
 */

const GRADES = ["inaccuracy", "mistake", "blunder"];
/** Less than so much behind the best is as good. */
const CLOSE = 0.005;
/** Milliseconds that a short message stays. */
const BRIEFLY = 6000;

const base = `/api${location.pathname}`;
const retry = find("retry", HTMLButtonElement);
const verdict = find("verdict", HTMLElement);
/** @type {{person: number | null, moves: Judged[]}} */
const review = JSON.parse(find("review-data", HTMLElement).textContent ?? "");
/** The mistakes to be tried again: of a person's own game the person's. */
const mistakes = review.moves.filter(({ grade, player }) => GRADES.includes(grade ?? "") && player === (review.person ?? player));
/** @type {Judged | null} */
let tried = null;
let shown = 0;
let timer = 0;

/**
 * Returns a share in percent.
 * @param {number | null} share
 */
const inPercent = (share) => (share === null ? "?" : `${(100 * share).toFixed(1)} %`);

/**
 * Says something for a moment.
 * @param {string} words
 */
function say(words) {
  clearTimeout(timer);
  find("tool-words", HTMLElement).textContent = words;
  timer = setTimeout(() => find("tool-words", HTMLElement).replaceChildren(), BRIEFLY);
}

// --- mistakes -------------------------------------------------------------------------------------------------------

/**
 * Shows a move on the board.
 * @param {Judged} move
 * @param {boolean} trying without what was played there, what came later, and what the other player held
 */
function show(move, trying) {
  document.dispatchEvent(new CustomEvent("review-show", { detail: { number: move.number, trying } }));
}

/** Goes to the next mistake. */
function next() {
  tried = mistakes.find((each) => each.number > shown) ?? mistakes[0];
  show(tried, true);
}

/**
 * Asks what to play; legal moves stand in the order of their names.
 * @param {Judged} move
 * @param {string[]} choices what can be chosen here
 * @param {string} words the question
 */
function ask(move, choices = move.candidates.map(({ action }) => action), words = "what would you play") {
  const buttons = [...choices].sort().map((action) => {
    const button = html("button", { type: "button", "data-action": action }, cardText(action));
    button.addEventListener("click", () => answer(move, action));
    return button;
  });
  const who = review.person === null ? ` as player ${move.player}` : "";
  const all = choices.length === move.candidates.length;
  verdict.replaceChildren(
    html("h2", { tabindex: "-1" }, `Move ${move.number}: ${words}${who}?`),
    html("p", { class: "quiet", role: "status" }, all ? "Click a card in the hand, or choose here." : ""),
    html("div", { class: "choices", role: "group", "aria-label": "Legal moves" }, ...buttons, ...(all ? [] : [tool("Back", () => ask(move))])),
  );
  verdict.querySelector("h2")?.focus({ preventScroll: true });
  verdict.scrollIntoView({ block: "nearest" });
}

/**
 * Takes a card of the hand for an answer; for a wild one the colour is asked for.
 * @param {Judged} move
 * @param {string} code
 */
function chooseCard(move, code) {
  const actions = move.candidates.map(({ action }) => action).filter((action) => cardOfAction(action)?.code === code);
  if (actions.length === 1) {
    answer(move, actions[0]);
    return;
  }
  ask(move, actions.length === 0 ? undefined : actions, actions.length === 0 ? undefined : "which colour would you choose");
  const line = verdict.querySelector("p");
  if (actions.length === 0 && line !== null) {
    line.textContent = `A ${cardWords(code)} does not fit here.`;
  }
}

/**
 * Tells how good a choice is, by what the coach found.
 * @param {Judged} move
 * @param {string} action
 */
function answer(move, action) {
  /** @param {string | null} wanted */
  const valueOf = (wanted) => move.candidates.find((one) => one.action === wanted)?.value ?? null;
  const [value, best] = [valueOf(action), valueOf(move.best)];
  const behind = value === null || best === null ? null : best - value;
  const good = action === move.best || (behind !== null && behind < CLOSE);
  const words = good
    ? ["Right: ", cardText(action), ` wins ${inPercent(value)}.`]
    : [action === move.action ? "That was played: " : "Not the best: ", cardText(action), ` wins ${inPercent(value)}, ${behind === null ? "" : `${(100 * behind).toFixed(1)} points behind the best.`}`];
  const buttons = [
    ...(good ? [] : [tool("Try again", () => ask(move))]),
    tool("Show what was better", () => show(move, false)),
    ...(mistakes.length > 1 ? [tool("Next mistake", next)] : []),
  ];
  verdict.replaceChildren(
    html("h2", {}, `Move ${move.number}`),
    html("p", { class: good ? "answer good" : "answer", role: "status" }, ...words),
    html("div", { class: "choices" }, ...buttons),
  );
  buttons[0].focus();
}

/**
 * Returns a button that does something.
 * @param {string} words
 * @param {() => void} deed
 */
function tool(words, deed) {
  const button = html("button", { type: "button" }, words);
  button.addEventListener("click", deed);
  return button;
}

document.addEventListener("review-move", (event) => {
  const { number, trying } = /** @type {CustomEvent<{number: number, trying: boolean}>} */ (event).detail;
  shown = number;
  tried = trying ? tried : null;
  if (tried !== null) {
    ask(tried);
  }
});
document.addEventListener("review-chosen", (event) => {
  if (tried !== null) {
    chooseCard(tried, /** @type {CustomEvent<string>} */ (event).detail);
  }
});
retry.hidden = mistakes.length === 0;
retry.addEventListener("click", next);

// --- sharing --------------------------------------------------------------------------------------------------------

/**
 * Does something with a text of the server; a refusal is said.
 * @param {string} path
 * @param {(text: string) => unknown} deed
 */
async function withText(path, deed) {
  try {
    await deed(await askText(`${base}/${path}`));
  } catch (error) {
    say(error instanceof Refusal ? error.message : String(error));
  }
}

/** @param {string} text */
async function copyLink(text) {
  const link = location.origin + (await reviewAddress(text));
  try {
    await navigator.clipboard.writeText(link);
    say("The link is copied: it holds the whole record.");
  } catch {
    const field = html("input", { type: "text", readonly: "", "aria-label": "The link", value: link });
    find("tool-words", HTMLElement).replaceChildren(field);
    field.select();
  }
}

find("copy-link", HTMLElement).addEventListener("click", () => void withText("record", copyLink));
find("save-record", HTMLElement).addEventListener("click", () => void withText("record", (text) => saveAs("game.txt", text)));
find("save-page", HTMLElement).addEventListener("click", () => void withText("file", (text) => saveAs("review.html", text, "text/html")));
