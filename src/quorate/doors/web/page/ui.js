// What every part of the page is made with: the template tag, text made visible, numbers and outcomes in words.

import { h } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

/** Markup as nodes; there is no innerHTML anywhere on the page, so nobody's text is ever parsed as markup. */
export const html = htm.bind(h);

// Characters that steer or hide: C0 and C1 but tab and newline, joiners, directions, separators, tags, lone halves.
const STEERING = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2" +
    "\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
    "\\ufe00-\\ufe0d\\ufeff\\ufff0-\\ufffb\\u{110bd}\\u{110cd}\\u{13430}-\\u{1345f}\\u{1bca0}-\\u{1bca3}" +
    "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\ud800-\\udfff]",
  "gu",
);

/**
 * Anybody's text as it may be shown: what steers or hides is written out as an escape.
 * @param {unknown} text
 * @returns {string}
 */
export function plain(text) {
  return String(text ?? "")
    .replaceAll("\r\n", "\n")
    .replace(STEERING, (one) => "\\u" + (one.codePointAt(0) ?? 0).toString(16).padStart(4, "0"));
}

/**
 * The same in one line, cut after `most` characters.
 * @param {unknown} text
 * @param {number} [most]
 */
export function oneLine(text, most = 0) {
  const line = plain(text).split(/\s+/u).filter(Boolean).join(" ");
  return !most || line.length <= most ? line : line.slice(0, most - 1) + "…";
}

/**
 * A share as people write it: 66.7 %.
 * @param {number | null | undefined} value
 */
export function percent(value) {
  return value === null || value === undefined ? "unknown" : `${Number((value * 100).toFixed(1))} %`;
}

/**
 * What an argument or a side weighs, to two places.
 * @param {number | null | undefined} value
 */
export function strength(value) {
  return value === null || value === undefined ? "not counted" : value.toFixed(2);
}

/**
 * How many of what: 1 seat, 2 seats.
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Seconds as people say them.
 * @param {number} seconds
 */
export function duration(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const MEANINGS = new Map([
  ["ACT", ["act", "✓"]],
  ["WARN", ["warn", "!"]],
  ["REFUSE", ["refuse", "✕"]],
]);

/**
 * What an outcome means by colour, and the sign that says the same without it. Only the gate's three have a colour.
 * @param {string | null | undefined} outcome
 * @returns {{ tone: string, sign: string }}
 */
export function meaning(outcome) {
  const [tone, sign] = MEANINGS.get(String(outcome ?? "").toUpperCase()) ?? ["plain", "●"];
  return { tone, sign };
}

/**
 * An outcome or a position as a chip: sign, word and colour.
 * @param {{ choice: string, veto?: boolean, abstain?: boolean, note?: string }} props
 */
export function Chip({ choice, veto = false, abstain = false, note = "" }) {
  const { tone, sign } = abstain ? { tone: "plain", sign: "–" } : meaning(choice);
  const words = abstain ? "abstains" : veto ? `veto: ${oneLine(choice, 120)}` : oneLine(choice, 120);
  return html`<span class="chip ${tone}"
    ><span class="sign" aria-hidden="true">${sign}</span> <bdi>${words}</bdi>${note && html`<span class="note">${note}</span>`}</span
  >`;
}

/**
 * A vote in words: its choice, and how sure.
 * @param {{ vote: any }} props
 */
export function Position({ vote }) {
  return html`<${Chip} choice=${vote.choice} veto=${vote.veto} abstain=${vote.abstain} note=${vote.numbers} />`;
}

/**
 * A seat's initials, for places too small for its name.
 * @param {string} name
 */
export function initials(name) {
  const words = oneLine(name).split(" ").filter(Boolean);
  const letters = words.length > 1 ? words.map((word) => [...word][0]) : [...(words[0] ?? "?")].slice(0, 2);
  return letters.slice(0, 3).join("");
}
