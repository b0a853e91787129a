// The stream of a game's events. It comes back by itself when the server was away, and rests while nobody looks: a
// browser has only a few connections for all tabs together.

import { ask, Refusal } from "./api.js";

/** Milliseconds until the next attempt, where the browser has given up. */
const AGAIN = 2000;
/** Milliseconds until a person is told that the server is away: most losses are shorter. */
const SOON = 700;

/**
 * @typedef {object} Listener
 * @property {(state: any, first: boolean) => void} state a state of the session's kind; `first` after a connection
 * @property {(analysis: import("./api.js").Analysis) => void} analysis
 * @property {(away: boolean) => void} away called when the server is lost, and when it is found again
 */

/** A connection to the events of one game. */
export class Connection {
  /** @type {EventSource | null} */
  #source = null;
  #timer = 0;
  #first = true;

  /**
   * @param {string} base the address of the game, such as /api/play/TOKEN
   * @param {Listener} listener
   */
  constructor(base, listener) {
    this.base = base;
    this.listener = listener;
    document.addEventListener("visibilitychange", () => this.#look());
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", () => this.#look());
    this.#look();
  }

  /** Opens the stream if somebody looks at the page, closes it if nobody does. */
  #look() {
    if (document.visibilityState === "hidden") {
      this.#close();
    } else if (this.#source === null) {
      this.#open();
    }
  }

  #open() {
    this.#close();
    const source = new EventSource(`${this.base}/events`);
    this.#source = source;
    this.#first = true;
    source.addEventListener("open", () => {
      clearTimeout(this.#timer);
      this.#first = true;
      this.listener.away(false);
    });
    source.addEventListener("state", (event) => {
      this.listener.state(JSON.parse(event.data), this.#first);
      this.#first = false;
    });
    source.addEventListener("analysis", (event) => this.listener.analysis(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) {
        this.#close();
        void this.#check();
      } else {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.listener.away(true), SOON);
      }
    });
  }

  /**
   * Asks why there is no stream: the server may be away, or the game, which has a page of its own; else the page is
   * kept up to date by asking.
   */
  async #check() {
    try {
      this.listener.state(await ask(this.base), true);
      this.listener.away(false);
    } catch (error) {
      if (error instanceof Refusal && (error.kind === "not_found" || error.kind === "gone")) {
        location.reload();
        return;
      }
      this.listener.away(true);
    }
    this.#timer = setTimeout(() => this.#look(), AGAIN);
  }

  #close() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }
}
