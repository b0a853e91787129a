// `<uno-hand>`: the cards in one's hand. A card is chosen by arrow keys and played by Enter, a click, or by being
// dragged onto the pile; whoever listens to its event "play" hears which.

import { cardSvg, cardWords } from "./cards.js";
import { html } from "./elements.js";

/** Pixels that a pointer has to move before a click is a drag. */
const DRAGGED = 8;
/** Of a card that others cover, the least that stays free, in pixels. */
const LEAST_STEP = 44;

export class UnoHand extends HTMLElement {
  /** @type {string[]} */
  #codes = [];
  #chosen = 0;
  #drawnUp = "";
  #resized = new ResizeObserver(() => this.#spread());
  /** @type {Element | null} where a card is dragged to */
  target = null;

  connectedCallback() {
    this.#resized.observe(this);
    this.addEventListener("focusin", (event) => {
      const at = this.buttons.findIndex((each) => each === event.target);
      if (at >= 0) {
        this.#choose(at);
      }
    });
  }

  disconnectedCallback() {
    this.#resized.disconnect();
  }

  /**
   * The cards as buttons.
   * @returns {HTMLButtonElement[]}
   */
  get buttons() {
    return /** @type {HTMLButtonElement[]} */ ([...this.children]);
  }

  /**
   * Shows a hand.
   * @param {string[]} codes
   * @param {Set<string>} playable
   * @param {string | null} drawn the card that was just drawn, if it may be played or kept
   */
  show(codes, playable, drawn) {
    const picture = JSON.stringify([codes, [...playable], drawn]);
    if (picture === this.#drawnUp) {
      return;
    }
    this.#drawnUp = picture;
    const focused = this.contains(document.activeElement);
    const before = this.#codes[this.#chosen];
    const mark = drawn === null ? -1 : codes.lastIndexOf(drawn);
    this.#codes = [...codes];
    this.replaceChildren(...codes.map((code, at) => this.#button(code, playable.has(code), at === mark)));
    this.setAttribute("aria-label", `Your hand, ${codes.length} ${codes.length === 1 ? "card" : "cards"}`);
    this.#choose(this.#nextChoice(before, playable));
    this.#spread();
    if (focused) {
      this.focusChosen();
    }
  }

  /**
   * Returns which card is chosen now: the same, if it can be played, else the next that can.
   * @param {string | undefined} before
   * @param {Set<string>} playable
   * @returns {number}
   */
  #nextChoice(before, playable) {
    const same =
      before !== undefined && this.#codes[this.#chosen] !== before ? this.#codes.indexOf(before) : this.#chosen;
    const near = Math.min(Math.max(same, 0), Math.max(this.#codes.length - 1, 0));
    if (playable.size === 0 || playable.has(this.#codes[near])) {
      return near;
    }
    const after = this.#codes.findIndex((code, at) => at > near && playable.has(code));
    return after >= 0 ? after : this.#codes.findIndex((code) => playable.has(code));
  }

  /**
   * Returns the button of a card.
   * @param {string} code
   * @param {boolean} playable
   * @param {boolean} drawn
   * @returns {HTMLButtonElement}
   */
  #button(code, playable, drawn) {
    const words = [cardWords(code), ...(drawn ? ["just drawn"] : []), ...(playable ? ["playable"] : [])].join(", ");
    const button = html("button", {
      type: "button",
      class: "hand-card",
      "aria-label": words,
      title: words,
      tabindex: -1,
    });
    button.dataset.code = code;
    button.classList.toggle("playable", playable);
    button.classList.toggle("drawn", drawn);
    if (!playable) {
      button.setAttribute("aria-disabled", "true");
    }
    button.append(cardSvg(code, { playable, hidden: true }));
    if (playable) {
      button.append(html("span", { class: "mark", "aria-hidden": "true" }, "▲"));
    }
    button.addEventListener("click", (event) => {
      if (event.detail === 0 || !this.#justDragged) {
        this.#play(button);
      }
    });
    button.addEventListener("pointerdown", (event) => this.#grab(button, event));
    return button;
  }

  /** @param {HTMLButtonElement} button */
  #play(button) {
    this.#choose(this.buttons.indexOf(button));
    const code = button.dataset.code ?? "";
    const playable = button.classList.contains("playable");
    this.dispatchEvent(new CustomEvent("play", { detail: { code, playable }, bubbles: true }));
  }

  /**
   * Marks the card that a coach would play.
   * @param {string | null} code
   */
  markBest(code) {
    const best = code === null ? undefined : this.buttons.find((button) => button.dataset.code === code);
    for (const button of this.buttons) {
      button.classList.toggle("best", button === best);
    }
  }

  // --- by keyboard -----------------------------------------------------------------------------------------------

  /** @param {number} at */
  #choose(at) {
    this.#chosen = Math.max(at, 0);
    this.buttons.forEach((button, place) => {
      button.tabIndex = place === this.#chosen ? 0 : -1;
    });
  }

  /**
   * Chooses the card that lies so many places further, and focuses it.
   * @param {number} step
   */
  move(step) {
    const count = this.#codes.length;
    if (count > 0) {
      const inside = this.contains(document.activeElement);
      this.#choose(inside ? (this.#chosen + step + count) % count : this.#chosen);
      this.focusChosen();
    }
  }

  /** Focuses the chosen card. */
  focusChosen() {
    this.buttons[this.#chosen]?.focus({ preventScroll: false });
  }

  /** Returns where the chosen card lies, to let it fly from there. */
  chosenPlace() {
    return this.buttons[this.#chosen]?.getBoundingClientRect() ?? null;
  }

  // --- by dragging -----------------------------------------------------------------------------------------------

  #justDragged = false;

  /**
   * Follows a pointer that may become a drag.
   * @param {HTMLButtonElement} button
   * @param {PointerEvent} start
   */
  #grab(button, start) {
    this.#justDragged = false;
    if (start.button !== 0 || !button.classList.contains("playable")) {
      return;
    }
    const end = new AbortController();
    let dragged = false;
    /** @param {PointerEvent} event */
    const follow = (event) => {
      const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY];
      if (!dragged && Math.hypot(x, y) > DRAGGED) {
        dragged = true;
        this.#justDragged = true;
        button.setPointerCapture(event.pointerId);
        button.classList.add("dragged");
      }
      if (dragged) {
        button.style.transform = `translate(${x}px, ${y}px) rotate(${Math.max(-8, Math.min(8, x / 20))}deg)`;
        this.target?.classList.toggle("over", this.#above(button));
      }
    };
    /** @param {boolean} dropped */
    const finish = (dropped) => {
      end.abort();
      const hit = dropped && dragged && this.#above(button);
      this.target?.classList.remove("over");
      if (hit) {
        this.#play(button);
      }
      button.classList.remove("dragged");
      button.style.transform = "";
    };
    const { signal } = end;
    addEventListener("pointermove", follow, { signal });
    addEventListener("pointerup", () => finish(true), { signal });
    addEventListener("pointercancel", () => finish(false), { signal });
  }

  /**
   * Returns whether a card lies on the target.
   * @param {HTMLElement} button
   * @returns {boolean}
   */
  #above(button) {
    if (this.target === null) {
      return false;
    }
    const [card, pile] = [button.getBoundingClientRect(), this.target.getBoundingClientRect()];
    return card.left < pile.right && card.right > pile.left && card.top < pile.bottom && card.bottom > pile.top;
  }

  // --- side by side ----------------------------------------------------------------------------------------------

  /** Lets cards overlap where they are many, in rows of the same length; enough of each stays free to be hit. */
  #spread() {
    const first = this.buttons[0];
    if (first === undefined || this.clientWidth === 0) {
      return;
    }
    const [room, count] = [Math.floor(this.getBoundingClientRect().width), this.#codes.length];
    const width = Number.parseFloat(getComputedStyle(first).width); // not always whole pixels
    const least = Math.max(LEAST_STEP, width / 2 + 4);
    const most = Math.max(1, Math.floor((room - width) / least) + 1);
    const inRow = Math.ceil(count / Math.ceil(count / most));
    const step = Math.floor(Math.min((room - width) / Math.max(inRow - 1, 1), (room - 1) / inRow, width + 8));
    const middle = Math.floor((room - width - (inRow - 1) * step) / 2);
    const left = Math.max(0, Math.min(middle, room - inRow * step - 1)); // the last card's margin needs its place too
    this.style.setProperty("--overlap", `${(step - width).toFixed(2)}px`);
    this.style.setProperty("--left", `${left}px`);
    this.style.setProperty("--right", `${Math.max(0, room - left - inRow * step - 1)}px`);
  }
}

if (customElements.get("uno-hand") === undefined) {
  customElements.define("uno-hand", UnoHand);
}
