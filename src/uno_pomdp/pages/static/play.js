// A game at the table: hears what the server says, draws it, and sends what the person does.

import { ask, askText, Refusal } from "./api.js";
import { cardOfAction, cardWords, spelledOut } from "./cards.js";
import { flyCards, placesBefore } from "./card_flights.js";
import { chooseColour } from "./chooser.js";
import { CoachPanel } from "./coach.js";
import { Connection } from "./connection.js";
import { UnoHand } from "./hand.js";
import { listenToKeys } from "./keys.js";
import { showMoves } from "./moves_list.js";
import { find } from "./places.js";
import { reviewAddress } from "./record_links.js";
import { drawResult } from "./result.js";
import { showRules } from "./rules_words.js";
import { remember } from "./saved_games.js";
import { saveAs } from "./saving.js";
import { showPage } from "./site.js";
import { showHand } from "./shown_hand.js";
import { drawTable, sayBriefly } from "./table.js";
import { firstOfLate } from "./words.js";

/** @typedef {import("./api.js").PlayState} PlayState */

const token = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const base = `/api/play/${encodeURIComponent(token)}`;
const hand = find("hand", UnoHand);
const coach = new CoachPanel();

/** @type {PlayState | null} what is on the table */
let shown = null;
/** Whether an answer to a move is awaited: until then no other is sent. */
let sending = false;
/** Milliseconds from the last move to the result: the last card is seen landing, and lies there for a moment. */
const LANDING = 1500;
/** Milliseconds that a sentence about a failed request stays. */
const FAILED = 8000;
/** The timer of a last card that is landing; 0 for none. */
let landing = 0;

// --- what the server says ---------------------------------------------------------------------------------------

/**
 * Shows a state, unless a newer one is shown already.
 * @param {PlayState} state
 * @param {boolean} first whether it is the first after a connection: it then counts in any case
 */
function show(state, first) {
  if (shown !== null && !first && state.version <= shown.version) {
    return;
  }
  const before = shown;
  const places = before === null ? null : placesBefore(hand, before, state);
  const focused = document.activeElement;
  shown = state;
  drawTable(state);
  landLast(before, state, first);
  showCoach(state);
  hand.show(state.hand, playableCards(state), state.drawn);
  drawActions(state);
  showMoves(find("moves", HTMLElement), state.moves);
  showHand(state.moves, before === null ? firstOfLate(state) - 1 : before.moves.length);
  hand.markBest(coach.bestCard);
  drawEnd(state);
  if (state.status !== "preparing") {
    remember(token, state);
  }
  if (failing === 0) {
    complain(state.trouble);
  }
  if (before !== null && places !== null && !first) {
    flyCards(hand, before, state, places);
  }
  showPage();
  keepFocus(state, focused);
}

/**
 * Lets the last move of a game be seen before its result is.
 * @param {PlayState | null} before
 * @param {PlayState} state
 * @param {boolean} first
 */
function landLast(before, state, first) {
  const ends = before !== null && before.result === null && state.result !== null;
  if (ends && !first) {
    landing = setTimeout(() => {
      landing = 0;
      if (shown !== null) {
        showCoach(shown);
        drawEnd(shown);
        keepFocus(shown, document.activeElement);
      }
    }, LANDING);
  } else if (state.result === null) {
    clearTimeout(landing);
    landing = 0;
  }
}

/**
 * Lets the coach speak of a state; it stays beside the table until the result comes.
 * @param {PlayState} state
 */
function showCoach(state) {
  coach.showState(landing === 0 ? state : { ...state, status: "thinking" });
}

/**
 * Shows the result, once the last card has landed, and says on the page how the game stands.
 * @param {PlayState} state
 */
function drawEnd(state) {
  drawResult(landing === 0 ? state : { ...state, result: null }, coach.analysis?.graph ?? []);
  const status = landing === 0 ? state.status : "landing";
  Object.assign(find("main", HTMLElement).dataset, { status, number: String(state.number) });
}

/**
 * Returns the cards of the hand that may be played now.
 * @param {PlayState} state
 * @returns {Set<string>}
 */
function playableCards(state) {
  const codes = state.status === "yours" ? state.legal.map((action) => cardOfAction(action)?.code) : [];
  return new Set(codes.filter((code) => code !== undefined));
}

/**
 * Shows the buttons of what can be done besides playing a card.
 * @param {PlayState} state
 */
function drawActions(state) {
  const yours = state.status === "yours";
  for (const [id, action] of [
    ["challenge-button", "challenge"],
    ["keep", "keep"],
    ["draw", "draw"],
  ]) {
    find(id, HTMLButtonElement).hidden = !yours || !state.legal.includes(action);
  }
  find("challenge-button", HTMLElement).textContent = "Challenge the +4";
  find("draw", HTMLElement).textContent = state.debt > 0 ? `Draw ${state.debt}` : "Draw";
  find("draw", HTMLElement).classList.toggle("primary", yours && state.legal.every((action) => action === "draw"));
  find("undo", HTMLElement).hidden = !state.practice;
  find("undo", HTMLButtonElement).disabled = !mayUndo(state);
}

/** Whether the result had the focus already: it gets it once. */
let ended = false;

/**
 * Returns whether there is a move to take back, and it can be now.
 * @param {PlayState} state
 * @returns {boolean}
 */
function mayUndo({ practice, status, moves }) {
  return practice && (status === "yours" || status === "over") && moves.some((move) => move.by === "you");
}

/**
 * Keeps the focus where a person can go on: at the end on the result, and never on what is gone.
 * @param {PlayState} state
 * @param {Element | null} focused what had it before the state was drawn
 */
function keepFocus(state, focused) {
  const over = state.status === "over" && landing === 0;
  if (over && !ended) {
    ended = true;
    find("result-title", HTMLElement).focus();
    return;
  }
  ended = over;
  const lost =
    focused instanceof HTMLElement &&
    focused !== document.body &&
    (!focused.isConnected || focused.offsetParent === null);
  if (lost && document.activeElement !== null && !hand.contains(document.activeElement) && !isDialogOpen()) {
    if (state.hand.length > 0) {
      hand.focusChosen();
    } else {
      find("main", HTMLElement).focus();
    }
  }
}

function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}

// --- what the person does ---------------------------------------------------------------------------------------

/**
 * Says what went wrong, or that nothing did.
 * @param {string} words
 */
function complain(words) {
  const line = find("connection", HTMLElement);
  line.textContent = words;
  line.hidden = words === "";
}

/** The timer of a sentence about a request that failed; 0 for none. */
let failing = 0;

/**
 * Says for some seconds why a request failed.
 * @param {unknown} error
 */
function fail(error) {
  clearTimeout(failing);
  complain(error instanceof Refusal ? error.message : String(error));
  failing = setTimeout(() => {
    failing = 0;
    complain(shown?.trouble ?? "");
  }, FAILED);
}

/**
 * Asks the server for something that changes the game; one request at a time.
 * @param {string} what
 * @param {Record<string, unknown>} body
 * @returns {Promise<any>} the answer, null if it was refused
 */
async function send(what, body) {
  if (sending) {
    return null;
  }
  sending = true;
  document.body.classList.add("sending");
  try {
    const answer = await ask(`${base}/${what}`, body);
    clearTimeout(failing);
    failing = 0;
    complain(shown?.trouble ?? "");
    if (answer !== null && typeof answer.version === "number") {
      show(answer, false);
    }
    return answer;
  } catch (error) {
    if (error instanceof Refusal && error.kind === "conflict") {
      void refresh();
    } else {
      fail(error);
    }
    return null;
  } finally {
    sending = false;
    document.body.classList.remove("sending");
  }
}

/** Shows the game as it stands: another window may have gone on with it. */
async function refresh() {
  try {
    show(await ask(base), true);
  } catch (error) {
    fail(error);
  }
}

/**
 * Makes a move, if it can be made now.
 * @param {string} action
 */
async function act(action) {
  if (shown?.status === "yours" && shown.legal.includes(action)) {
    await send("move", { move: action, at: shown.number });
  }
}

/**
 * Plays a card; for a wild one the colour is asked for.
 * @param {string} code
 */
async function playCard(code) {
  const state = shown;
  if (state?.status !== "yours" || sending) {
    return;
  }
  if (state.legal.includes(code)) {
    await act(code);
    return;
  }
  const letters = state.legal.filter((action) => action.startsWith(`${code}:`)).map((action) => action.slice(-1));
  const letter = letters.length > 0 ? await chooseColour(`Which colour for the ${cardWords(code)}?`, letters) : null;
  if (letter !== null && shown?.number === state.number) {
    await act(`${code}:${letter}`);
  }
}

async function undo() {
  if (shown !== null && mayUndo(shown)) {
    await send("undo", { at: shown.number });
  }
}

async function switchCoach() {
  if (shown !== null) {
    await send("coach", { on: !shown.coach });
  }
}

/** Opens the help: this position in words, why the opponent moved, and the keys. */
async function explain() {
  const dialog = find("help", HTMLDialogElement);
  if (dialog.open) {
    dialog.close();
    return;
  }
  const why = find("why", HTMLElement);
  find("position", HTMLElement).textContent = shown === null ? "" : spelledOut(shown.sentence);
  why.textContent = "";
  dialog.showModal();
  try {
    showRules((await ask(`${base}/rules`)).words);
    why.textContent = spelledOut(String((await ask(`${base}/why`)).words ?? ""));
  } catch (error) {
    why.textContent = error instanceof Refusal ? error.message : "";
  }
}

/**
 * Begins another game, of the same cards or of new ones.
 * @param {boolean} sameDeal
 */
async function rematch(sameDeal) {
  const answer = await send("rematch", { same_deal: sameDeal });
  if (answer !== null) {
    location.assign(answer.url);
  }
}

/** Saves the record as a file. */
async function saveRecord() {
  try {
    saveAs(`uno-${new Date().toISOString().slice(0, 16).replaceAll(":", "")}.txt`, await askText(`${base}/record`));
  } catch (error) {
    fail(error);
  }
}

/** Opens the review of this game. */
async function review() {
  try {
    location.assign(await reviewAddress(await askText(`${base}/record`)));
  } catch (error) {
    fail(error);
  }
}

// --- the page ---------------------------------------------------------------------------------------------------

/**
 * Lets a button do something.
 * @param {string} id
 * @param {() => unknown} deed
 */
function onClick(id, deed) {
  find(id, HTMLButtonElement).addEventListener("click", () => void deed());
}

function start() {
  hand.target = find("played-pile", HTMLElement);
  hand.addEventListener("play", (event) => {
    const { code, playable } = /** @type {CustomEvent<{code: string, playable: boolean}>} */ (event).detail;
    if (playable) {
      void playCard(code);
    } else if (shown?.status === "yours") {
      sayBriefly(`A ${cardWords(code)} does not fit now.`);
    }
  });
  onClick("draw-pile", () => act("draw"));
  onClick("draw", () => act("draw"));
  onClick("keep", () => act("keep"));
  onClick("challenge-button", () => act("challenge"));
  onClick("undo", undo);
  onClick("coach-switch", switchCoach);
  onClick("explain", explain);
  onClick("help-close", () => find("help", HTMLDialogElement).close());
  onClick("next-round", () => send("next", {}));
  onClick("rematch-new", () => rematch(false));
  onClick("rematch-same", () => rematch(true));
  onClick("review", review);
  onClick("save", saveRecord);
  listenToKeys({
    ArrowLeft: () => hand.move(-1),
    ArrowRight: () => hand.move(1),
    d: () => act("draw"),
    k: () => act("keep"),
    c: () => act("challenge"),
    u: undo,
    h: switchCoach,
    "?": explain,
  });
  new Connection(base, {
    state: show,
    analysis: (analysis) => {
      coach.showAnalysis(analysis);
      hand.markBest(coach.bestCard);
      if (shown !== null && shown.result !== null) {
        drawEnd(shown);
      }
    },
    away: (away) => {
      complain(away ? "The server is away. The page tries again by itself; nothing is lost." : (shown?.trouble ?? ""));
    },
  });
}

start();
