// The end of a game: who won, both hands, what follows, and how luck and chances went.

import { cardOfAction, cardSvg, COLOUR_LETTERS, COLOURS, withCards } from "./cards.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { winGraph } from "./win_graph.js";
import { luckChart } from "./luck_chart.js";
import { percent } from "./words.js";

/** @typedef {import("./api.js").PlayState} PlayState */

/** A move that changed the chance to win by less decided nothing. */
const DECISIVE = 0.05;
/** Pieces of confetti. */
const PIECES = 36;

/**
 * Shows the end, or hides it while the game runs.
 * @param {PlayState} state
 * @param {{number: number, win: number | null}[]} graph what the coach thought on the way
 */
export function drawResult(state, graph) {
  const panel = find("result", HTMLElement);
  const { result, after, match } = state;
  const told = panel.dataset.winner;
  panel.hidden = result === null;
  find("table", HTMLElement).hidden = result !== null;
  if (result === null) {
    return;
  }
  find("result-title", HTMLElement).textContent =
    result.winner === "you" ? "You won" : result.winner === "opponent" ? "The opponent won" : "A draw";
  find("result-words", HTMLElement).textContent = resultWords(state);
  panel.dataset.winner = result.winner ?? "nobody";
  if (panel.dataset.winner !== told) {
    find("confetti", HTMLElement).replaceChildren(...(result.winner === "you" ? confetti() : []));
  }
  const last = cardOfAction(state.moves.at(-1)?.action ?? "");
  const won = result.winner !== null && last !== null;
  find("result-card", HTMLElement).replaceChildren(...(won ? [cardSvg(last.code, { declared: last.declared, hidden: true })] : []));
  find("turning-point", HTMLElement).replaceChildren(...turningPointWords(state));
  drawCards(find("own-left", HTMLElement), state.hand);
  drawCards(find("opponent-left", HTMLElement), after?.opponent_hand ?? null);
  find("next-round", HTMLElement).hidden = !result.next_round;
  find("rematch-new", HTMLElement).hidden = result.next_round;
  find("rematch-same", HTMLElement).hidden = result.next_round;
  find("rematch-new", HTMLElement).textContent = match === null ? "New deal" : "New match";
  find("rematch-new", HTMLElement).classList.toggle("primary", !result.next_round);
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
 * Returns the move that turned the game to its winner: the one after which, with open hands, the winner's chance had
 * grown most. Null where nobody won, or no single move decided it.
 * @param {number[]} chances the person's, before the first move and after each
 * @param {"you" | "opponent" | null} winner
 * @returns {number | null} its number
 */
export function turningPoint(chances, winner) {
  if (winner === null || chances.length < 2) {
    return null;
  }
  const sign = winner === "you" ? 1 : -1;
  const gains = chances.slice(1).map((chance, place) => sign * (chance - chances[place]));
  const most = Math.max(...gains);
  return most < DECISIVE ? null : gains.indexOf(most) + 1;
}

/**
 * Returns what turned the game, in words.
 * @param {PlayState} state
 * @returns {Node[]}
 */
function turningPointWords({ result, after, moves }) {
  if (result === null || after === null || result.winner === null) {
    return [];
  }
  const number = turningPoint(after.open_graph, result.winner);
  if (number === null) {
    return [document.createTextNode("No single move turned this game.")];
  }
  const [before, now] = [after.open_graph[number - 1], after.open_graph[number]];
  const change = `Your chance ${now > before ? "rose" : "fell"} from ${percent(before)} to ${percent(now)}, hands open.`.replaceAll(" %", "\u00a0%");
  const what = withCards(`${moves[number - 1]?.words ?? ""} ${change}`);
  return [html("strong", {}, `The turning point, move ${number}:`), document.createTextNode(" "), ...what];
}

/**
 * Returns pieces of confetti in the colours and shapes of the cards; where nothing may move they lie still.
 * @returns {HTMLElement[]}
 */
function confetti() {
  return Array.from({ length: PIECES }, (_, place) => {
    const letter = COLOUR_LETTERS[place % COLOUR_LETTERS.length];
    const piece = html("span", { class: `piece ${COLOURS[letter].name}` }, COLOURS[letter].sign);
    piece.style.left = `${((place * 61) % 100) + 0.5}%`;
    piece.style.top = `${(place * 37) % 92}%`;
    piece.style.animationDelay = `${((place * 29) % 23) / 20}s`;
    return piece;
  });
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
