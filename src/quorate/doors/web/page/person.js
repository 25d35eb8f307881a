// A person's seat, answered on the page: the ask as plain text, and a form made for the ballot it wants.

import { deliberationPath, get, post } from "./api.js";
import { answerOf, ballotOf } from "./ballot.js";
import { Loaded, useAction, useResource } from "./resource.js";
import { html, oneLine, plain } from "./ui.js";
import { useMemo, useState } from "./vendor/hooks.js";

export function openAsks(state) {
  return [...state.pending.values()].filter((one) => one.person);
}

/** On the deliberation's page while somebody is asked something. */
export function PersonPart({ id, state, served }) {
  const open = openAsks(state);
  const asks = useResource(() => (served && open.length ? get(`${deliberationPath(id)}/asks`) : Promise.resolve([])), [id, served, JSON.stringify(open)]);
  if (!served) return null;
  return html`<section class="person" aria-labelledby="person-title">
    <h2 id="person-title">A person is asked</h2>
    <${Loaded} resource=${asks}>${(asks.data ?? []).map((ask) => html`<${Ask} key=${JSON.stringify([ask.seat, ask.round, ask.about, ask.attempt])} id=${id} ask=${ask} onDone=${asks.again} />`)}<//>
  </section>`;
}

function Ask({ id, ask, onDone }) {
  const ballot = useMemo(() => ballotOf(ask.prompt), [ask.prompt]);
  const [prose, setProse] = useState("");
  const [values, setValues] = useState(/** @type {Record<string, any>} */ ({}));
  const sent = useAction(async () => {
    await post(`${deliberationPath(id)}/answer`, { seat: ask.seat, text: answerOf(ballot, prose, values) });
    onDone();
  });
  const submit = (event) => {
    event.preventDefault();
    sent.run();
  };
  const seat = oneLine(ask.seat, 80);
  const set = (name, value) => setValues((before) => ({ ...before, [name]: value }));
  return html`<article class="ask card">
    <h3>You answer for <bdi>${seat}</bdi>${ask.about && html`, about <bdi>${oneLine(ask.about, 80)}</bdi>`}</h3>
    <details class="prompt"><summary>What ${seat} is asked, word for word</summary><pre tabindex="0">${plain(ask.prompt)}</pre></details>
    <form class="answer-form" onSubmit=${submit}>
      <label>What you think
        <textarea rows="5" value=${prose} onInput=${(event) => setProse(event.currentTarget.value)} required=${!ballot} aria-describedby=${`prose-${ask.seat}`} dir="auto"></textarea>
      </label>
      <p class="quiet label" id=${`prose-${ask.seat}`}>In plain words. The others may be shown it.</p>
      ${ballot?.fields.map((field) => html`<${Field} key=${field.name} field=${field} seat=${ask.seat} value=${values[field.name]} onSet=${(value) => set(field.name, value)} />`)}
      <button type="submit" class="primary" disabled=${sent.busy}>${sent.busy ? "Sending…" : `Answer for ${seat}`}</button>
      ${sent.error && html`<p class="caution" role="alert"><span aria-hidden="true">▲</span> ${plain(sent.error)}</p>`}
    </form>
  </article>`;
}

const KINDS = { choice: Choice, several: Several, order: Order, share: Share, number: NumberField, switch: Switch, lines: Lines, text: Lines, line: Line, sources: Sources };

function Field(props) {
  return html`<${KINDS[props.field.kind] ?? Line} ...${props} />`;
}

function Choice({ field, seat, value, onSet }) {
  return html`<fieldset><legend>${field.label}</legend><div class="choices">
    ${field.choices.map((choice) => html`<label key=${choice.value} class="check"><input type="radio" name=${`${field.name}-${seat}`} required checked=${value === choice.value} onChange=${() => onSet(choice.value)} /> <bdi>${plain(choice.words)}</bdi></label>`)}
  </div></fieldset>`;
}

function Several({ field, value = [], onSet }) {
  const toggle = (one) => onSet(value.includes(one) ? value.filter((other) => other !== one) : [...value, one]);
  return html`<fieldset><legend>${field.label}</legend><div class="choices">
    ${field.choices.map((choice) => html`<label key=${choice.value} class="check"><input type="checkbox" checked=${value.includes(choice.value)} onChange=${() => toggle(choice.value)} /> <bdi>${plain(choice.words)}</bdi></label>`)}
  </div></fieldset>`;
}

function Order({ field, value, onSet }) {
  const order = value ?? field.choices.map((choice) => choice.value);
  const wordsOf = (one) => plain(field.choices.find((choice) => choice.value === one)?.words);
  const move = (at, by) => {
    const next = [...order];
    [next[at], next[at + by]] = [next[at + by], next[at]];
    onSet(next);
  };
  return html`<fieldset><legend>${field.label}</legend><ol class="order">
    ${order.map((one, at) => html`<li key=${one}><bdi>${wordsOf(one)}</bdi>
      <button type="button" disabled=${at === 0} onClick=${() => move(at, -1)} aria-label=${`Move ${wordsOf(one)} up`}>↑</button>
      <button type="button" disabled=${at === order.length - 1} onClick=${() => move(at, 1)} aria-label=${`Move ${wordsOf(one)} down`}>↓</button></li>`)}
  </ol></fieldset>`;
}

function Share({ field, value = "50", onSet }) {
  return html`<label>${field.label}
    <span class="share"><input type="range" min="0" max="100" step="1" value=${value} onInput=${(event) => onSet(event.currentTarget.value)} aria-valuetext=${`${value} %`} /><output>${value} %</output></span>
  </label>`;
}

function NumberField({ field, value = "", onSet }) {
  return html`<label>${field.label} <input type="number" step="any" value=${value} onInput=${(event) => onSet(event.currentTarget.value)} required=${field.name === "value"} /></label>`;
}

function Switch({ field, value = false, onSet }) {
  return html`<label class="check"><input type="checkbox" checked=${value} onChange=${(event) => onSet(event.currentTarget.checked)} /> ${field.label}</label>`;
}

function Lines({ field, value = "", onSet }) {
  return html`<label>${field.label} <textarea rows=${field.kind === "text" ? 2 : 3} value=${value} onInput=${(event) => onSet(event.currentTarget.value)} required=${field.name === "claims" || field.kind === "text"} dir="auto"></textarea></label>`;
}

function Line({ field, value = "", onSet }) {
  return html`<label>${field.label} <input value=${value} onInput=${(event) => onSet(event.currentTarget.value)} required=${field.name !== "would_change"} autocomplete="off" dir="auto" /></label>`;
}

const CATEGORIES = ["official", "news", "social", "domain_specific", "fact_check"];

function Sources({ field, value = [], onSet }) {
  const set = (at, part) => onSet(value.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return html`<fieldset class="source-fields"><legend>${field.label}</legend>
    ${value.map((one, at) => html`<div key=${at} class="source-field">
      <label>Address of source ${at + 1} <input type="url" value=${one.url} onInput=${(event) => set(at, { url: event.currentTarget.value })} required /></label>
      <label>Its own words, copied exactly <input value=${one.quote} onInput=${(event) => set(at, { quote: event.currentTarget.value })} required /></label>
      <label>Kind <select value=${one.category} onChange=${(event) => set(at, { category: event.currentTarget.value })}>${CATEGORIES.map((name) => html`<option key=${name} value=${name}>${name.replaceAll("_", " ")}</option>`)}</select></label>
    </div>`)}
    <button type="button" onClick=${() => onSet([...value, { url: "", title: "", quote: "", category: "official" }])}>Add a source</button>
  </fieldset>`;
}

const VEILED = "Hidden until the person who is asked has answered.";

/**
 * Entries as somebody may see them who is still to answer unheard: while a person is asked in the sealed round, nobody's
 * words or votes are shown, in that round or in one that follows from it.
 * @param {readonly import("./fold.js").Entry[]} entries
 * @returns {readonly import("./fold.js").Entry[]}
 */
export function veil(entries) {
  const sealed = entries[0]?.floor.sealed;
  if (!sealed || !waits(entries, sealed)) return entries;
  return entries.map((entry) => ({ ...entry, floor: entry.floor.kind === "spoke" ? veiled(entry.floor) : { ...entry.floor, tally: null, similarity: null } }));
}

function waits(entries, sealed) {
  const open = new Set();
  for (const { floor } of entries) {
    if (floor.round !== sealed && !["decided", "failed", "halted", "turned_away"].includes(floor.kind)) continue;
    if (floor.kind === "asked" && floor.person) open.add(floor.seat);
    else if (["spoke", "silent", "withdrawn"].includes(floor.kind)) open.delete(floor.seat);
    else if (floor.kind !== "asked") open.clear();
  }
  return open.size > 0;
}

function veiled({ kind, seat, round, title, about, model, tokens, seconds, attempt }) {
  return { kind, seat, round, title, about, model, tokens, seconds, attempt, text: VEILED, vote: null, was: null, moved: false, stance: "", argument: null, cautions: [], unreadable: "", veiled: true };
}
