// What to set instead: a button where the form has that field and the value is whole, words elsewhere.

import { html, plain } from "./ui.js";

/** @typedef {{ setting: string, value: string, wish: string }} Suggestion */

const ON_THE_FORM = new Set(["protocol", "allow_partial"]);
const PLACEHOLDER = /^$|[A-Z]{4,}|…/u;

/**
 * @param {{ suggestion: Suggestion, onSuggest?: (setting: string, value: string) => void }} props
 */
export function SuggestionControl({ suggestion, onSuggest }) {
  const { setting, wish } = suggestion;
  const value = setting === "allow_partial" ? "true" : suggestion.value;
  const words = wish ? plain(wish[0].toUpperCase() + wish.slice(1)) : `Set ${named(setting)}`;
  if (onSuggest && ON_THE_FORM.has(setting) && !PLACEHOLDER.test(value)) {
    return html`<button type="button" class="suggestion" onClick=${() => onSuggest(setting, value)}>${words}: ${named(setting)}${setting === "protocol" ? ` ${plain(value)}` : ""}</button>`;
  }
  return html`<span>${words}: ${named(setting)}${suggestion.value ? ` ${plain(suggestion.value)}` : ""}</span>`;
}

function named(setting) {
  return plain(setting).replaceAll("_", " ").replace(".", ": ");
}
