// Two deliberations side by side: what differs, field by field.

import { deliberationPath, get } from "./api.js";
import { moment, Loaded, useResource } from "./resource.js";
import { Chip, html, oneLine, plain } from "./ui.js";
import { sentence } from "./verdict.js";

/** @param {{ params: string[] }} props */
export function Compare({ params: [a = "", b = ""] }) {
  return html`<section class="room" aria-labelledby="compare-title">
    <h1 id="compare-title">Compare two deliberations</h1>
    ${a && b ? html`<${Comparison} a=${a} b=${b} />` : html`<${Choose} a=${a} b=${b} />`}
  </section>`;
}

function Choose({ a, b }) {
  const go = (event) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget);
    location.hash = `#/compare/${["a", "b"].map((name) => encodeURIComponent(String(said.get(name) ?? "").trim())).join("/")}`;
  };
  const last = useResource(() => get("/api/deliberations?limit=50"), []);
  return html`<form class="choose card" onSubmit=${go}>
    <datalist id="deliberations">${(last.data?.items ?? []).map((item) => html`<option key=${item.id} value=${item.id}>${oneLine(item.question, 80)}</option>`)}</datalist>
    <label>The first, by its id <input name="a" list="deliberations" defaultValue=${a} required autocomplete="off" spellcheck=${false} /></label>
    <label>The second <input name="b" list="deliberations" defaultValue=${b} required autocomplete="off" spellcheck=${false} /></label>
    <button type="submit" class="primary">Compare</button>
    <p class="quiet">Or tick two of them in the <a href="#/history">history</a>.</p>
  </form>`;
}

async function both(a, b) {
  const pair = new URLSearchParams({ a, b });
  const found = await get(`/api/compare?${pair}`);
  const [first, second] = await Promise.all(found.ids.map((id) => get(deliberationPath(id))));
  return { found, first, second };
}

function Comparison({ a, b }) {
  const resource = useResource(() => both(a, b), [a, b]);
  return html`<${Loaded} resource=${resource}><${Sides} ...${resource.data} /><//>`;
}

function Sides({ found, first, second }) {
  const rows = found.differences;
  return html`<div class="sides">
      <${Side} told=${first} id=${found.ids[0]} name="First" />
      <${Side} told=${second} id=${found.ids[1]} name="Second" />
    </div>
    <h2>What differs</h2>
    ${rows.length
      ? html`<div class="scroll" tabindex="0" role="group" aria-label="Differences">
          <table class="differences">
            <thead><tr><th scope="col">Field</th><th scope="col">First</th><th scope="col">Second</th></tr></thead>
            <tbody>
              ${rows.map((row) => html`<tr key=${row.field}><th scope="row">${plain(row.field)}</th><td dir="auto">${plain(row.first) || "–"}</td><td dir="auto">${plain(row.second) || "–"}</td></tr>`)}
            </tbody>
          </table>
        </div>`
      : html`<p class="quiet">Nothing that is compared differs: question, rules, models, votes, verdict and cost are the same.</p>`}`;
}

function Side({ told, id, name }) {
  const verdict = told.verdict;
  return html`<article class="side card" aria-label=${name}>
    <p class="label quiet">${name} · ${plain(told.protocol ?? "")}${told.begun ? ` · ${moment(told.begun)}` : ""}</p>
    <h2><a href=${`#/d/${encodeURIComponent(id)}`} dir="auto">${oneLine(told.question?.text ?? told.question, 200)}</a></h2>
    ${verdict?.outcome ? html`<p><${Chip} choice=${verdict.outcome} /></p>` : html`<p class="quiet">No verdict.</p>`}
    ${verdict?.because && html`<p>${sentence(verdict.because)}</p>`}
  </article>`;
}
