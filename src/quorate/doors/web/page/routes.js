// The views, by the first word of the address after `#/`. To add one: write a component that gets `{ params }` (the
// other words of the address) and register it here. `menu` is its name in the menu, empty where it stands in none.

import { Deliberation } from "./deliberation.js";
import { html } from "./ui.js";

/** @typedef {{ path: string, title: string, menu: string, view: any }} Route */

function Home() {
  return html`<section class="home"><h1>Put a question to a panel</h1>
    <p class="because">Models argue, then vote. Rules anyone can read decide.</p>
    <p class="quiet">Ask one in a terminal: <code>quorate ask --open "Should we delete the staging database?"</code></p></section>`;
}

/** @type {Route[]} */
export const routes = [
  { path: "", title: "quorate", menu: "", view: Home },
  { path: "d", title: "Deliberation", menu: "", view: Deliberation },
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
