// One deliberation: the question, the verdict first, then the floor, the timeline, what if, and how it went.

import { deliberationPath, follow, get } from "./api.js";
import { Charts } from "./charts.js";
import { Controls } from "./controls.js";
import { Floor } from "./floor.js";
import { fold, keyOf } from "./fold.js";
import { Markdown } from "./markdown.js";
import { MemoryOf } from "./memory.js";
import { parts } from "./parts.js";
import { veil } from "./person.js";
import { useResource } from "./resource.js";
import { Timeline } from "./timeline.js";
import { counted, html, plain } from "./ui.js";
import { useEffect, useMemo, useState } from "./vendor/hooks.js";
import { Verdict } from "./verdict.js";
import { WhatIf } from "./whatif.js";

/**
 * A deliberation as the server tells it, followed while it runs.
 * @param {{ params: string[] }} props
 */
export function Deliberation({ params: [id] }) {
  const [entries, setEntries] = useState(/** @type {any[]} */ ([]));
  const [words, setWords] = useState(/** @type {Map<string, string>} */ (new Map()));
  const [link, setLink] = useState({ up: true, over: false, error: "" });
  const [times, setTimes] = useState(0);
  useEffect(() => {
    setEntries([]);
    setLink({ up: true, over: false, error: "" });
    const bundle = gather((more) => setEntries((before) => [...before, ...more]));
    return follow(id, {
      onEntry: bundle,
      onWords: (one) => setWords((before) => new Map(before).set(keyOf(one), one.text)),
      onEnd: () => setLink({ up: true, over: true, error: "" }),
      onLink: (up) => setLink((before) => ({ ...before, up })),
      onError: (error) => setLink({ up: false, over: true, error: error.message }),
    });
  }, [id, times]);
  if (link.error) return html`<${Problem} message=${link.error} />`;
  if (!entries.length) return html`<p class="quiet loading" role="status">Loading…</p>`;
  return html`${!link.up && html`<p class="banner" role="status">The connection is lost. Trying again; nothing is missed.</p>`}
    <${Record} id=${id} entries=${entries} words=${words} live=${!link.over} served=${true} onResume=${() => setTimes(times + 1)} />`;
}

/** Entries that come in one burst are shown in one go. */
function gather(hand) {
  let held = [];
  return (entry) => {
    held.push(entry);
    if (held.length > 1) return;
    setTimeout(() => {
      hand(held);
      held = [];
    }, 16);
  };
}

function Problem({ message }) {
  return html`<section class="problem"><h2>This cannot be shown</h2><p>${plain(message)}</p><p><a href="#/history">All deliberations</a></p></section>`;
}

/**
 * Entries on the page, whoever has brought them. `served` says whether there is a server to ask.
 * @param {{ id: string, entries: any[], words: Map<string, string>, live: boolean, served: boolean, views?: { [name: string]: any }, onResume?: () => void }} props
 */
export function Record({ id, entries: written, words, live, served, views = {}, onResume = nothing }) {
  const entries = useMemo(() => (served ? veil(written) : written), [written, served]);
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  const state = useMemo(() => fold(at === null ? entries : entries.slice(0, at)), [entries, at]);
  if (!state.convened) return html`<p class="quiet">This record does not begin with a question.</p>`;
  const own = parts.filter((part) => part.fits(state.convened.protocol, state));
  return html`<article class="deliberation">
    <${Question} id=${id} state=${state} served=${served} live=${live} onResume=${onResume} />
    ${served && state.decided && html`<${Check} id=${id} written=${written.length} />`}
    <${Verdict} state=${state} />
    ${own.map((part) => html`<${part.view} key=${part.name} id=${id} state=${state} served=${served} view=${views[part.name]} />`)}
    <${Floor} state=${state} words=${at === null && entries === written ? words : NO_WORDS} />
    <${Charts} state=${state} />
    ${served && at === null && state.decided?.kind === "decided" && html`<${WhatIf} id=${id} state=${state} />`}
    ${served && at === null && state.decided?.kind === "decided" && html`<${MemoryOf} id=${id} />`}
    <${Timeline} entries=${entries} at=${at} onMove=${setAt} live=${live} />
    <${Announcer} state=${at === null ? state : null} />
  </article>`;
}

const NO_WORDS = new Map();

function nothing() {}

function Question({ id, state, served, live, onResume }) {
  const { convened } = state;
  return html`<header class="question">
    <p class="kicker">${kicker(convened)}</p>
    <h1 dir="auto">${plain(convened.question).trim() || "(an empty question)"}</h1>
    ${convened.options.length > 0 && html`<ul class="options" aria-label="Options">${convened.options.map((option) => html`<li key=${option}><bdi>${plain(option)}</bdi></li>`)}</ul>`}
    ${(convened.context || convened.criteria) && html`<details class="context"><summary>Context and criteria</summary>
      ${convened.context && html`<${Markdown} text=${convened.context} />`}${convened.criteria && html`<p class="label quiet">Decision criteria</p><${Markdown} text=${convened.criteria} />`}
    </details>`}
    ${convened.precedents?.length > 0 && html`<details class="context"><summary>${counted(convened.precedents.length, "earlier decision")} shown to the seats as precedent</summary>
      ${convened.precedents.map((one) => html`<p class="label quiet" key=${one.id}>${plain(one.label)} (${one.tier})</p><${Markdown} text=${one.text} />`)}
    </details>`}
    ${served && html`<${Controls} id=${id} state=${state} live=${live} onResume=${onResume} />`}
  </header>`;
}

/** Says before the verdict that it does not follow from what is on record, if that is so: entries are shown as written. */
function Check({ id, written }) {
  const check = useResource(() => get(`${deliberationPath(id)}/verify`), [id, written]);
  const why = check.error || (check.data?.holds === false && `The verdict below does not hold: ${check.data.because ?? check.data.state}`);
  return why ? html`<p class="banner caution" role="alert"><span aria-hidden="true">▲</span> ${plain(why)}</p>` : null;
}

function kicker({ protocol, rulebook, rulebook_origin: origin = "shipped", seats, demo }) {
  const shipped = origin === "shipped";
  const rules = shipped && rulebook === protocol ? "" : `${shipped ? "" : `${origin} `}rulebook ${plain(rulebook)}`;
  const name = plain(protocol);
  return [name[0].toUpperCase() + name.slice(1), counted(seats.length, "seat"), rules, demo && "demonstration"].filter(Boolean).join(" · ");
}

/** Says the verdict aloud, once, when it is reached before the reader's eyes. */
function Announcer({ state }) {
  const verdict = state?.decided?.verdict;
  const said = verdict ? `${verdict.decided ? "Verdict" : "No decision"}: ${plain(verdict.outcome ?? "undecided")}. ${plain(verdict.because)}` : "";
  return html`<div class="visually-hidden" role="status" aria-live="polite">${said}</div>`;
}
