// A small Markdown subset as nodes: paragraphs, headings, lists, quotations, code, emphasis and http(s) links.
// Whatever else stands in a model's text stays text. Nothing here makes markup out of a string.

import { html, plain } from "./ui.js";
import { useMemo } from "./vendor/hooks.js";

const MOST = 60_000;
const LINK = /\[([^[\]\n]{1,400})\]\((https?:\/\/[^\s()<>"']{1,2000})\)/u;
const BARE = /https?:\/\/[^\s<>"'()[\]]{1,2000}/u;
const INLINE = new RegExp(
  `(?<code>\`[^\`\\n]{1,2000}\`)|(?<strong>\\*\\*[^*\\n]{1,2000}\\*\\*)|(?<em>(?<![\\w*])\\*[^*\\s][^*\\n]{0,2000}\\*(?![\\w*]))` +
    `|(?<link>${LINK.source})|(?<bare>${BARE.source})`,
  "gu",
);

/**
 * Text of anybody's, as nodes.
 * @param {{ text: string }} props
 */
export function Markdown({ text }) {
  return useMemo(() => {
    const shown = plain(text);
    const cut = shown.length > MOST && html`<p class="quiet">(cut here: ${shown.length} characters in all)</p>`;
    return html`<div class="prose" dir="auto">${blocks(shown.slice(0, MOST))}${cut}</div>`;
  }, [text]);
}

/**
 * Lines become blocks; a block ends where its kind ends.
 * @param {string} text
 */
export function blocks(text) {
  const lines = text.split("\n");
  const out = [];
  for (let at = 0; at < lines.length; ) {
    const taken = take(lines, at);
    if (taken.node) out.push(taken.node);
    at = taken.next;
  }
  return out;
}

const KINDS = [
  { kind: "rule", test: /^ {0,3}(?:-[- ]{2,60}|\*[* ]{2,60}|_[_ ]{2,60})$/u },
  { kind: "fence", test: /^\s{0,3}(```|~~~)/u },
  { kind: "heading", test: /^\s{0,3}#{1,6}\s+\S/u },
  { kind: "quote", test: /^\s{0,3}>/u },
  { kind: "bullets", test: /^\s{0,6}[-*+•]\s+\S/u },
  { kind: "numbers", test: /^\s{0,6}\d{1,4}[.)]\s+\S/u },
  { kind: "blank", test: /^\s*$/u },
];

function kindOf(line) {
  return KINDS.find(({ test }) => test.test(line))?.kind ?? "words";
}

function take(lines, at) {
  const kind = kindOf(lines[at]);
  if (kind === "blank") return { node: null, next: at + 1 };
  if (kind === "rule") return { node: html`<hr />`, next: at + 1 };
  if (kind === "heading") {
    return { node: html`<p class="head"><strong>${inline(lines[at].replace(/^\s*#+\s+/u, ""))}</strong></p>`, next: at + 1 };
  }
  if (kind === "fence") return takeFence(lines, at);
  let next = at + 1;
  while (next < lines.length && kindOf(lines[next]) === kind) next += 1;
  return { node: blockOf(kind, lines.slice(at, next)), next };
}

function takeFence(lines, at) {
  const mark = lines[at].trim().slice(0, 3);
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(mark)) end += 1;
  return { node: html`<pre tabindex="0"><code>${lines.slice(at + 1, end).join("\n")}</code></pre>`, next: end + 1 };
}

function blockOf(kind, lines) {
  if (kind === "quote") return html`<blockquote>${inlineLines(lines.map((line) => line.replace(/^\s*>\s?/u, "")))}</blockquote>`;
  if (kind === "bullets") {
    return html`<ul>
      ${lines.map((line) => html`<li>${inline(line.replace(/^\s*[-*+•]\s+/u, ""))}</li>`)}
    </ul>`;
  }
  if (kind === "numbers") {
    return html`<ol>
      ${lines.map((line) => html`<li>${inline(line.replace(/^\s*\d+[.)]\s+/u, ""))}</li>`)}
    </ol>`;
  }
  return html`<p>${inlineLines(lines)}</p>`;
}

function inlineLines(lines) {
  return lines.flatMap((line, at) => (at ? [html`<br />`, ...inline(line)] : inline(line)));
}

/**
 * Emphasis, code and links within a line.
 * @param {string} line
 */
export function inline(line) {
  const out = [];
  let at = 0;
  for (const found of line.matchAll(INLINE)) {
    if (found.index > at) out.push(line.slice(at, found.index));
    out.push(piece(found));
    at = found.index + found[0].length;
  }
  if (at < line.length) out.push(line.slice(at));
  return out;
}

function piece(found) {
  const { code, strong, em, link } = found.groups;
  if (code) return html`<code>${code.slice(1, -1)}</code>`;
  if (strong) return html`<strong>${strong.slice(2, -2)}</strong>`;
  if (em) return html`<em>${em.slice(1, -1)}</em>`;
  if (link) {
    const [, words, address] = link.match(LINK) ?? [];
    return html`<${Link} address=${address} words=${words} />`;
  }
  return html`<${Link} address=${found[0]} words=${found[0]} />`;
}

/**
 * A link that can go nowhere but to an http(s) address, and says to which host if its words do not.
 * @param {{ address: string, words?: string }} props
 */
export function Link({ address, words = "" }) {
  const url = webAddress(address);
  if (!url) return plain(words || address);
  const label = plain(words || address);
  const told = label === plain(address) ? "" : ` (${url.host})`;
  return html`<a href=${url.href} target="_blank" rel="noopener noreferrer nofollow"><bdi>${label}</bdi></a>${told}`;
}

/**
 * @param {unknown} address
 * @returns {URL | null}
 */
export function webAddress(address) {
  try {
    const url = new URL(String(address));
    return (url.protocol === "https:" || url.protocol === "http:") && !url.username && !url.password ? url : null;
  } catch {
    return null;
  }
}
