// One deliberation: the question, the verdict first, then the floor, the timeline, what if, and how it went.

import { deliberationPath, follow, request } from "./api.js";
import { Charts } from "./charts.js";
import { Floor } from "./floor.js";
import { fold, keyOf } from "./fold.js";
import { Markdown } from "./markdown.js";
import { parts } from "./parts.js";
import { Timeline } from "./timeline.js";
import { html, plain } from "./ui.js";
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
  useEffect(() => {
    setEntries([]);
    const bundle = gather((more) => setEntries((before) => [...before, ...more]));
    return follow(id, {
      onEntry: bundle,
      onWords: (one) => setWords((before) => new Map(before).set(keyOf(one), one.text)),
      onEnd: () => setLink({ up: true, over: true, error: "" }),
      onLink: (up) => setLink((before) => ({ ...before, up })),
      onError: (error) => setLink({ up: false, over: true, error: error.message }),
    });
  }, [id]);
  if (link.error) return html`<${Problem} message=${link.error} />`;
  if (!entries.length) return html`<p class="quiet loading" role="status">Loading…</p>`;
  return html`${!link.up && html`<p class="banner" role="status">The connection is lost. Trying again; nothing is missed.</p>`}
    <${Record} id=${id} entries=${entries} words=${words} live=${!link.over} served=${true} />`;
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
 * @param {{ id: string, entries: any[], words: Map<string, string>, live: boolean, served: boolean, views?: Record<string, any> }} props
 */
export function Record({ id, entries, words, live, served, views = {} }) {
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  const state = useMemo(() => fold(at === null ? entries : entries.slice(0, at)), [entries, at]);
  if (!state.convened) return html`<p class="quiet">This record does not begin with a question.</p>`;
  const own = parts.filter((part) => part.fits(state.convened.protocol, state));
  return html`<article class="deliberation">
    <${Question} id=${id} state=${state} served=${served} />
    <${Verdict} state=${state} />
    ${own.map((part) => html`<${part.view} key=${part.name} id=${id} state=${state} served=${served} view=${views[part.name]} />`)}
    <${Floor} state=${state} words=${at === null ? words : NO_WORDS} />
    <${Charts} state=${state} />
    ${served && at === null && state.decided?.kind === "decided" && html`<${WhatIf} id=${id} state=${state} />`}
    <${Timeline} entries=${entries} at=${at} onMove=${setAt} live=${live} />
    <${Announcer} state=${at === null ? state : null} />
  </article>`;
}

const NO_WORDS = new Map();

function Question({ id, state, served }) {
  const { convened } = state;
  return html`<header class="question">
    <p class="kicker">${plain(convened.protocol)} · ${plain(convened.rulebook)} rules${convened.demo ? " · demonstration" : ""}</p>
    <h1 dir="auto">${plain(convened.question).trim() || "(an empty question)"}</h1>
    ${convened.options.length > 0 && html`<ul class="options" aria-label="Options">${convened.options.map((option) => html`<li key=${option}><bdi>${plain(option)}</bdi></li>`)}</ul>`}
    ${(convened.context || convened.criteria) && html`<details class="context"><summary>Context and criteria</summary>
      ${convened.context && html`<${Markdown} text=${convened.context} />`}${convened.criteria && html`<p class="label quiet">Decision criteria</p><${Markdown} text=${convened.criteria} />`}
    </details>`}
    ${served && html`<p class="tools"><${Download} id=${id} /></p>`}
  </header>`;
}

/** The one-file report, fetched with the token and handed to the browser as a file. */
function Download({ id }) {
  const [problem, setProblem] = useState("");
  const save = async () => {
    try {
      const response = await request(`${deliberationPath(id)}?as=html`, { headers: { Accept: "text/html" } });
      if (!response.ok) return setProblem(`The report could not be made (${response.status}).`);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await response.blob());
      link.download = `quorate-${id}.html`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "The report could not be made.");
    }
  };
  return html`<button type="button" onClick=${save}>Save as one file</button> ${problem && html`<span role="alert">${plain(problem)}</span>`}`;
}

/** Says the verdict aloud, once, when it is reached before the reader's eyes. */
function Announcer({ state }) {
  const verdict = state?.decided?.verdict;
  const said = verdict ? `${verdict.decided ? "Verdict" : "No decision"}: ${plain(verdict.outcome ?? "undecided")}. ${plain(verdict.because)}` : "";
  return html`<div class="visually-hidden" role="status" aria-live="polite">${said}</div>`;
}
