// The real tables of this browser, so that one can be gone on with.

import { keep, kept } from "./storage.js";

/** How many are remembered. */
const MOST = 6;

/** @typedef {{token: string, rules: string, words: string}} KeptTable */

/**
 * Returns the tables that are remembered, the latest first.
 * @returns {KeptTable[]}
 */
export function keptTables() {
  const found = kept("tables");
  return Array.isArray(found) ? found.filter((each) => typeof each?.token === "string" && /^[\w-]+$/.test(each.token)) : [];
}

/**
 * Remembers a table, or forgets one whose game is over.
 * @param {KeptTable} table
 * @param {boolean} over
 */
export function keepTable(table, over) {
  forgetTable(table.token);
  if (!over) {
    keep("tables", [table, ...keptTables()].slice(0, MOST));
  }
}

/**
 * Forgets a table.
 * @param {string} token
 */
export function forgetTable(token) {
  keep(
    "tables",
    keptTables().filter((each) => each.token !== token),
  );
}
