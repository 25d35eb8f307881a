// What if: the recorded ballots under another rulebook, without a seat, or with other settings. No model is asked.

import { deliberationPath, get, post } from "./api.js";
import { useEffect, useState } from "./vendor/hooks.js";
import { Chip, html, meaning, oneLine, plain } from "./ui.js";
import { Figures, Headline, sentence } from "./verdict.js";

/**
 * @param {{ id: string, state: import("./fold.js").PageState }} props
 */
export function WhatIf({ id, state }) {
  const [choices, setChoices] = useState(/** @type {{ rulebooks: string[], settings: any[] }} */ ({ rulebooks: [], settings: [] }));
  const [asked, setAsked] = useState({ rulebook: "", without: /** @type {string[]} */ ([]), name: "", value: "" });
  const [answer, setAnswer] = useState(/** @type {any} */ (null));
  useEffect(() => void choicesOf(state.convened.protocol).then(setChoices), [state.convened.protocol]);
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
            ${choices.rulebooks.filter((name) => name !== state.convened.rulebook).map((name) => html`<option key=${name} value=${name}>${plain(name)}</option>`)}
          </select>
        </label>
        <fieldset><legend>Without</legend>
          ${state.seats.filter((seat) => seat.powers.includes("vote")).map((seat) => html`<label key=${seat.name} class="check"><input type="checkbox" checked=${asked.without.includes(seat.name)} onChange=${() => change({ without: toggled(asked.without, seat.name) })} /> <bdi>${oneLine(seat.name, 60)}</bdi></label>`)}
        </fieldset>
        <${Threshold} settings=${choices.settings} asked=${asked} onChange=${change} />
      </form>
      <div aria-live="polite" class="whatif-answer">${answer ? html`<${Answer} answer=${answer} recorded=${state.decided.verdict} />` : html`<p class="quiet">Choose something to see what would have been decided.</p>`}</div>
    </div>
  </section>`;
}

function toggled(list, name) {
  return list.includes(name) ? list.filter((one) => one !== name) : [...list, name];
}

/** One setting of the rules or of the count by its name, such as a threshold. */
function Threshold({ settings, asked, onChange }) {
  if (!settings.length) return null;
  return html`<fieldset class="setting"><legend>Setting</legend>
    <label>Name
      <select value=${asked.name} onChange=${(event) => onChange({ name: event.currentTarget.value })}>
        <option value="">none</option>
        ${settings.map((one) => html`<option key=${one.name} value=${one.name}>${plain(one.name)}${one.default && one.default !== "None" ? ` (usually ${plain(one.default)})` : ""}</option>`)}
      </select>
    </label>
    <label>Value <input value=${asked.value} onChange=${(event) => onChange({ value: event.currentTarget.value.trim() })} autocomplete="off" /></label>
  </fieldset>`;
}

function Answer({ answer, recorded }) {
  if (answer.error) return html`<p class="caution"><span aria-hidden="true">▲</span> ${plain(answer.error)}</p>`;
  const { verdict } = answer;
  return html`<section class="verdict ${verdict.decided ? meaning(verdict.outcome).tone : "open"}" aria-labelledby="whatif-outcome">
    <p class="vote change">
      <span class="was"><span class="visually-hidden">on record: </span><${Chip} choice=${outcomeOf(recorded)} /></span>
      <span class="arrow" aria-hidden="true">→</span>
      <span><span class="visually-hidden">then: </span><${Chip} choice=${outcomeOf(verdict)} /></span>
      <strong>${answer.changed ? "This would change the outcome." : "The outcome stays the same."}</strong>
    </p>
    <${Headline} verdict=${verdict} id="whatif-outcome" />
    <p class="because">${sentence(verdict.because)}</p>
    <${Figures} verdict=${verdict} />
  </section>`;
}

function outcomeOf(verdict) {
  return verdict.outcome ?? "no outcome";
}

/** What can be tried afterwards: rulebooks of the protocol, and settings that decide nothing about its rounds. */
async function choicesOf(protocol) {
  try {
    const found = (await get("/api/protocols")).find((one) => one.name === protocol);
    const settings = (found?.settings ?? []).filter((one) => one.where !== "protocol");
    return { rulebooks: found?.rulebooks ?? [], settings };
  } catch {
    return { rulebooks: [], settings: [] };
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
