// A game at a real table: what a person taps or types is sent, and what the server makes of it is shown.

import { EntryPanel } from "./advise_entry.js";
import { ask, askText, Refusal } from "./api.js";
import { backSvg, cardSvg, cardWords, COLOURS, letterOf, shapeOf, spelledOut, withCards } from "./cards.js";
import { CoachPanel } from "./coach.js";
import { Connection } from "./connection.js";
import { html, svg } from "./elements.js";
import { listenToKeys } from "./keys.js";
import { find } from "./places.js";
import { showRules } from "./rules_words.js";
import { saveAs } from "./saving.js";
import { showPage } from "./site.js";
import { keepTable } from "./tables.js";
import { countOf } from "./words.js";

/**
 * @typedef {import("./advise_offers.js").View & {
 *   version: number, at: number, rules: string, coach: string, middle: boolean, number: number,
 *   answers: {name: string, text: string}[], moves: (import("./api.js").Move & {text: string})[],
 *   played_size: number, played_not_known: number, colour: string | null, challenge: string | null,
 *   sentence: string, debt_words: string, result: import("./api.js").Result | null, said?: string,
 * }} AdviseState
 */

const NAMES = /** @type {Record<string, string>} */ ({
  first: "First in turn", turn: "To move", hand: "Your hand", top: "Top card", colour: "Colour", owed: "Owed",
  before: "Colour before", opponent: "The opponent holds", pile: "Draw pile", played: "Known below the top",
});

/** Who was told of, as the answer has it, and as a person reads it. */
const WHO = /** @type {Record<string, string>} */ ({ me: "you", opponent: "the opponent" });

const base = `/api${location.pathname}`;
const main = find("main", HTMLElement);
const trouble = find("connection", HTMLElement);
const refusal = find("refusal", HTMLElement);
const status = find("status", HTMLElement);
const text = find("text", HTMLInputElement);
const panel = new EntryPanel((entry) => void send(entry));
const coach = new CoachPanel();

/** @type {AdviseState | null} */
let state = null;
/** What tells one position from another: an analysis is of one of them. */
let position = "";
/** Which entry is being corrected, by its place among answers and entries; null if none is. */
let correcting = /** @type {number | null} */ (null);
let sending = false;

// --- what is sent ---------------------------------------------------------------------------------------------------

/**
 * Posts something; a refusal is shown, and another tap may follow.
 * @param {string} what
 * @param {Record<string, unknown>} values
 * @returns {Promise<boolean>} whether it was taken
 */
async function post(what, values) {
  if (state === null || sending) {
    return false;
  }
  sending = true;
  main.classList.add("sending");
  refusal.hidden = true;
  try {
    /** @type {AdviseState} */
    const next = await ask(`${base}/${what}`, { at: state.at, ...values });
    const corrected = correcting !== null;
    correcting = null;
    take(next);
    if (corrected) {
      leave();
    }
    if (next.said !== undefined) {
      status.textContent = next.said;
    }
    if (document.activeElement !== text && main.getBoundingClientRect().top < 0) {
      main.scrollIntoView({ block: "start" });
    }
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
    refusal.textContent = error.message;
    refusal.hidden = false;
    refusal.scrollIntoView({ block: "nearest" });
    return false;
  } finally {
    sending = false;
    main.classList.remove("sending");
  }
}

/**
 * Sends an entry, or what takes the place of the one that is corrected.
 * @param {string} entry
 * @returns {Promise<boolean>}
 */
function send(entry) {
  if (state === null || correcting === null) {
    return post("enter", { text: entry });
  }
  const name = state.answers[correcting]?.name ?? String(correcting - state.answers.length + 1);
  return post("fix", { text: `${name} ${entry}` });
}

/** Sends what was typed; it is left there if it is refused. */
async function sendTyped() {
  const typed = text.value.trim();
  const [, fix] = /^fix\s+(.+)$/i.exec(typed) ?? [];
  if (typed === "?") {
    find("grammar", HTMLDetailsElement).open = true;
  } else if (typed !== "") {
    const taken = await (/^undo$/i.test(typed) ? post("undo", {}) : fix === undefined ? send(typed) : post("fix", { text: fix }));
    text.value = taken ? "" : text.value;
  }
}

// --- what is shown --------------------------------------------------------------------------------------------------

/** @param {AdviseState} next */
function take(next) {
  if (state !== null && next.version < state.version) {
    return;
  }
  const before = state;
  state = next;
  main.dataset.status = next.status;
  main.dataset.at = String(next.at);
  const now = JSON.stringify([next.answers, next.moves.map((move) => move.text)]);
  if (now === position && before !== null) {
    return;
  }
  position = now;
  refusal.hidden = true;
  coach.analysis = null;
  correcting = null;
  panel.value([]);
  panel.show(next);
  drawTable(next);
  drawEntries(next);
  drawWords(next);
  drawCoach(next);
  const words = next.status === "asking" ? "not begun yet" : `you ${countOf(next.hand.length, "card")}, they ${next.opponent_size}`;
  showPage();
  keepTable({ token: location.pathname.split("/").at(-1) ?? "", rules: next.rules, words }, next.status === "over");
}

/** @param {AdviseState} next */
function drawWords(next) {
  const last = next.moves.at(-1)?.words ?? "";
  const words = next.result?.words ?? next.sentence;
  status.replaceChildren(...[last, words].filter((part) => part !== "").flatMap((part) => [html("span", {}, ...withCards(part)), " "]));
  find("undo", HTMLElement).hidden = false;
  find("undo", HTMLButtonElement).disabled = next.at === 0 && !next.middle;
  find("save", HTMLElement).hidden = next.status === "asking";
  find("facts", HTMLElement).textContent = `${next.rules} rules · coach ${next.coach}`;
  const turn = { asking: "", yours: "Your turn · ", theirs: "Their turn · ", over: "Over · " }[next.status];
  document.title = `${turn}Advice at a real table`;
  text.placeholder = { asking: "r5 gs w4 …", yours: "r5, draw g7 …", theirs: "r5, draw …", over: "undo" }[next.status];
}

/** @param {AdviseState} next */
function drawTable(next) {
  const table = find("table", HTMLElement);
  table.hidden = next.top === null;
  const letter = letterOf(next.colour);
  if (next.top === null || letter === null) {
    return;
  }
  find("opponent-card", HTMLElement).replaceChildren(backSvg({ small: true, hidden: true }));
  find("opponent-words", HTMLElement).textContent = `They hold ${next.opponent_size}`;
  find("draw-card", HTMLElement).replaceChildren(backSvg({ small: true, hidden: true }));
  find("draw-words", HTMLElement).textContent = `${next.draw_size} to draw`;
  const top = find("top-card", HTMLElement);
  top.replaceChildren(cardSvg(next.top, { declared: letter, small: true, hidden: true }));
  top.setAttribute("aria-label", `Top card: ${cardWords(next.top, letter)}`);
  find("played-words", HTMLElement).textContent = `${next.played_size} played`;
  const box = find("colour", HTMLElement);
  find("colour-shape", HTMLElement).replaceChildren(svg("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, shapeOf(letter, 32, 32, 20, COLOURS[letter].ink)));
  find("colour-name", HTMLElement).textContent = next.colour;
  box.className = `open-colour ${next.colour}`;
  box.setAttribute("aria-label", `Active colour: ${next.colour}`);
  const debt = find("debt", HTMLElement);
  debt.hidden = next.debt_words === "";
  debt.textContent = next.debt_words;
  find("hand-title", HTMLElement).textContent = `You hold ${next.hand.length}`;
  find("hand", HTMLElement).replaceChildren(...next.hand.map((code) => cardSvg(code, { small: true })));
}

/** @param {AdviseState} next */
function drawEntries(next) {
  const answers = next.answers.map(({ name, text: told }, place) => entryRow(place, "answer", `${NAMES[name] ?? name}: ${WHO[told] ?? told}`, "", ""));
  const moves = next.moves.map((move) => entryRow(next.answers.length + move.number - 1, `by-${move.by}`, move.words, `${move.number}.`, `${move.sizes[0]} : ${move.sizes[1]}`));
  const list = find("entries", HTMLElement);
  list.replaceChildren(...answers, ...moves);
  list.scrollTop = list.scrollHeight;
}

/**
 * Returns an entry that is corrected by a tap.
 * @param {number} place
 * @param {string} kind
 * @param {string} words
 * @param {string} number
 * @param {string} sizes
 * @returns {HTMLElement}
 */
function entryRow(place, kind, words, number, sizes) {
  const button = html(
    "button",
    { type: "button", class: kind, "aria-label": `Correct: ${number} ${spelledOut(words)}` },
    html("span", {}, `${number} `, ...withCards(words)),
    html("span", { class: "sizes" }, sizes),
  );
  button.addEventListener("click", () => void correct(place, `${number} ${words}`.trim()));
  return html("li", {}, button);
}

/**
 * Lets an entry be entered anew.
 * @param {number} place
 * @param {string} words
 */
async function correct(place, words) {
  refusal.hidden = true;
  try {
    /** @type {import("./advise_offers.js").View} */
    const view = await ask(`${base}/before/${place}`);
    correcting = place;
    panel.value([]);
    panel.show(view, "What was it really?", leave);
    if (state !== null) {
      drawTable({ ...state, ...view });
    }
    status.replaceChildren(html("span", {}, "Entered was: ", ...withCards(words)));
    find("undo", HTMLElement).hidden = true;
    find("entry-title", HTMLElement).focus({ preventScroll: true });
    main.scrollIntoView({ block: "start" });
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
    refusal.textContent = error.message;
    refusal.hidden = false;
  }
}

/** Leaves a correction. */
function leave() {
  correcting = null;
  refusal.hidden = true;
  if (state !== null) {
    panel.show(state);
    panel.value(coach.analysis?.candidates ?? []);
    drawTable(state);
    drawWords(state);
  }
}

/** @param {AdviseState} next */
function drawCoach(next) {
  coach.showState({ ...next, coach: true });
  find("coach", HTMLElement).hidden = next.status === "asking" || next.status === "over";
}

/** @param {import("./api.js").Analysis} analysis */
function hear(analysis) {
  coach.showAnalysis(analysis);
  if (state !== null && correcting === null && analysis.number === state.number) {
    panel.value(analysis.candidates);
  }
}

// --- what a person does ---------------------------------------------------------------------------------------------

find("rules-words", HTMLElement).addEventListener("toggle", () => {
  ask(`${base}/rules`).then(({ words }) => showRules(words), () => {}); // asked for again at the next look
});
find("body", HTMLElement).addEventListener("click", () => {
  refusal.hidden = true;
}, { capture: true });
text.addEventListener("input", () => {
  refusal.hidden = true;
});
find("typed", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void sendTyped();
});
find("undo", HTMLElement).addEventListener("click", () => void post("undo", {}));
find("save", HTMLElement).addEventListener("click", () => void askText(`${base}/record`).then((record) => saveAs("table.txt", record)));
listenToKeys({
  u: () => find("undo", HTMLButtonElement).click(),
  t: () => text.focus(),
  "/": () => text.focus(),
  d: () => panel.press("draw"),
  k: () => panel.press("keep"),
  c: () => panel.press("challenge"),
  Escape: () => panel.goBack(),
});
new Connection(base, {
  state: take,
  analysis: hear,
  away: (away) => {
    trouble.hidden = !away;
    trouble.textContent = away ? "The server does not answer; trying again …" : "";
  },
});
