// The server's answers as types, and how it is asked: JSON there and back, a refusal as one sentence.

import { asSentence } from "./words.js";

/**
 * @typedef {object} Move
 * @property {number} number
 * @property {"you" | "opponent" | null} by
 * @property {string} words
 * @property {string | null} action
 * @property {[number, number]} sizes own hand first
 * @property {Challenge | null} [challenge] what it brought to light, where it was a challenge
 *
 * @typedef {object} Challenge
 * @property {boolean} right whether the hand held the colour
 * @property {string} colour the colour before the +4
 * @property {string[]} hand the hand that was shown
 * @property {number} drawn how many cards were drawn for it
 *
 * @typedef {object} Result
 * @property {"you" | "opponent" | null} winner
 * @property {string} words
 * @property {number | null} points
 * @property {[number, number] | null} score
 * @property {boolean} next_round
 *
 * @typedef {object} After
 * @property {string[]} opponent_hand
 * @property {{number: number, luck: number}[]} luck
 * @property {number[]} open_graph
 *
 * @typedef {object} PlayState
 * @property {number} version
 * @property {number} number
 * @property {string} rules
 * @property {1 | 2} you
 * @property {string} opponent
 * @property {boolean} practice
 * @property {boolean} coach
 * @property {{to: number, round: number, score: [number, number]} | null} match
 * @property {"yours" | "thinking" | "preparing" | "over" | "failed"} status
 * @property {string} trouble
 * @property {string} [waiting] why the person waits, and about how long
 * @property {string[]} hand
 * @property {string[]} legal
 * @property {string | null} drawn
 * @property {number} opponent_size
 * @property {number} draw_size
 * @property {number} played_size
 * @property {string | null} top null before the deal
 * @property {string | null} colour null before the deal
 * @property {number} debt
 * @property {string | null} challenge
 * @property {string} sentence
 * @property {string} debt_words
 * @property {Move[]} moves
 * @property {Result | null} result
 * @property {After | null} after
 *
 * @typedef {object} Candidate
 * @property {string} action
 * @property {number | null} value null for a move that was not weighed
 * @property {number | null} error
 * @property {number | null} simulations
 * @property {number | null} prior
 * @property {string | null} note
 * @property {string} words
 *
 * @typedef {object} Belief
 * @property {Record<string, number>} cards
 * @property {Record<string, number>} expected
 * @property {Record<string, number>} colours
 * @property {number | null} nothing_playable
 * @property {string} [about]
 *
 * @typedef {object} Analysis
 * @property {number} number
 * @property {boolean} done
 * @property {string} coach
 * @property {number | null} win
 * @property {Candidate[]} candidates
 * @property {string[]} line
 * @property {string} note
 * @property {import("./words.js").Lie | null} lie
 * @property {{exact: Belief | null, aware: Belief | null} | null} belief
 * @property {{number: number, win: number | null}[]} graph
 *
 * @typedef {object} Options
 * @property {{name: string, summary: string, words: {about: string, words: string}[], opponent: string, coach: string}[]} rules
 * @property {{name: string, summary: string, rules: string[]}[]} opponents
 * @property {{name: string, summary: string, rules: string[]}[]} coaches
 * @property {string} coach
 */

/** A request that was refused, or never arrived: `kind` is "away" then. */
export class Refusal extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Sends a request and returns the answer; raises a Refusal.
 * @param {string} path
 * @param {unknown} [body] sent as JSON by POST; without one the request is a GET
 * @returns {Promise<Response>}
 */
async function request(path, body) {
  /** @type {RequestInit} */
  const options = { cache: "no-store" };
  if (body !== undefined) {
    Object.assign(options, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refusal("away", "The server does not answer.");
  }
  if (!answer.ok) {
    throw await refusalOf(answer);
  }
  return answer;
}

/**
 * Returns why a request was refused.
 * @param {Response} answer
 * @returns {Promise<Refusal>}
 */
async function refusalOf(answer) {
  try {
    const { error } = await answer.json();
    return new Refusal(String(error.kind), asSentence(String(error.message)));
  } catch {
    return new Refusal("unknown", `The server answered ${answer.status}.`);
  }
}

/**
 * Returns the JSON that a request is answered with.
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function ask(path, body) {
  const answer = await request(path, body);
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
}

/**
 * Returns the text that a request is answered with.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function askText(path) {
  return (await request(path)).text();
}
