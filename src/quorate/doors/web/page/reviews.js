// What awaits a person: verdicts to review, and seats to answer for.

import { deliberationPath, get } from "./api.js";
import { fold } from "./fold.js";
import { RecordLine } from "./history.js";
import { Loaded, useResource } from "./resource.js";
import { ReviewForm } from "./review.js";
import { counted, html, oneLine } from "./ui.js";
import { useState } from "./vendor/hooks.js";
import { sentence } from "./verdict.js";

async function queue() {
  const [verdicts, seats] = await Promise.all([get("/api/deliberations?awaits=true&limit=50"), get("/api/deliberations?state=waiting&limit=50")]);
  return { verdicts, seats };
}

export function Reviews() {
  const found = useResource(queue, []);
  const [told, setTold] = useState("");
  const done = (item) => {
    setTold(`Your review of “${oneLine(item.question, 80)}” is on record.`);
    found.again();
  };
  return html`<section class="room" aria-labelledby="reviews-title">
    <h1 id="reviews-title">What awaits a person</h1>
    <p role="status" aria-live="polite" class="done-note">${told && html`<span aria-hidden="true">✓</span> ${told}`}</p>
    <${Loaded} resource=${found}><${Queue} found=${found.data} onDone=${done} /><//>
  </section>`;
}

function Queue({ found, onDone }) {
  const { verdicts, seats } = found;
  if (!verdicts.items.length && !seats.items.length) return html`<p class="quiet nothing-here">Nothing awaits a person. Verdicts that need a look, and seats that people hold, are listed here.</p>`;
  return html`
    <h2>Verdicts to review <span class="quiet">(${verdicts.items.length}${verdicts.next ? " and more" : ""})</span></h2>
    ${verdicts.items.length ? html`<ul class="records">${verdicts.items.map((item) => html`<${Verdict} key=${item.id} item=${item} onDone=${() => onDone(item)} />`)}</ul>` : html`<p class="quiet">None.</p>`}
    <h2>Seats to answer for <span class="quiet">(${counted(seats.items.length, "deliberation")})</span></h2>
    ${seats.items.length ? html`<ul class="records">${seats.items.map((item) => html`<${RecordLine} key=${item.id} item=${item} />`)}</ul>` : html`<p class="quiet">None.</p>`}`;
}

function Verdict({ item, onDone }) {
  const [open, setOpen] = useState(false);
  const label = oneLine(item.question, 80);
  return html`<${RecordLine} item=${item}>
    <button type="button" aria-expanded=${open} aria-label=${`${open ? "Close" : "Review"}: ${label}`} onClick=${() => setOpen(!open)}>${open ? "Close" : "Review"}</button>
    ${open && html`<${Opened} item=${item} onDone=${onDone} />`}
  <//>`;
}

/** Which outcomes there are stands in the record's first entry. */
async function outcomesOf(id) {
  const { entries } = await get(`${deliberationPath(id)}/entries`);
  const state = fold(entries);
  return { outcomes: state.convened?.outcomes ?? [], heard: state.tally.map((row) => row.choice), because: state.decided?.verdict?.because ?? "" };
}

function Opened({ item, onDone }) {
  const found = useResource(() => outcomesOf(item.id), [item.id]);
  return html`<${Loaded} resource=${found}><p>${sentence(found.data?.because ?? "")}</p><${ReviewForm} id=${item.id} outcomes=${found.data?.outcomes ?? []} heard=${found.data?.heard ?? []} onDone=${onDone} /><//>`;
}
