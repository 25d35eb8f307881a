// Settings as fields: the protocol's own, those of its rules, and the limits; an empty field leaves what is usual.

import { html, plain } from "./ui.js";

/** Options of a request that have no control of their own on the form. */
export function optionFields(options) {
  return options.filter((one) => one.request && !OWN_CONTROLS.has(one.name));
}

const OWN_CONTROLS = new Set(["panel", "protocol", "models", "seats", "settings"]);

/**
 * @param {{ protocol: any, options: any[], values: Record<string, string>, onChange: (values: Record<string, string>) => void }} props
 */
export function SettingFields({ protocol, options, values, onChange }) {
  const set = (name, value) => onChange({ ...values, [name]: value });
  const changed = Object.values(values).filter((value) => value !== "").length;
  const limits = optionFields(options).map((one) => (one.name === "rulebook" && protocol ? { ...one, type: "choice", choices: protocol.rulebooks } : one));
  const own = protocol?.settings.filter((one) => one.where !== "rule") ?? [];
  const rules = protocol?.settings.filter((one) => one.where === "rule") ?? [];
  return html`<details class="more settings"><summary>Settings${changed ? ` (${changed} changed)` : ""}</summary>
    <p class="quiet">Leave a field empty to keep what is usual.</p>
    <${Group} title="Limits and rules" fields=${limits} values=${values} onSet=${set} />
    <${Group} title=${protocol ? `${plain(protocol.title)}` : ""} fields=${own} values=${values} onSet=${set} />
    <${Group} title="What its rules look for" fields=${rules} values=${values} onSet=${set} />
  </details>`;
}

function Group({ title, fields, values, onSet }) {
  if (!fields.length) return null;
  return html`<fieldset class="setting-group"><legend>${title}</legend>
    ${fields.map((field) => html`<${Field} key=${field.name} field=${field} value=${values[field.name] ?? ""} onSet=${(value) => onSet(field.name, value)} />`)}
  </fieldset>`;
}

/** What a setting is when nobody says anything. */
function usual(field) {
  const told = field.default ?? field.otherwise ?? "";
  return told === "None" || told === "" ? "none" : { True: "yes", False: "no" }[told] ?? plain(told);
}

/** What a field takes and what is usual; where the choices say it all, only that. */
function helpOf(field, takes) {
  const told = plain(field.help);
  const says = told && told !== "text" && !told.includes(" | ") ? told[0].toUpperCase() + told.slice(1) : "";
  const ended = says && !/[.!?]$/u.test(says) ? `${says}.` : says;
  return [ended, takes ? "" : `Usual: ${usual(field)}.`].filter(Boolean).join(" ");
}

function Field({ field, value, onSet }) {
  const help = `help-${field.name.replace(/\W/gu, "-")}`;
  const takes = { switch: [["true", "yes"], ["false", "no"]], choice: field.choices.map((word) => [word, word]) }[field.type];
  const change = (event) => onSet(event.currentTarget.value);
  return html`<div class="setting-field">
    <label>${nameOf(field.name)}
      ${takes
        ? html`<select value=${value} onChange=${change} aria-describedby=${help}><option value="">usual: ${usual(field)}</option>${takes.map(([word, shown]) => html`<option key=${word} value=${word}>${plain(shown)}</option>`)}</select>`
        : html`<input value=${value} onInput=${change} inputmode=${field.type === "integer" ? "numeric" : null} placeholder=${usual(field)} autocomplete="off" spellcheck=${false} aria-describedby=${help} />`}
    </label>
    <p id=${help} class="quiet label">${helpOf(field, takes)}</p>
  </div>`;
}

/** `supermajority.at_least` as people say it: supermajority: at least. */
function nameOf(name) {
  const words = plain(name).replaceAll("_", " ").replace(".", ": ");
  return words[0].toUpperCase() + words.slice(1);
}
