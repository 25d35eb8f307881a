// The start form, made from what the server says there is: protocols, panels, settings and models; with a forecast.

import { get, post } from "./api.js";
import { Forecast, useForecast } from "./forecast.js";
import { PanelBuilder, isFree } from "./panel.js";
import { Loaded, chance, useAction, useResource } from "./resource.js";
import { SettingFields, optionFields } from "./setting_fields.js";
import { html, plain } from "./ui.js";
import { useRef, useState } from "./vendor/hooks.js";

const EMPTY = {
  question: "",
  context: "",
  criteria: "",
  protocol: "",
  panel: "",
  options: /** @type {string[]} */ (["", ""]),
  everyone: "",
  seats: /** @type {import("./panel.js").SeatChoice[] | null} */ (null),
  settings: /** @type {Record<string, string>} */ ({}),
};

/** @typedef {typeof EMPTY} StartForm */

async function catalogue() {
  const [protocols, panels, settings] = await Promise.all([get("/api/protocols"), get("/api/panels"), get("/api/settings")]);
  return { protocols, panels, settings };
}

export function Start() {
  const offered = useResource(catalogue, []);
  const models = useResource(() => get("/api/models"), []);
  return html`<section class="room start" aria-labelledby="start-title">
    <h1 id="start-title">Put a question to a panel</h1>
    <p class="lead">Models argue, then vote. Rules anyone can read decide.</p>
    <${Loaded} resource=${offered}><${StartForm} offered=${offered.data} models=${models.data?.models ?? []} /><//>
  </section>`;
}

/**
 * What is sent: only what was said.
 * @param {StartForm} form
 * @param {{ seats: any[], open: boolean, named: Map<string, string> }} chosen
 */
export function bodyOf(form, chosen) {
  const options = chosen.open ? form.options.map((option) => option.trim()).filter(Boolean) : [];
  const models = form.everyone.split(",").map((model) => model.trim()).filter(Boolean);
  const said = Object.entries(form.settings).filter(([, value]) => value !== "");
  const isOption = ([name]) => chosen.named.has(name);
  const settings = Object.fromEntries(said.filter((one) => !isOption(one)));
  const own = form.seats !== null && isFree(chosen.seats);
  const seats = (form.seats ?? []).filter((seat) => seat.model.trim() || own);
  return {
    question: form.question,
    ...(form.panel ? { panel: form.panel } : form.protocol ? { protocol: form.protocol } : {}),
    ...(options.length ? { options } : {}),
    ...(form.context.trim() ? { context: form.context } : {}),
    ...(form.criteria.trim() ? { criteria: form.criteria } : {}),
    ...Object.fromEntries(said.filter(isOption).map(([name, value]) => [name, chosen.named.get(name) === "switch" ? value === "true" : value])),
    ...(Object.keys(settings).length ? { settings } : {}),
    ...(seats.length ? { seats: Object.fromEntries(seats.map((seat, at) => [seat.name.trim(), seat.model.trim() || dealt(models, at)])) } : {}),
    ...(models.length && !(own && seats.length) ? { models } : {}),
  };
}

/** Seats of one's own need a model each: one of those for all, in turn. */
function dealt(models, at) {
  return models.length ? models[at % models.length] : "";
}

/** The protocol and the seats that what is chosen comes to; where the server chooses, those of its last forecast. */
function chosenOf(form, offered, latest) {
  const panel = offered.panels.find((one) => one.panel === form.panel);
  const name = panel?.protocol ?? (form.protocol || latest?.protocol || "");
  const protocol = offered.protocols.find((one) => one.name === name);
  const seats = panel?.seats ?? protocol?.seats ?? [];
  const named = new Map(optionFields(offered.settings).map((one) => [one.name, one.type]));
  if (form.protocol) return { protocol, seats, named, open: protocol?.open || form.settings.answers === "options" };
  const sitting = latest?.seats.map(({ seat }) => seats.find((one) => one.seat === seat) ?? { seat, role: "", powers: [] }) ?? [];
  return { protocol, seats: form.seats ? seats : sitting, named, open: true };
}

function StartForm({ offered, models }) {
  const [form, setForm] = useState(EMPTY);
  const [latest, setLatest] = useState(/** @type {any} */ (null));
  const chosen = chosenOf(form, offered, latest);
  const forecast = useForecast(bodyOf(form, chosen), setLatest);
  const change = (part) => setForm((before) => ({ ...before, ...part }));
  const sent = useRef({ body: "", key: "" });
  const start = useAction(async () => {
    const body = bodyOf(form, chosen);
    const written = JSON.stringify(body);
    if (sent.current.body !== written) sent.current = { body: written, key: chance() };
    const begun = await post("/api/deliberations", body, { "Idempotency-Key": sent.current.key });
    location.hash = `#/d/${encodeURIComponent(begun.id)}`;
  });
  const submit = (event) => {
    event.preventDefault();
    start.run();
  };
  return html`<form class="start-form" onSubmit=${submit}>
    <div class="start-main">
      <label class="question-field">Question
        <textarea rows="3" value=${form.question} onInput=${(event) => change({ question: event.currentTarget.value })} required placeholder="Should we delete the staging database before the weekend?" dir="auto"></textarea>
      </label>
      <${ProtocolChoice} form=${form} offered=${offered} chosen=${chosen} asked=${forecast.asked} onChange=${change} />
      ${chosen.open && html`<${Options} options=${form.options} protocol=${chosen.protocol} onChange=${change} />`}
      <details class="more"><summary>Context and decision criteria</summary>
        <label>Context <textarea rows="5" value=${form.context} onInput=${(event) => change({ context: event.currentTarget.value })} aria-describedby="context-help" dir="auto"></textarea></label>
        <p id="context-help" class="quiet label">What the models should know. Besides the question, this is all they are told.</p>
        <label>Decision criteria <textarea rows="2" value=${form.criteria} onInput=${(event) => change({ criteria: event.currentTarget.value })} dir="auto"></textarea></label>
      </details>
      <${PanelBuilder} offered=${chosen.seats} seats=${form.seats} everyone=${form.everyone} expected=${forecast.answer?.seats ?? []} models=${models} onChange=${change} />
      <${SettingFields} protocol=${chosen.protocol} options=${offered.settings} values=${form.settings} onChange=${(settings) => change({ settings })} />
    </div>
    <section class="start-side" aria-label="Forecast">
      <${Forecast} forecast=${forecast} onSuggest=${(setting, value) => change(setting === "protocol" ? { protocol: value, panel: "", seats: null, settings: {} } : { settings: { ...form.settings, [setting]: value } })} />
      <button type="submit" class="primary start-button" disabled=${start.busy}>${start.busy ? "Starting…" : "Start the deliberation"}</button>
      ${start.error && html`<p class="caution" role="alert"><span aria-hidden="true">▲</span> ${plain(start.error)}</p>`}
    </section>
  </form>`;
}

function ProtocolChoice({ form, offered, chosen, asked, onChange }) {
  const fitting = offered.panels.filter((panel) => panel.protocol === chosen.protocol?.name && (form.protocol || form.panel));
  const choose = (event) => onChange({ protocol: event.currentTarget.value, panel: "", seats: null, settings: {} });
  const known = chosen.protocol && (form.protocol || asked);
  const about = known ? plain(chosen.protocol.about) : "A question with options goes to a discussion, one that asks whether to do something to a tribunal.";
  return html`<div class="pair">
    <div>
      <label>How they deliberate
        <select value=${form.protocol} onChange=${choose} aria-describedby="protocol-help">
          <option value="">Choose for me</option>
          ${offered.protocols.map((one) => html`<option key=${one.name} value=${one.name}>${plain(one.title)}</option>`)}
        </select>
      </label>
      <p id="protocol-help" class="quiet label" aria-live="polite">${!form.protocol && known ? `${plain(chosen.protocol.title)}: ` : ""}${about}</p>
    </div>
    <label class="panel-choice">Panel
      <select value=${form.panel} onChange=${(event) => onChange({ panel: event.currentTarget.value, seats: null })} disabled=${!form.protocol}>
        <option value="">${form.protocol ? "The usual one" : "The one this server is set up with"}</option>
        ${fitting.filter((panel) => panel.panel !== form.protocol).map((panel) => html`<option key=${panel.panel} value=${panel.panel}>${plain(panel.panel)}${panel.demo ? " (a demonstration: answers mean nothing)" : ""}</option>`)}
      </select>
    </label>
  </div>`;
}

/** What to choose from; one line each. */
function Options({ options, protocol, onChange }) {
  const set = (at, text) => onChange({ options: options.map((option, index) => (index === at ? text : option)) });
  return html`<fieldset class="option-fields"><legend>Options${protocol?.outcomes.length || !protocol ? " (if there are any)" : ""}</legend>
    ${options.map((option, at) => html`<div key=${at} class="option-row">
      <label><span class="visually-hidden">Option ${at + 1}</span><input value=${option} onInput=${(event) => set(at, event.currentTarget.value)} placeholder=${`Option ${at + 1}`} autocomplete="off" dir="auto" /></label>
      ${options.length > 2 && html`<button type="button" onClick=${() => onChange({ options: options.filter((_, index) => index !== at) })} aria-label=${`Remove option ${at + 1}`}>Remove</button>`}
    </div>`)}
    <button type="button" onClick=${() => onChange({ options: [...options, ""] })}>Add an option</button>
  </fieldset>`;
}
