// What is to be entered next, by taps: an answer, the own move, or the opponent's. What was tapped becomes the text that
// could have been typed; some entries take two taps or more, and each of those can be gone back from.

import { deedWords, drawable, drawnWords, less } from "./advise_offers.js";
import { bigButton, colourButtons, stepper } from "./advise_parts.js";
import { backSvg, cardOfAction, cardSvg, cardWords, letterOf } from "./cards.js";
import { oneCard, severalCards } from "./card_picker.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { countOf, percent } from "./words.js";

/** @typedef {import("./advise_offers.js").Question} Question */
/** @typedef {import("./advise_offers.js").Offers} Offers */
/** @typedef {import("./advise_offers.js").View} View */

const title = find("entry-title", HTMLElement);
const body = find("body", HTMLElement);
const back = find("back", HTMLButtonElement);

/** The panel in which something is entered. */
export class EntryPanel {
  /** @type {View | null} */
  #view = null;
  #start = "";
  #cancel = () => {};
  /** @type {import("./api.js").Candidate[]} */
  #candidates = [];

  /** @param {(text: string) => void} enter called with what was tapped */
  constructor(enter) {
    this.enter = enter;
    back.addEventListener("click", () => this.goBack());
  }

  /**
   * Shows what can be entered in a position.
   * @param {View} view
   * @param {string} words the title, where it is not the usual one
   * @param {(() => void) | null} cancel what leaves it, where it is a correction
   */
  show(view, words = "", cancel = null) {
    this.#view = view;
    this.#start = words;
    this.#cancel = cancel ?? (() => {});
    this.#first();
  }

  /** Goes back to the first tap of this entry; from there, out of a correction. */
  goBack() {
    if (back.dataset.deep === "yes") {
      this.#first();
    } else {
      this.#cancel();
    }
  }

  /**
   * Shows what the coach makes of the own moves; their order stays, so that no tap goes astray.
   * @param {import("./api.js").Candidate[]} candidates the best first
   */
  value(candidates) {
    this.#candidates = candidates;
    for (const button of body.querySelectorAll("[data-actions]")) {
      const actions = (button.getAttribute("data-actions") ?? "").split(" ");
      const best = candidates.find((one) => actions.includes(one.action));
      const worth = button.querySelector(".worth");
      const bar = button.querySelector(".fill");
      const value = best?.value ?? null;
      button.classList.toggle("best", best !== undefined && best === candidates[0] && candidates.length > 1 && value !== null);
      if (worth !== null && bar instanceof HTMLElement) {
        worth.textContent = value === null ? "" : percent(value);
        bar.style.width = `${100 * (value ?? 0)}%`;
      }
    }
  }

  /** Taps what a key stands for, if it is on offer. @param {string} action */
  press(action) {
    const found = body.querySelector(`[data-key="${action}"]`);
    if (found instanceof HTMLButtonElement) {
      found.click();
    }
  }

  // --- first taps ---------------------------------------------------------------------------------------------

  #first() {
    const view = this.#view;
    if (view === null) {
      return;
    }
    const words = { asking: view.question?.words ?? "", yours: "What did you do?", theirs: "What did the opponent do?", over: "The game is over" }[view.status];
    this.#fill(this.#start || words, false, ...this.#choices(view));
    this.value(this.#candidates);
  }

  /**
   * @param {View} view
   * @returns {HTMLElement[]}
   */
  #choices(view) {
    if (view.question !== null) {
      return [...this.#answers(view.question), html("p", { class: "quiet" }, view.question.help)];
    }
    if (view.offers === null || view.status === "over") {
      return [];
    }
    return view.status === "yours" ? this.#ownMoves(view, view.offers) : this.#theirMoves(view, view.offers);
  }

  /**
   * Fills the panel.
   * @param {string} words
   * @param {boolean} deep whether a tap was made already
   * @param {...HTMLElement} parts
   */
  #fill(words, deep, ...parts) {
    const inside = document.activeElement !== null && find("entry", HTMLElement).contains(document.activeElement);
    title.textContent = words;
    back.dataset.deep = deep ? "yes" : "no";
    find("entry", HTMLElement).classList.toggle("deep", deep);
    back.hidden = !deep && this.#start === "";
    back.textContent = deep ? "Back" : "Leave it";
    body.replaceChildren(...parts);
    if (inside && !(document.activeElement instanceof HTMLInputElement)) {
      title.focus({ preventScroll: true });
    }
    const box = find("entry", HTMLElement).getBoundingClientRect();
    if (deep && (box.top < 0 || box.bottom > innerHeight)) {
      find("entry", HTMLElement).scrollIntoView({ block: "start" });
    }
  }

  /**
   * @param {Question} question
   * @returns {HTMLElement[]}
   */
  #answers(question) {
    const { name, kind, least, most, left } = question;
    const codes = Object.keys(left);
    if (kind === "who") {
      const middle = question.may_begin_in_the_middle && this.#start === "" ? [bigButton("The game has begun", () => this.enter("middle"), "enter how it stands")] : [];
      return [html("div", { class: "choices" }, bigButton("I do", () => this.enter("me")), bigButton("The opponent", () => this.enter("opponent")), ...middle)];
    }
    if (kind === "card") {
      return oneCard(codes, (code) => this.enter(code));
    }
    if (kind === "colour") {
      return [colourButtons(question.colours, (colour) => this.enter(colour))];
    }
    if (kind === "cards") {
      const done = (/** @type {string[]} */ picked) => this.enter(picked.length === 0 ? "none" : picked.join(" "));
      return severalCards({ codes, there: () => left, least, most, none: "None that I know", done });
    }
    return this.#numberAnswer(question, name === "pile");
  }

  /**
   * @param {Question} question
   * @param {boolean} pile whether played cards can be counted instead of the draw pile
   * @returns {HTMLElement[]}
   */
  #numberAnswer(question, pile) {
    const number = stepper(question.words, question, (value) => this.enter(String(value)));
    if (!pile) {
      return [number.field];
    }
    const bounds = { least: 1, most: question.most + 1, usual: 1 };
    const played = stepper("How many were played, with the top card", bounds, (value) => this.enter(`played ${value}`));
    return [html("h3", {}, "In the draw pile"), number.field, html("h3", {}, "Or played, with the top card"), played.field];
  }

  // --- moves --------------------------------------------------------------------------------------------------

  /**
   * @param {View} view
   * @param {Offers} offers
   * @returns {HTMLElement[]}
   */
  #ownMoves(view, offers) {
    /** @type {Map<string, string[]>} */
    const byCard = new Map();
    for (const action of view.legal) {
      const code = cardOfAction(action)?.code ?? action;
      byCard.set(code, [...(byCard.get(code) ?? []), action]);
    }
    const moves = [...byCard].map(([code, actions]) => {
      const card = cardOfAction(code);
      const words = card === null ? deedWords(code, view) : cardWords(code);
      const picture = card !== null ? cardSvg(code, { small: true, hidden: true }) : code === "keep" && view.drawn !== null ? cardSvg(view.drawn, { small: true, hidden: true }) : backSvg({ small: true, hidden: true });
      const button = html(
        "button",
        { type: "button", class: "move", "data-actions": actions.join(" "), "data-key": code },
        html("span", { class: "picture", "aria-hidden": "true" }, picture),
        html("span", { class: "name" }, words),
        html("span", { class: "bar", "aria-hidden": "true" }, html("span", { class: "fill" })),
        html("span", { class: "worth" }),
      );
      button.addEventListener("click", () => this.#own(code, actions, view, offers));
      return button;
    });
    return [html("div", { class: "own-moves" }, ...moves), ...this.#forgotten(view, offers)];
  }

  /**
   * @param {string} code a card, or draw, keep, challenge
   * @param {string[]} actions
   * @param {View} view
   * @param {Offers} offers
   */
  #own(code, actions, view, offers) {
    if (code === "draw") {
      this.#drawn(view, offers);
    } else if (code === "challenge") {
      this.#challenge(view, offers);
    } else if (offers.swaps.includes(code)) {
      this.#hand(`Which ${countOf(offers.got, "card")} did you get?`, offers.got, offers.left, (cards) => this.enter(`${code} got ${cards}`));
    } else if (actions.length > 1) {
      const worth = (/** @type {string} */ name) => {
        const value = this.#candidates.find((one) => one.action === `${code}:${letterOf(name)}`)?.value ?? null;
        return value === null ? "" : percent(value);
      };
      this.#fill("Which colour did you choose?", true, colourButtons(offers.colours, (name) => this.enter(`${code}:${letterOf(name)}`), worth));
    } else {
      this.enter(actions[0]);
    }
  }

  /**
   * @param {View} view
   * @param {Offers} offers
   * @returns {HTMLElement[]}
   */
  #theirMoves(view, offers) {
    const theirs = offers.theirs;
    if (theirs === null) {
      return [];
    }
    const drew = offers.draw.until ? "Drew until one fitted" : `Drew ${drawnWords(view)}`;
    const deeds = [
      ...(theirs.challenge ? [deed("challenge", "Challenged my +4", () => this.#challenged(view, offers))] : []),
      ...(theirs.keep ? [deed("keep", "Kept the card", () => this.enter("keep"))] : []),
      ...(theirs.deciding ? [] : [this.#drew(drew, theirs.draw, offers)]),
    ];
    const fitting = Object.entries(theirs.cards);
    const likely = fitting.filter(([, chance]) => chance > 0).map(([code]) => code);
    const others = Object.keys(offers.left).filter((code) => !likely.includes(code));
    const choose = (/** @type {string} */ code) => this.#theirCard(code, offers);
    const folded = { title: theirs.deciding ? "Played the card that they drew" : "Played a card", folded: others, rest: "does not fit, by what was entered" };
    return [html("div", { class: "choices" }, ...deeds), ...oneCard(likely, choose, folded), ...this.#forgotten(view, offers)];
  }

  /**
   * @param {string} words
   * @param {boolean} may whether it can be, by what was entered
   * @param {Offers} offers
   */
  #drew(words, may, offers) {
    const button = deed("draw", words, () => {
      if (!offers.draw.until) {
        this.enter("draw");
        return;
      }
      const bounds = { least: 1, most: Math.max(1, offers.draw.count), usual: 1 };
      const number = stepper("How many cards the opponent drew", bounds, (value) => this.enter(`draw ${value}`));
      const out = bigButton("The deck ran out first", () => this.enter(`draw ${number.value()} none`), "none of them fitted");
      this.#fill("How many cards until one fitted?", true, number.field, html("div", { class: "choices rare" }, out));
    });
    button.classList.toggle("unlikely", !may);
    if (!may) {
      button.append(" ", html("small", {}, "can’t be, by what was entered"));
    }
    return button;
  }

  /**
   * @param {string} code
   * @param {Offers} offers
   */
  #theirCard(code, offers) {
    if (offers.swaps.includes(code)) {
      const left = less(offers.left, [code]);
      this.#hand(`${cardWords(code)}: which ${countOf(offers.got, "card")} did you get?`, offers.got, left, (cards) => this.enter(`${code} got ${cards}`));
    } else if (code === "W" || code === "W4") {
      this.#fill("Which colour did they choose?", true, colourButtons(offers.colours, (name) => this.enter(`${code}:${letterOf(name)}`)));
    } else {
      this.enter(code);
    }
  }

  // --- further taps -------------------------------------------------------------------------------------------

  /**
   * Asks for a hand or for cards of a known number.
   * @param {string} words
   * @param {number} number
   * @param {Record<string, number>} left
   * @param {(cards: string) => void} done
   */
  #hand(words, number, left, done) {
    const codes = Object.keys(left);
    if (number === 1) {
      this.#fill(words, true, ...oneCard(codes, done));
      return;
    }
    const several = { codes, there: () => left, least: number, most: number, none: "", done: (/** @type {string[]} */ picked) => done(picked.join(" ")) };
    this.#fill(words, true, ...severalCards(several));
  }

  /**
   * Asks for the cards that the person drew.
   * @param {View} view
   * @param {Offers} offers
   */
  #drawn(view, offers) {
    const { count, until, ends } = offers.draw;
    if (count === 0) {
      this.enter("draw");
    } else if (!until) {
      this.#hand(count === 1 ? "Which card did you draw?" : `Which ${count} cards did you draw?`, count, drawable(view, offers, count), (cards) => this.enter(`draw ${cards}`));
    } else {
      const done = (/** @type {string[]} */ picked) => this.enter(`draw ${picked.join(" ")}`);
      const there = (/** @type {string[]} */ picked) => drawable(view, offers, picked.length + 1);
      const codes = Object.keys(drawable(view, offers, count));
      this.#fill("Which cards did you draw, in order, until one fitted?", true, ...severalCards({ codes, there, least: 1, most: count, ends, none: "", done }));
    }
  }

  /**
   * @param {View} view
   * @param {Offers} offers
   */
  #challenge(view, offers) {
    const challenge = offers.challenge;
    if (challenge === null) {
      return;
    }
    this.#hand(`Which ${countOf(view.opponent_size, "card")} did they show?`, view.opponent_size, offers.left, (shown) => {
      const lied = shown.split(" ").some((code) => code[0] === letterOf(challenge.colour) && code.length > 1);
      if (lied || challenge.wrong === 0) {
        this.enter(`challenge shows ${shown}`);
        return;
      }
      const left = less(drawable(view, offers, challenge.wrong), shown.split(" "));
      const words = `No ${challenge.colour} in it: which ${challenge.wrong} cards did you draw?`;
      this.#hand(words, challenge.wrong, left, (cards) => this.enter(`challenge shows ${shown} draw ${cards}`));
    });
  }

  /**
   * @param {View} view
   * @param {Offers} offers
   */
  #challenged(view, offers) {
    const challenge = offers.challenge;
    if (challenge === null || !challenge.own_lie || challenge.right === 0) {
      this.enter("challenge");
      return;
    }
    const words = `You hold ${challenge.colour}: which ${challenge.right} cards did you draw?`;
    this.#hand(words, challenge.right, drawable(view, offers, challenge.right), (cards) => this.enter(`challenge draw ${cards}`));
  }

  /**
   * @param {View} view
   * @param {Offers} offers
   * @returns {HTMLElement[]}
   */
  #forgotten(view, offers) {
    const { me, opponent } = offers.forgot;
    const buttons = [];
    if (me !== null) {
      buttons.push(bigButton("I forgot to say UNO", () => {
        if (me === 0) {
          this.enter("me forgot uno");
        } else {
          this.#hand(`Which ${countOf(me, "card")} did you draw for it?`, me, drawable(view, offers, me), (cards) => this.enter(`me forgot uno ${cards}`));
        }
      }));
    }
    if (opponent !== null) {
      buttons.push(bigButton("They forgot to say UNO", () => this.enter("opponent forgot uno"), `and drew ${opponent}`));
    }
    return buttons.length === 0 ? [] : [html("div", { class: "choices rare" }, ...buttons)];
  }
}

/**
 * Returns a button for something that is no card.
 * @param {string} key
 * @param {string} words
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
function deed(key, words, act) {
  const button = bigButton(words, act);
  button.dataset.key = key;
  return button;
}
