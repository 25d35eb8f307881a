// The views, by the first word of the address after `#/`. To add one: write a component that gets `{ params }` (the
// other words of the address) and register it here. `menu` is its name in the menu, empty where it stands in none.

import { Compare } from "./compare.js";
import { Deliberation } from "./deliberation.js";
import { History } from "./history.js";
import { Memory } from "./memory.js";
import { Report } from "./report.js";
import { Reviews } from "./reviews.js";
import { Start } from "./start.js";

/** @typedef {{ path: string, title: string, menu: string, view: any }} Route */

/** @type {Route[]} */
export const routes = [
  { path: "", title: "quorate", menu: "", view: Start },
  { path: "new", title: "New question", menu: "Ask", view: Start },
  { path: "d", title: "Deliberation", menu: "", view: Deliberation },
  { path: "history", title: "History", menu: "History", view: History },
  { path: "reviews", title: "What awaits a person", menu: "Reviews", view: Reviews },
  { path: "report", title: "Report", menu: "Report", view: Report },
  { path: "memory", title: "Earlier decisions", menu: "Memory", view: Memory },
  { path: "compare", title: "Compare", menu: "", view: Compare },
];

/**
 * The route of an address, and what else stands in it.
 * @param {string} hash
 * @returns {{ route: Route | undefined, params: string[] }}
 */
export function routeOf(hash) {
  const [path = "", ...params] = hash.replace(/^#\/?/u, "").split("/").map(decoded);
  return { route: routes.find((one) => one.path === path), params };
}

function decoded(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
