// What if: the recorded ballots under another rulebook, without a seat, or with other settings. No model is asked.

import { deliberationPath, get, post } from "./api.js";
import { useEffect, useState } from "./vendor/hooks.js";
import { html, oneLine, plain } from "./ui.js";
import { Figures, Headline, sentence } from "./verdict.js";

/**
 * @param {{ id: string, state: import("./fold.js").PageState }} props
 */
export function WhatIf({ id, state }) {
  const [books, setBooks] = useState(/** @type {any[]} */ ([]));
  const [asked, setAsked] = useState({ rulebook: "", without: /** @type {string[]} */ ([]), name: "", value: "" });
  const [answer, setAnswer] = useState(/** @type {any} */ (null));
  useEffect(() => void rulebooks(state.convened.protocol).then(setBooks), [state.convened.protocol]);
  useEffect(() => {
    if (!asked.rulebook && !asked.without.length && !(asked.name && asked.value)) return setAnswer(null);
    let current = true;
    replay(id, asked).then((found) => current && setAnswer(found));
    return () => (current = false);
  }, [id, asked]);
  const change = (part) => setAsked({ ...asked, ...part });
  return html`<section class="whatif" aria-labelledby="whatif-title">
    <h2 id="whatif-title">What if?</h2>
    <p class="quiet">The same ballots, decided again by other rules. No model is asked, nothing is written.</p>
    <div class="whatif-body">
      <form onSubmit=${(event) => event.preventDefault()}>
        <label>Rulebook
          <select value=${asked.rulebook} onChange=${(event) => change({ rulebook: event.currentTarget.value })}>
            <option value="">${plain(state.convened.rulebook)} (on record)</option>
            ${books.filter((book) => book.name !== state.convened.rulebook).map((book) => html`<option key=${book.name} value=${book.name}>${plain(book.name)}</option>`)}
          </select>
        </label>
        <fieldset><legend>Without</legend>
          ${state.seats.filter((seat) => seat.powers.includes("vote")).map((seat) => html`<label key=${seat.name} class="check"><input type="checkbox" checked=${asked.without.includes(seat.name)} onChange=${() => change({ without: toggled(asked.without, seat.name) })} /> <bdi>${oneLine(seat.name, 60)}</bdi></label>`)}
        </fieldset>
        <${Threshold} settings=${settingsOf(books, asked.rulebook || state.convened.rulebook)} asked=${asked} onChange=${change} />
      </form>
      <div aria-live="polite" class="whatif-answer">${answer ? html`<${Answer} answer=${answer} />` : html`<p class="quiet">Choose something to see what would have been decided.</p>`}</div>
    </div>
  </section>`;
}

function toggled(list, name) {
  return list.includes(name) ? list.filter((one) => one !== name) : [...list, name];
}

function settingsOf(books, name) {
  return books.find((book) => book.name === name)?.settings ?? [];
}

/** One setting of the rulebook by its name, such as a threshold. */
function Threshold({ settings, asked, onChange }) {
  if (!settings.length) return null;
  return html`<fieldset class="setting"><legend>Setting</legend>
    <label>Name
      <select value=${asked.name} onChange=${(event) => onChange({ name: event.currentTarget.value })}>
        <option value="">none</option>
        ${settings.map((one) => html`<option key=${one.name} value=${one.name}>${plain(one.name)} (${plain(one.value ?? one.default ?? "")})</option>`)}
      </select>
    </label>
    <label>Value <input value=${asked.value} onChange=${(event) => onChange({ value: event.currentTarget.value.trim() })} placeholder="2/3" autocomplete="off" /></label>
  </fieldset>`;
}

function Answer({ answer }) {
  if (answer.error) return html`<p class="caution"><span aria-hidden="true">▲</span> ${plain(answer.error)}</p>`;
  const { verdict } = answer;
  return html`<p class="stance"><strong>${answer.changed ? "This would change the outcome." : "The outcome stays the same."}</strong></p>
    <${Headline} verdict=${verdict} id="whatif-outcome" />
    <p>${sentence(verdict.because)}</p>
    <${Figures} verdict=${verdict} />`;
}

async function rulebooks(protocol) {
  try {
    const found = await get(`/api/rulebooks?protocol=${encodeURIComponent(protocol)}`);
    const items = Array.isArray(found) ? found : (found.items ?? found.rulebooks ?? []);
    return items.filter((book) => !book.protocols || book.protocols.includes(protocol));
  } catch {
    return [];
  }
}

async function replay(id, asked) {
  const settings = asked.name && asked.value ? { [asked.name]: asked.value } : {};
  const body = { ...(asked.rulebook ? { rulebook: asked.rulebook } : {}), ...(asked.without.length ? { without: asked.without } : {}), settings };
  try {
    return await post(`${deliberationPath(id)}/replay`, body);
  } catch (error) {
    return { error: error instanceof Error ? error.message : "It could not be decided again." };
  }
}
