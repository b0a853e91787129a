// The coach's panel: candidates, the belief, the chance of a lie and the graph, as far as the search has come.

import { candidateBars } from "./candidates.js";
import { heatMap } from "./heat_map.js";
import { find } from "./places.js";
import { keep, kept } from "./storage.js";
import { winGraph } from "./win_graph.js";
import { actionWords, cardOfAction } from "./cards.js";
import { asSentence, lieWords, percent } from "./words.js";

/** @typedef {import("./api.js").Analysis} Analysis */
/** @typedef {{coach: boolean, status: string, number: number, legal: string[], challenge: string | null}} CoachedState a game that has a coach */

/** What the coach says of one game. */
export class CoachPanel {
  /** @type {Analysis | null} */
  analysis = null;
  /** @type {CoachedState | null} */
  #state = null;
  #waiting = false;

  constructor() {
    for (const choice of find("belief-kind", HTMLElement).querySelectorAll("input")) {
      choice.checked = choice.value === (kept("belief") ?? "exact");
      choice.addEventListener("change", () => {
        keep("belief", choice.value);
        this.#draw();
      });
    }
  }

  /** @param {CoachedState} state */
  showState(state) {
    this.#state = state;
    find("coach", HTMLElement).hidden = !state.coach || state.status === "over";
    document.getElementById("coach-switch")?.setAttribute("aria-pressed", String(state.coach));
    this.#draw();
  }

  /** @param {Analysis} analysis */
  showAnalysis(analysis) {
    this.analysis = analysis;
    if (!this.#waiting) {
      this.#waiting = true;
      requestAnimationFrame(() => {
        this.#waiting = false;
        this.#draw();
      });
    }
  }

  /** The card of the best move in the position on the table; null where there is none, or the coach is silent. */
  get bestCard() {
    const [state, analysis] = [this.#state, this.analysis];
    const now = state?.coach && state.status === "yours" && analysis?.number === state.number;
    const best = now ? analysis?.candidates[0] : undefined;
    return best === undefined || best.value === null ? null : (cardOfAction(best.action)?.code ?? null);
  }

  #draw() {
    const [state, analysis] = [this.#state, this.analysis];
    if (state === null || !state.coach) {
      return;
    }
    const now = analysis !== null && analysis.number === state.number && state.status === "yours";
    find("coach-words", HTMLElement).textContent = coachWords(state, now ? analysis : null);
    find("candidates", HTMLElement).replaceChildren(
      ...(now && analysis.candidates.length > 0 ? [candidateBars(analysis.candidates)] : []),
    );
    find("win", HTMLElement).textContent = now && analysis.win !== null ? percent(analysis.win) : "";
    this.#drawBelief(state, analysis);
    find("graph", HTMLElement).replaceChildren(winGraph(analysis?.graph ?? []));
  }

  /**
   * @param {CoachedState} state
   * @param {Analysis | null} analysis
   */
  #drawBelief(state, analysis) {
    const aware = find("belief-kind", HTMLElement).querySelector("input:checked")?.getAttribute("value") === "aware";
    const belief = (aware ? analysis?.belief?.aware : analysis?.belief?.exact) ?? null;
    const place = find("belief", HTMLElement);
    if (belief === null) {
      place.replaceChildren();
    } else {
      place.replaceChildren(heatMap(belief));
    }
    const late = analysis !== null && analysis.number !== state.number ? " Before the last moves." : "";
    const what = aware
      ? asSentence(belief?.about ?? "takes what it chose as evidence")
      : "Takes what it could not do as evidence, not what it chose.";
    find("belief-words", HTMLElement).textContent =
      belief === null ? "It comes with the next analysis." : `${what}${late}`;
    const lie = state.challenge === null ? "" : suspicion(analysis, state.challenge);
    find("lie", HTMLElement).hidden = lie === "";
    find("lie", HTMLElement).textContent = lie;
  }
}

/**
 * Returns how likely the +4 was a lie, as the coach's search takes it, and what is possible at most.
 * @param {Analysis | null} analysis
 * @param {string} colour the colour before the +4
 * @returns {string}
 */
function suspicion(analysis, colour) {
  const lie = analysis?.lie ?? null;
  const most = analysis?.belief?.exact?.colours[colour];
  if (lie === null || most === undefined) {
    return "";
  }
  return `${asSentence(lieWords(lie))} ${asSentence(`${colour} is in ${percent(most)} of the hands that fit`)}`;
}

/**
 * Returns what the coach has to say in a sentence.
 * @param {CoachedState} state
 * @param {Analysis | null} analysis that of this position
 * @returns {string}
 */
function coachWords(state, analysis) {
  if (state.status !== "yours") {
    return "It waits for your turn.";
  }
  const best = analysis?.candidates[0];
  if (analysis === null || (!analysis.done && (best?.value ?? null) === null)) {
    return "It begins to think …";
  }
  if (best === undefined || best.value === null) {
    return analysis.note || (state.legal.length === 1 ? "There is only one move." : "Nothing to weigh here.");
  }
  const rest = analysis.line.slice(1, 5).map(actionWords).join(", ");
  const line = rest === "" ? "" : `, and then perhaps ${rest}`;
  const note = analysis.note === "" ? "" : ` (${analysis.note})`;
  return `${analysis.done ? "Best" : "So far best"}: ${actionWords(best.action)}${line}${note}.`;
}
