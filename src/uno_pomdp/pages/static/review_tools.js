// What the board adds to a review: mistakes to be tried again, and ways to share the game.

import { askText, Refusal } from "./api.js";
import { cardText } from "./cards.js";
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

const base = `/api${location.pathname}`;
const retry = find("retry", HTMLButtonElement);
const verdict = find("verdict", HTMLElement);
/** @type {Judged[]} */
const mistakes = JSON.parse(find("review-data", HTMLElement).textContent ?? "").moves.filter((/** @type {Judged} */ move) => GRADES.includes(move.grade ?? ""));
/** @type {Judged | null} */
let tried = null;
let shown = 0;

/**
 * Returns a share in percent.
 * @param {number | null} share
 */
const inPercent = (share) => (share === null ? "?" : `${(100 * share).toFixed(1)} %`);

/** @param {string} words */
function say(words) {
  find("tool-words", HTMLElement).textContent = words;
}

// --- mistakes -------------------------------------------------------------------------------------------------------

/** Goes to the next mistake, without what was played there and what was better. */
function next() {
  const move = mistakes.find((each) => each.number > shown) ?? mistakes[0];
  tried = move;
  if (location.hash === `#move-${move.number}`) {
    ask(move);
  } else {
    location.hash = `#move-${move.number}`; // the board follows, and tells us
  }
}

/**
 * Asks what to play; legal moves stand in the order of their names.
 * @param {Judged} move
 */
function ask(move) {
  document.body.classList.add("retrying");
  const choices = move.candidates.map(({ action }) => action).sort();
  const buttons = choices.map((action) => {
    const button = html("button", { type: "button", "data-action": action }, cardText(action));
    button.addEventListener("click", () => answer(move, action));
    return button;
  });
  verdict.replaceChildren(
    html("h2", { tabindex: "-1" }, `Move ${move.number}: what would you play as player ${move.player}?`),
    html("div", { class: "choices", role: "group", "aria-label": "Legal moves" }, ...buttons),
  );
  verdict.querySelector("h2")?.focus({ preventScroll: true });
  verdict.scrollIntoView({ block: "nearest" });
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
    tool("Show what was better", () => reveal(move)),
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
 * Shows the move as the review has it.
 * @param {Judged} move
 */
function reveal(move) {
  stop();
  document.dispatchEvent(new CustomEvent("review-show", { detail: move.number }));
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

/** Leaves the mistake that is being tried. */
function stop() {
  tried = null;
  document.body.classList.remove("retrying");
}

document.addEventListener("review-move", (event) => {
  shown = /** @type {CustomEvent<{number: number}>} */ (event).detail.number;
  if (tried !== null && tried.number === shown) {
    ask(tried);
  } else {
    stop();
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
