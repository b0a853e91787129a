// The review of a game as a board: steps through its moves by keys, buttons, list and graph.
// The data is that of `review/page_data.py`; all of it is put into the page as text.

import { COLOURS, backSvg, cardOfAction, cardSvg, cardText, shapeOf, spelledOut, withCards } from "./cards.js";
import { html, spaced, svg } from "./elements.js";
import { lieWords } from "./words.js";

/**
 * @typedef {import("./cards.js").ColourLetter} ColourLetter
 * @typedef {{action: string, value: number | null, error: number | null, simulations: number, note: string}} Candidate
 * @typedef {{hands: (string[] | null)[], sizes: number[], top: string, colour: ColourLetter, debt: number, pile: number,
 *   turn: number, drawn: string | null, challenge: ColourLetter | null}} Position
 * @typedef {{number: number, player: number, action: string, words: string, better: string, lost: string,
 *   drawn: string[] | number, grade: string | null, forced: boolean | null, before: number | null, after: number | null,
 *   luck: number | null, best: string | null, line: string[], lie: import("./words.js").Lie | null, note: string, candidates: Candidate[]}} Move
 * @typedef {{players: string[], names: string[], labels: string[], ending: string, person: number | null, result: string, observer: number | null, moves: Move[], positions: Position[],
 *   open_hands: number[], graph: {left: number, width: number, top: number, height: number}}} Review
 */

const MISTAKES = ["inaccuracy", "mistake", "blunder"];
/** @type {Record<string, string>} */
const DEEDS = { draw: "draws", keep: "keeps", challenge: "challenges" };

/** @type {Record<string, string>} */
const STEP_OF_KEY = {
  Home: "first",
  ArrowLeft: "back",
  ArrowRight: "forward",
  End: "last",
  ArrowUp: "mistake-before",
  ArrowDown: "mistake-after",
};

/**
 * Returns the element with this id.
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no element ${id}`);
  }
  return found;
}

/**
 * Returns a share in percent.
 * @param {number} share
 * @param {number} [digits]
 * @returns {string}
 */
function inPercent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`;
}

/**
 * Returns how many cards that is, in words.
 * @param {number} count
 * @returns {string}
 */
function countOfCards(count) {
  return count === 1 ? "1 card" : `${count} cards`;
}

// --- the board --------------------------------------------------------------------------------------------------

/**
 * Returns a hand: its cards, or as many backs where it is hidden. What was played stands out, what was better too.
 * @param {Review} review
 * @param {Position} position
 * @param {number} seat 0 or 1
 * @param {Move | null} move the one that is about to be made
 * @param {boolean} trying whether that move is looked for: then the other hand is closed, and the mover's can be clicked
 * @returns {HTMLElement}
 */
function handOf(review, position, seat, move, trying) {
  const moving = move !== null && move.player === seat + 1;
  const [cards, size] = [trying && !moving ? null : position.hands[seat], position.sizes[seat]];
  const marks = moving && !trying ? marksOf(move, position.drawn) : new Map();
  const toMove = moving || (move === null && review.result === "unfinished" && position.turn === seat + 1);
  const named = spaced(
    html("span", {}, html("i", { class: `seat${seat + 1}` }), review.labels[seat]),
    ...(review.person === seat + 1 ? [] : [html("small", { class: "name" }, review.players[seat])]),
    html("small", { class: "count" }, countOfCards(size) + (size === 1 ? ", UNO" : "")),
    ...(toMove ? [html("small", { class: "turn" }, "to move")] : []),
  );
  const head = html("h3", {}, ...named);
  const list = html("ul", { class: "hand" });
  for (const code of cards ?? Array(size).fill(null)) {
    const mark = code === null ? undefined : marks.get(code);
    marks.delete(code);
    const item = html("li", mark === undefined ? {} : { class: mark });
    item.append(code === null ? backSvg() : trying ? cardButton(code) : cardSvg(code));
    if (mark !== undefined) {
      item.append(" ", html("span", { class: "mark" }, mark));
    }
    list.append(item);
  }
  if (size === 0) {
    list.append(html("li", { class: "none quiet" }, "no cards"));
  }
  list.style.setProperty("--cards", String(Math.max(size, 1)));
  return html("div", { class: toMove ? "side moving" : "side" }, head, list);
}

/**
 * Returns a card that can be chosen.
 * @param {string} code
 * @returns {HTMLButtonElement}
 */
function cardButton(code) {
  const button = html("button", { type: "button", class: "choose", "data-code": code }, cardSvg(code));
  button.addEventListener("click", () => document.dispatchEvent(new CustomEvent("review-chosen", { detail: code })));
  return button;
}

/**
 * Returns which cards of the mover's hand are marked, by code: one just drawn, one that was better, the one played.
 * @param {Move} move
 * @param {string | null} drawn
 * @returns {Map<string, string>}
 */
function marksOf(move, drawn) {
  /** @type {Map<string, string>} */
  const marks = new Map(drawn === null ? [] : [[drawn, "drawn"]]);
  const [played, best] = [cardOfAction(move.action), move.best === null ? null : cardOfAction(move.best)];
  if (best !== null && move.best !== move.action && MISTAKES.includes(move.grade ?? "")) {
    marks.set(best.code, "better");
  }
  if (played !== null) {
    marks.set(played.code, "played");
  }
  return marks;
}

/**
 * Returns the middle of the table: draw pile, top card, active colour, what is owed, and what is done now.
 * @param {Review} review
 * @param {Position} position
 * @param {Move | null} move
 * @param {boolean} trying whether a move is looked for here
 * @returns {HTMLElement}
 */
function middleOf(review, position, move, trying) {
  const { name, fill, ink } = COLOURS[position.colour];
  const black = position.top.startsWith("W");
  const pile = position.pile === 0 ? html("div", { class: "empty" }) : backSvg({ hidden: true });
  const badge = svg(
    "svg",
    { viewBox: "-12 -12 24 24", class: "badge", "aria-hidden": "true" },
    svg("circle", { r: 11, fill }),
    shapeOf(position.colour, 0, 0, 5.5, ink),
  );
  /** @type {Element[]} */
  const parts = [
    html("figure", { class: "pile" }, pile, html("figcaption", {}, `${position.pile} left`)),
    html(
      "figure",
      { class: "top" },
      cardSvg(position.top, { declared: black ? position.colour : null }),
      html("figcaption", {}, badge, html("b", {}, name)),
    ),
  ];
  if (position.debt > 0) {
    const owed = [html("b", {}, `+${position.debt}`), ` owed by ${review.names[position.turn - 1]}`];
    const before = position.challenge === null ? [] : [html("br"), `before: ${COLOURS[position.challenge].name}`];
    parts.push(html("p", { class: "debt" }, ...owed, ...before));
  }
  if (move !== null) {
    const arrow = cardOfAction(move.action) === null ? "M4 12h16M14 6l6 6-6 6" : "M20 12H4M10 6l-6 6 6 6";
    parts.push(
      svg("svg", { class: "arrow", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: arrow })),
      html("figure", { class: "done" }, ...doneIn(move)),
    );
  } else if (!trying) {
    parts.push(html("p", { class: "result" }, review.ending));
  }
  return html("div", { class: "middle" }, ...parts);
}

/**
 * Returns what a move does: the card played, or the cards drawn.
 * @param {Move} move
 * @returns {Node[]}
 */
function doneIn(move) {
  const card = cardOfAction(move.action);
  if (card !== null) {
    return [
      cardSvg(card.code, { declared: card.declared }),
      html("figcaption", {}, html("i", { class: `seat${move.player}` }), "plays"),
    ];
  }
  const drawn = typeof move.drawn === "number" ? Array(move.drawn).fill(null) : move.drawn;
  const cards = html("div", { class: "taken" });
  const small = drawn.length <= 4; // of more, which cover each other, the corners are seen
  for (const code of drawn) {
    cards.append(html("div", {}, code === null ? backSvg({ small }) : cardSvg(code, { small })));
  }
  return [cards, html("figcaption", {}, html("i", { class: `seat${move.player}` }), DEEDS[move.action] ?? move.action)];
}

// --- the verdict ------------------------------------------------------------------------------------------------

/**
 * Returns what is said of a move.
 * @param {Review} review
 * @param {Move} move
 * @returns {Node[]}
 */
function verdictOf(review, move) {
  /** @type {HTMLElement[]} */
  const parts = [
    html("h2", {}, `Move ${move.number} `, html("small", {}, `of ${review.moves.length}`)),
    html("p", { class: "words" }, ...withCards(move.words)),
    html("p", { class: "figures" }, ...spaced(...figuresOf(move))),
  ];
  if (move.better !== "") {
    parts.push(html("p", { class: "better-words" }, html("b", {}, betterIs(move)), " ", ...withCards(move.better)));
  }
  if (move.candidates.length > 0) {
    parts.push(candidatesOf(move));
  }
  if (move.line.length > 1) {
    const line = move.line.flatMap((action) => [document.createTextNode(" "), cardText(action)]);
    parts.push(html("p", { class: "quiet" }, "expected:", ...line));
  }
  const worlds = Math.max(0, ...move.candidates.map((one) => one.simulations));
  const said = [lieWords(move.lie), move.note, ...(worlds > 0 ? [`${worlds.toLocaleString("en")} worlds, the same for all`] : [])];
  const note = said.filter((each) => each !== "").join("; ");
  return note === "" ? parts : [...parts, html("p", { class: "quiet" }, note)];
}

/**
 * Returns what the best move is called: better only where chance in the simulations does not explain the difference.
 * @param {Move} move
 * @returns {string}
 */
function betterIs(move) {
  return MISTAKES.includes(move.grade ?? "") ? "Better" : "The coach prefers";
}

/**
 * Returns grade, points lost, win probability and luck of a move.
 * @param {Move} move
 * @returns {Node[]}
 */
function figuresOf(move) {
  const grade = move.grade ?? (move.forced ? "forced" : "not judged");
  const parts = [html("span", { class: `grade ${grade}` }, grade)];
  if (move.lost !== "") {
    parts.push(html("span", {}, `−${move.lost} points`));
  }
  if (move.before !== null && move.after !== null) {
    const after = move.action === move.best ? "" : ` → ${inPercent(move.after, 1)}`;
    parts.push(html("span", {}, `wins ${inPercent(move.before, 1)}${after}`));
  }
  if (move.luck !== null) {
    const points = (100 * move.luck).toFixed(1).replace("-0.0", "0.0").replace("-", "−");
    parts.push(html("span", {}, `luck ${points.startsWith("−") ? points : `+${points}`}`));
  }
  return parts;
}

/**
 * Returns the candidates as a table of bars with the standard error of each.
 * @param {Move} move
 * @returns {HTMLElement}
 */
function candidatesOf(move) {
  const head = ["candidate", "wins", "in percent", "worlds"].map((words) => html("th", { scope: "col" }, words));
  head[1].setAttribute("class", "bar");
  const rows = move.candidates.map((one) => {
    const played = one.action === move.action;
    const [value, error] = [one.value ?? 0, one.error ?? 0];
    const figure = one.value === null ? "–" : (100 * one.value).toFixed(1);
    return html(
      "tr",
      { class: played ? "played" : one.action === move.best ? "best" : "other" },
      html("th", { scope: "row" }, ...spaced(cardText(one.action), ...(played ? [html("small", {}, "played")] : []))),
      html("td", { class: "bar" }, barOf(value, error)),
      html("td", {}, one.error === null ? figure : `${figure} ± ${(100 * one.error).toFixed(1)}`),
      html("td", {}, one.simulations === 0 ? one.note : one.simulations.toLocaleString("en")),
    );
  });
  return html(
    "table",
    { class: "candidates" },
    html("caption", { class: "visually-hidden" }, "All that was legal, the best first, with the mover’s probability of winning"),
    html("thead", {}, html("tr", {}, ...head)),
    html("tbody", {}, ...rows),
  );
}

/**
 * Returns a bar of a share, with its error as a line on its end.
 * @param {number} value
 * @param {number} error
 * @returns {SVGElement}
 */
function barOf(value, error) {
  const [low, high] = [Math.max(0, value - error), Math.min(1, value + error)].map((share) => 100 * share);
  const whisker = `M${low} 5H${high}M${low} 2.5V7.5M${high} 2.5V7.5`;
  return svg(
    "svg",
    { class: "share", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "ground", width: 100, height: 10 }),
    svg("rect", { class: "value", width: 100 * value, height: 10 }),
    svg("path", { class: "error", d: whisker }),
  );
}

// --- stepping ---------------------------------------------------------------------------------------------------

/** The board of a review: `at` is the number of the move that is shown, one more than there are for the end. */
class ReviewBoard {
  /** @param {Review} review */
  constructor(review) {
    this.review = review;
    this.end = review.moves.length + 1;
    this.at = 0;
    /** @type {number | null} the move that is looked for: what was played there, and all that came later, is hidden */
    this.tried = null;
    this.marked = review.moves.filter((move) => MISTAKES.includes(move.grade ?? "")).map((move) => move.number);
    /** @type {HTMLElement[]} */
    this.rows = [];
    this.band = svg("rect", { class: "band" });
    this.prepareList();
    this.prepareGraph();
    this.prepareSteps();
  }

  /** Makes a link of every row of the list: what it opened is on the board now. */
  prepareList() {
    for (const item of /** @type {NodeListOf<HTMLElement>} */ (byId("moves").querySelectorAll(":scope > li"))) {
      const row = /** @type {HTMLElement} */ (item.querySelector(".row"));
      const link = html("a", { class: "row", href: `#${item.id}` });
      link.append(...row.childNodes);
      item.replaceChildren(link);
      item.removeAttribute("id"); // the fragment chooses a move, and is no place to scroll to
      this.rows.push(link);
    }
  }

  /** Lets a click on the graph choose the move that is nearest, and shows there which one is chosen. */
  prepareGraph() {
    const picture = /** @type {SVGSVGElement} */ (document.querySelector("svg.graph"));
    picture.insertBefore(this.band, picture.querySelector("path, a"));
    picture.addEventListener("click", (event) => {
      const matrix = picture.getScreenCTM();
      if (matrix === null || this.review.moves.length === 0 || (/** @type {Element} */ (event.target)).closest("a") !== null) {
        return;
      }
      const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()).x;
      const { left, width } = this.review.graph;
      const place = ((x - left) / width) * this.review.moves.length;
      this.show(Math.min(Math.max(Math.ceil(place), 1), this.review.moves.length));
    });
  }

  /** Listens to buttons, keys and the fragment. */
  prepareSteps() {
    byId("steps").addEventListener("click", (event) => {
      const button = (/** @type {Element} */ (event.target)).closest("button");
      this.step(button?.dataset.step ?? "");
    });
    document.addEventListener("keydown", (event) => {
      const step = STEP_OF_KEY[event.key];
      const field = (/** @type {Element} */ (event.target)).closest("input, select, textarea, dialog");
      if (step === undefined || field !== null || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
        return;
      }
      event.preventDefault();
      this.step(step);
    });
    window.addEventListener("hashchange", () => this.show(this.fromFragment()));
    document.addEventListener("review-show", (event) => {
      const { number, trying } = /** @type {CustomEvent<{number: number, trying: boolean}>} */ (event).detail;
      this.tried = trying ? number : null;
      this.show(number);
    });
  }

  /**
   * Returns the move that the fragment names, else the first.
   * @returns {number}
   */
  fromFragment() {
    if (location.hash === "#end") {
      return this.end;
    }
    const found = /^#move-(\d+)$/.exec(location.hash);
    const number = found === null ? 1 : Number(found[1]);
    return number >= 1 && number <= this.end ? number : 1;
  }

  /**
   * Returns where a step leads; it stays where it is if there is nothing further.
   * @param {string} step
   * @returns {number}
   */
  goal(step) {
    switch (step) {
      case "first":
        return 1;
      case "back":
        return Math.max(this.at - 1, 1);
      case "forward":
        return Math.min(this.at + 1, this.end);
      case "last":
        return this.end;
      case "mistake-before":
        return this.marked.filter((number) => number < this.at).at(-1) ?? this.at;
      case "mistake-after":
        return this.marked.find((number) => number > this.at) ?? this.at;
      default:
        return this.at;
    }
  }

  /**
   * Goes a step.
   * @param {string} step
   */
  step(step) {
    const goal = this.goal(step);
    if (goal !== this.at) {
      this.show(goal);
    }
  }

  /**
   * Shows a move, or the end.
   * @param {number} number
   */
  show(number) {
    this.at = number;
    this.tried = this.tried === number ? number : null;
    const trying = this.tried !== null;
    const move = this.review.moves[number - 1] ?? null;
    const position = this.review.positions[number - 1];
    const below = (this.review.observer ?? this.review.person) === 2 ? 1 : 0;
    byId("board").replaceChildren(
      handOf(this.review, position, 1 - below, move, trying),
      middleOf(this.review, position, trying ? null : move, trying),
      handOf(this.review, position, below, move, trying),
    );
    document.body.classList.toggle("retrying", trying);
    if (!trying) {
      byId("verdict").replaceChildren(...(move === null ? this.ending() : verdictOf(this.review, move)));
    }
    byId("said").textContent = trying ? "" : this.said(move);
    this.mark(move);
    const fragment = move === null ? "#end" : `#move-${number}`;
    if (location.hash !== fragment) {
      history.replaceState(null, "", fragment);
    }
    document.dispatchEvent(new CustomEvent("review-move", { detail: { number, trying } }));
  }

  /**
   * Returns what stands beside the last position.
   * @returns {Node[]}
   */
  ending() {
    const moves = this.review.moves.length;
    return [
      html("h2", {}, this.review.result === "unfinished" ? "So far" : "The end"),
      html("p", { class: "words" }, `${this.review.ending}, ${moves} ${moves === 1 ? "move" : "moves"}`),
    ];
  }

  /**
   * Returns what a screen reader says of a move.
   * @param {Move | null} move
   * @returns {string}
   */
  said(move) {
    if (move === null) {
      return `The end: ${this.review.ending}.`;
    }
    const lost = move.lost === "" ? "" : `, ${move.lost.replace("±", "plus or minus")} points lost`;
    const grade = move.grade === null ? (move.forced ? "Forced." : "") : `${move.grade}${lost}.`;
    const better = move.better === "" ? "" : `${betterIs(move)} ${move.better}`;
    return spelledOut([`Move ${move.number}.`, move.words, grade, better].filter((each) => each !== "").join(" "));
  }

  /**
   * Marks the move in the list, on the graph and by the buttons.
   * @param {Move | null} move
   */
  mark(move) {
    this.rows.forEach((row, i) => {
      row.classList.toggle("later", this.tried !== null && i + 1 >= this.at);
      row.classList.toggle("other", this.tried !== null && this.review.moves[i].player !== move?.player);
      if (i + 1 === this.at) {
        row.setAttribute("aria-current", "step");
        const box = byId("moves");
        const [inner, outer] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
        if (box.scrollHeight > box.clientHeight && (inner.top < outer.top || inner.bottom > outer.bottom)) {
          box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
        }
      } else {
        row.removeAttribute("aria-current");
      }
    });
    const { left, width, top, height } = this.review.graph;
    const one = width / Math.max(this.review.moves.length, 1);
    const place = move === null ? { x: left + width - 1.5, width: 3 } : { x: left + one * (this.at - 1), width: one };
    for (const [key, value] of Object.entries({ ...place, y: top, height })) {
      this.band.setAttribute(key, String(value));
    }
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (byId("steps").querySelectorAll("button"))) {
      // not disabled: a button that loses the focus under somebody's finger sends it to the top of the page
      button.setAttribute("aria-disabled", String(this.goal(button.dataset.step ?? "") === this.at));
    }
  }
}

const reviewBoard = new ReviewBoard(/** @type {Review} */ (JSON.parse(byId("review-data").textContent ?? "")));
reviewBoard.show(reviewBoard.fromFragment());
