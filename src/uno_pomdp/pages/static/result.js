// The end of a game: who won, both hands, what follows, and how luck and chances went.

import { cardSvg } from "./cards.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { winGraph } from "./win_graph.js";
import { luckChart } from "./luck_chart.js";

/** @typedef {import("./api.js").PlayState} PlayState */

/**
 * Shows the end, or hides it while the game runs.
 * @param {PlayState} state
 * @param {{number: number, win: number | null}[]} graph what the coach thought on the way
 */
export function drawResult(state, graph) {
  const panel = find("result", HTMLElement);
  const { result, after, match } = state;
  panel.hidden = result === null;
  find("table", HTMLElement).hidden = result !== null;
  if (result === null) {
    return;
  }
  find("result-title", HTMLElement).textContent =
    result.winner === "you" ? "You won" : result.winner === "opponent" ? "The opponent won" : "A draw";
  find("result-words", HTMLElement).textContent = resultWords(state);
  drawCards(find("own-left", HTMLElement), state.hand);
  drawCards(find("opponent-left", HTMLElement), after?.opponent_hand ?? null);
  find("next-round", HTMLElement).hidden = !result.next_round;
  find("rematch-new", HTMLElement).hidden = result.next_round;
  find("rematch-same", HTMLElement).hidden = result.next_round;
  find("rematch-new", HTMLElement).textContent = match === null ? "New deal" : "New match";
  const story = find("story", HTMLElement);
  if (after === null) {
    story.replaceChildren();
    return;
  }
  const open = after.open_graph.map((win, number) => ({ number, win }));
  story.replaceChildren(
    html("div", {}, html("h3", {}, "Your chance to win"), winGraph(graph, open)),
    html("div", {}, html("h3", {}, "Luck, move by move"), luckChart(after.luck)),
  );
}

/**
 * Returns the result in words, with points and score.
 * @param {PlayState} state
 * @returns {string}
 */
function resultWords({ result, match }) {
  if (result === null) {
    return "";
  }
  const parts = [result.words];
  if (result.points !== null) {
    parts.push(`${result.points} points.`);
  }
  if (result.score !== null && match !== null) {
    const end = result.next_round ? "" : " The match is over.";
    parts.push(`The match stands at ${result.score[0]} : ${result.score[1]} of ${match.to}.${end}`);
  }
  return parts.join(" ");
}

/**
 * Shows cards in a row.
 * @param {HTMLElement} row
 * @param {string[] | null} codes null as long as they are not told
 */
function drawCards(row, codes) {
  row.replaceChildren(
    ...(codes === null ? ["…"] : codes.length === 0 ? ["none"] : codes.map((code) => cardSvg(code, { small: true }))),
  );
}
