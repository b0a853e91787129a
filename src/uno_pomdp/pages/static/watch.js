// A game with open hands: the server plays it, the page shows one moment of it and steps by itself or by keys.

import { ask, askText, Refusal } from "./api.js";
import { candidateBars } from "./candidates.js";
import { actionWords, backSvg, cardSvg, cardWords, COLOURS, letterOf, shapeOf, spelledOut, withCards } from "./cards.js";
import { Connection } from "./connection.js";
import { html, svg } from "./elements.js";
import { heatMap } from "./heat_map.js";
import { listenToKeys } from "./keys.js";
import { find } from "./places.js";
import { saveAs } from "./saving.js";
import { showPage, waitFor } from "./site.js";
import { keep, kept } from "./storage.js";
import { winGraph } from "./win_graph.js";
import { countOf, lieWords } from "./words.js";

/**
 * @typedef {object} WatchedMove
 * @property {number} number
 * @property {1 | 2} by
 * @property {string} words
 * @property {string} action
 * @property {[number, number]} sizes
 * @property {number | null} open player 1's chance with open hands
 *
 * @typedef {object} WatchState
 * @property {number} version
 * @property {"preparing" | "playing" | "over" | "failed"} status
 * @property {string} trouble
 * @property {string} rules
 * @property {[string, string]} players
 * @property {string | null} seed
 * @property {string} note
 * @property {number | null} open
 * @property {WatchedMove[]} moves
 * @property {string | null} result
 *
 * @typedef {object} Thought
 * @property {string} action
 * @property {import("./api.js").Candidate[]} candidates
 * @property {string[]} line
 * @property {import("./words.js").Lie | null} lie
 * @property {string} note
 * @property {number} simulations
 * @property {number} milliseconds
 *
 * @typedef {object} Moment
 * @property {number} number
 * @property {1 | 2 | null} turn
 * @property {[string[] | null, string[] | null]} hands
 * @property {[number, number]} sizes
 * @property {string} top
 * @property {string} colour
 * @property {number} debt
 * @property {string} debt_words
 * @property {number} draw_size
 * @property {number} played_size
 * @property {[import("./api.js").Belief | null, import("./api.js").Belief | null]} beliefs
 * @property {Thought | null} decision
 */

const base = `/api${location.pathname}`;
const trouble = find("connection", HTMLElement);
const list = find("moves", HTMLOListElement);
const speed = find("speed", HTMLInputElement);
const pause = find("pause", HTMLButtonElement);

/** @type {WatchState | null} */
let state = null;
/** Which moment is shown: the table after so many moves. */
let place = 0;
let running = true;
let timer = 0;
/** @type {Map<number, Promise<Moment>>} */
const moments = new Map();

/** Milliseconds between two moves. */
const pace = () => 1000 / 2 ** Number(speed.value);

/**
 * Returns a moment, asked for once.
 * @param {number} number
 * @returns {Promise<Moment>}
 */
function momentAt(number) {
  let found = moments.get(number);
  if (found === undefined) {
    found = ask(`${base}/moment/${number}`);
    found.catch(() => moments.delete(number));
    moments.set(number, found);
  }
  return found;
}

/**
 * Shows a moment; one that was left before it arrived is not shown.
 * @param {number} number
 */
async function go(number) {
  if (state === null) {
    return;
  }
  place = Math.max(0, Math.min(number, state.moves.length));
  drawPlace();
  const wanted = place;
  try {
    const moment = await momentAt(wanted);
    if (wanted === place) {
      draw(moment);
    }
    trouble.textContent = state.trouble;
    trouble.hidden = state.trouble === "";
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
    if (error.kind !== "conflict") {
      trouble.textContent = error.message;
      trouble.hidden = false;
    }
  }
}

/** Goes on by itself after a while, if it is not paused and there is something to go on to. */
function schedule() {
  clearTimeout(timer);
  timer = 0;
  if (running && state !== null && place < state.moves.length) {
    timer = setTimeout(() => void go(place + 1).then(schedule), pace());
  }
}

/**
 * Pauses or goes on.
 * @param {boolean} on
 */
function run(on) {
  running = on;
  pause.textContent = on ? "Pause" : "Go on";
  schedule();
}

/**
 * Steps by hand, which pauses.
 * @param {number} number
 */
function step(number) {
  run(false);
  void go(number);
}

// --- drawing ------------------------------------------------------------------------------------------------------

/** Draws what hangs on the place alone: buttons and the list. */
function drawPlace() {
  const last = state?.moves.length ?? 0;
  for (const [id, there] of /** @type {[string, boolean][]} */ ([["to-start", place > 0], ["back", place > 0], ["forth", place < last], ["to-end", place < last], ["pause", place < last || state?.status !== "over"]])) {
    find(id, HTMLButtonElement).disabled = !there;
  }
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const row = place > 0 ? list.children[place - 1] : undefined;
  if (row instanceof HTMLElement) {
    row.setAttribute("aria-current", "true");
    list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
  }
}

/** @param {Moment} moment */
function draw(moment) {
  if (state === null) {
    return;
  }
  for (const seat of /** @type {(0 | 1)[]} */ ([0, 1])) {
    drawHand(moment, seat);
    const belief = moment.beliefs[seat];
    find(`belief-${seat + 1}`, HTMLElement).replaceChildren(belief === null ? html("p", { class: "quiet" }, "Not known from this record.") : heatMap(belief));
  }
  drawMiddle(moment);
  drawWords(moment);
  drawThought(moment);
  showPage();
  const open = state.open === null ? [] : [{ number: 0, win: state.open }, ...state.moves.flatMap(({ number, open: win }) => (win === null ? [] : [{ number, win }]))];
  find("graph", HTMLElement).replaceChildren(winGraph([], open.slice(0, Math.max(place + 1, 1)), "Player 1’s chance to win"));
}

/**
 * @param {Moment} moment
 * @param {0 | 1} seat
 */
function drawHand(moment, seat) {
  const name = find(`name-${seat + 1}`, HTMLElement);
  name.textContent = `Player ${seat + 1}: ${state?.players[seat]}, ${countOf(moment.sizes[seat], "card")}`;
  name.classList.toggle("to-move", moment.turn === seat + 1);
  const hand = moment.hands[seat];
  const cards = hand === null ? Array.from({ length: moment.sizes[seat] }, () => backSvg({ hidden: true })) : hand.map((code) => cardSvg(code));
  find(`hand-${seat + 1}`, HTMLElement).replaceChildren(...cards);
}

/** @param {Moment} moment */
function drawMiddle(moment) {
  const letter = letterOf(moment.colour);
  const top = find("top-card", HTMLElement);
  top.replaceChildren(cardSvg(moment.top, { declared: letter, hidden: true }));
  top.setAttribute("aria-label", `Top card: ${cardWords(moment.top, letter)}`);
  find("draw-card", HTMLElement).replaceChildren(...(moment.draw_size === 0 ? [] : [backSvg({ hidden: true })]));
  find("draw-words", HTMLElement).textContent = `${moment.draw_size} to draw`;
  if (letter !== null) {
    const box = find("colour", HTMLElement);
    const { fill, ink } = COLOURS[letter];
    find("colour-shape", HTMLElement).replaceChildren(svg("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, shapeOf(letter, 32, 32, 20, ink)));
    find("colour-name", HTMLElement).textContent = moment.colour;
    box.setAttribute("aria-label", `Active colour: ${moment.colour}`);
    box.style.backgroundColor = fill;
    box.style.color = ink;
  }
  const debt = find("debt", HTMLElement);
  debt.hidden = moment.debt_words === "";
  debt.textContent = moment.debt_words;
}

/** @param {Moment} moment */
function drawWords(moment) {
  if (state === null) {
    return;
  }
  const move = moment.number === 0 ? undefined : state.moves[moment.number - 1];
  const ended = moment.number === state.moves.length && state.result !== null ? ` ${state.result}` : "";
  const words = move === undefined ? "The deal." : `${moment.number}. ${move.words}${ended}`;
  find("status", HTMLElement).replaceChildren(html("span", { "aria-hidden": "true" }, ...withCards(words)), html("span", { class: "visually-hidden" }, spelledOut(words)));
}

/** @param {Moment} moment */
function drawThought({ decision, number }) {
  const words = find("thought-words", HTMLElement);
  const table = find("candidates", HTMLElement);
  const weighed = decision?.candidates.filter((one) => (one.value ?? null) !== null) ?? [];
  table.replaceChildren(...(weighed.length === 0 ? [] : [candidateBars(weighed)]));
  if (decision === null) {
    words.textContent = number === 0 ? "Nobody has moved." : "Not known from a record.";
    return;
  }
  const line = decision.line.length > 1 ? `expects ${decision.line.slice(1, 5).map(actionWords).join(", ")}` : "";
  const spent = decision.simulations > 0 ? `${decision.simulations.toLocaleString("en")} simulations, ${decision.milliseconds.toFixed(0)} ms` : "no search";
  words.textContent = [lieWords(decision.lie), decision.note, line, spent].filter((part) => part !== "").join("; ");
}

/** @param {WatchedMove} move */
function moveRow(move) {
  const row = html("li", { class: `by-${move.by}` }, html("span", {}, ...withCards(`${move.number}. ${move.words}`)), html("span", { class: "sizes" }, `${move.sizes[0]} : ${move.sizes[1]}`));
  row.addEventListener("click", () => step(move.number));
  return row;
}

/** @param {WatchState} next */
function take(next) {
  const first = state === null;
  state = next;
  trouble.hidden = next.trouble === "";
  trouble.textContent = next.trouble;
  const parts = [`${next.players.join(" v ")}`, `${next.rules} rules`, next.seed === null ? "" : `seed ${next.seed}`, next.note, next.status === "preparing" ? "preparing …" : ""];
  find("facts", HTMLElement).textContent = parts.filter((part) => part !== "").join(" · ");
  document.title = `${next.players.join(" v ")}: UNO`;
  find("save", HTMLElement).hidden = next.status !== "over";
  list.append(...next.moves.slice(list.children.length).map(moveRow));
  if (next.status !== "preparing" && (first || moments.size === 0)) {
    void go(place);
  } else if (next.status === "preparing") {
    waitFor("The players get ready: what they need is compiled, the first time for up to half a minute …");
  }
  drawPlace();
  if (timer === 0) {
    schedule();
  }
}

// --- what a person does -------------------------------------------------------------------------------------------

/** Says how fast it goes, and remembers it. */
function tellSpeed() {
  const rate = 2 ** Number(speed.value);
  find("speed-words", HTMLOutputElement).value = `${rate < 1 ? rate.toFixed(2) : rate.toFixed(1)} a second`;
  keep("speed", speed.value);
  schedule();
}

const last = () => state?.moves.length ?? 0;
find("to-start", HTMLElement).addEventListener("click", () => step(0));
find("back", HTMLElement).addEventListener("click", () => step(place - 1));
find("forth", HTMLElement).addEventListener("click", () => step(place + 1));
find("to-end", HTMLElement).addEventListener("click", () => step(last()));
pause.addEventListener("click", () => run(!running));
find("save", HTMLElement).addEventListener("click", () => void askText(`${base}/record`).then((text) => saveAs("game.txt", text)));
speed.value = String(kept("speed") ?? "0");
speed.addEventListener("input", tellSpeed);
listenToKeys({ ArrowLeft: () => step(place - 1), ArrowRight: () => step(place + 1), Home: () => step(0), End: () => step(last()), " ": () => run(!running) });
tellSpeed();
new Connection(base, {
  state: take,
  analysis: () => {},
  away: (away) => {
    trouble.hidden = !away && (state?.trouble ?? "") === "";
    trouble.textContent = away ? "The server does not answer; trying again …" : (state?.trouble ?? "");
  },
});
