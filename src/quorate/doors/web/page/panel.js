// The panel builder: who sits, in which role, on which model; seats come and go where the protocol has no fixed roles.

import { html, oneLine, plain } from "./ui.js";

/**
 * @typedef {{ name: string, model: string }} SeatChoice
 * @typedef {{ seat: string, role: string, powers: string[] }} SeatOffer
 */

/**
 * Whether new names may sit: only where all seats have the same powers.
 * @param {SeatOffer[]} offered
 */
export function isFree(offered) {
  return offered.length > 0 && new Set(offered.map((seat) => [...seat.powers].sort().join())).size === 1;
}

/** Seats that are fewer than usual need new names: under the usual ones the whole panel would sit. */
function renamed(rows, offered) {
  const known = new Set(offered.map((seat) => seat.seat));
  if (rows.length >= offered.length || rows.some((row) => !known.has(row.name))) return rows;
  return rows.map((row, at) => ({ ...row, name: `Seat ${at + 1}` }));
}

/**
 * @param {{ offered: SeatOffer[], seats: SeatChoice[] | null, everyone: string, expected: any[], models: any[], onChange: (part: any) => void }} props
 */
export function PanelBuilder({ offered, seats, everyone, expected, models, onChange }) {
  const rows = seats ?? offered.map((seat) => ({ name: seat.seat, model: "" }));
  const free = isFree(offered);
  const change = (at, part) => onChange({ seats: rows.map((row, index) => (index === at ? { ...row, ...part } : row)) });
  return html`<fieldset class="panel-builder"><legend>Who sits on the panel</legend>
    <${ModelList} models=${models} />
    <label>Model for every seat
      <input list="models" value=${everyone} onInput=${(event) => onChange({ everyone: event.currentTarget.value })} placeholder="provider:name" autocomplete="off" spellcheck=${false} aria-describedby="everyone-help" />
    </label>
    <p id="everyone-help" class="quiet label">${found(models)} Name several, separated by commas, and the seats get them in turn. Below, a seat can have one of its own.</p>
    <ul class="seat-rows">
      ${rows.map((row, at) => html`<${SeatRow} key=${at} row=${row} at=${at} free=${free} last=${rows.length <= 2} offer=${offered.find((seat) => seat.seat === row.name)} expected=${expected.find((seat) => seat.seat === row.name)} onChange=${(part) => change(at, part)} onRemove=${() => onChange({ seats: renamed(rows.filter((_, index) => index !== at), offered) })} />`)}
    </ul>
    ${free && html`<button type="button" onClick=${() => onChange({ seats: [...rows, { name: newName(rows), model: "" }] })}>Add a seat</button>`}
    ${!rows.length && html`<p class="quiet">The panel is shown as soon as there is a question.</p>`}
  </fieldset>`;
}

function found(models) {
  const usable = models.filter((one) => one.usable);
  if (!usable.length) return "No model was found on this machine. Type one, such as openai:gpt-4.1, if the server has its key.";
  return `Found here: ${usable.map((one) => oneLine(one.model, 60)).join(", ")}.`;
}

function ModelList({ models }) {
  const names = [...new Set(models.filter((one) => one.usable).flatMap((one) => [one.model, ...(one.models ?? [])]))].filter(Boolean);
  return html`<datalist id="models">
    ${names.map((name) => html`<option key=${name} value=${name}></option>`)}
    <option value="person">a person, who answers on this page</option>
  </datalist>`;
}

function newName(rows) {
  let at = rows.length + 1;
  while (rows.some((row) => row.name === `Seat ${at}`)) at += 1;
  return `Seat ${at}`;
}

function SeatRow({ row, at, free, last, offer, expected, onChange, onRemove }) {
  const about = [offer?.role ? `Its part: “${offer.role}”` : "", offer?.powers?.includes("veto") ? "May veto." : ""].filter(Boolean).join(" ");
  const label = row.name || `seat ${at + 1}`;
  return html`<li class="seat-row">
    ${free
      ? html`<label>Name of seat ${at + 1} <input value=${row.name} onInput=${(event) => onChange({ name: event.currentTarget.value })} required maxlength="80" autocomplete="off" /></label>`
      : html`<p class="seat-name"><strong><bdi>${oneLine(row.name, 80)}</bdi></strong></p>`}
    <label>Model <span class="visually-hidden">for ${oneLine(label, 80)}</span>
      <input list="models" value=${row.model} onInput=${(event) => onChange({ model: event.currentTarget.value })} placeholder=${expected ? oneLine(expected.model, 80) : "as above"} autocomplete="off" spellcheck=${false} />
    </label>
    ${free && html`<button type="button" disabled=${last} onClick=${onRemove} aria-label=${`Remove ${oneLine(label, 80)}`}>Remove</button>`}
    ${about && html`<p class="quiet label role">${plain(about)}</p>`}
  </li>`;
}
