// Earlier decisions: those like a question, those that contradict each other, and how the decision on one changed.

import { deliberationPath, get } from "./api.js";
import { Loaded, moment, useResource } from "./resource.js";
import { Chip, counted, html, oneLine, plain } from "./ui.js";
import { useState } from "./vendor/hooks.js";

/** The view: a search in earlier decisions, and every contradiction. */
export function Memory() {
  const [asked, setAsked] = useState("");
  const search = (event) => {
    event.preventDefault();
    setAsked(String(new FormData(event.currentTarget).get("question") ?? "").trim());
  };
  return html`<section class="room" aria-labelledby="memory-title">
    <h1 id="memory-title">Earlier decisions</h1>
    <form class="choose card" onSubmit=${search}>
      <label>A question, or some words of it <input name="question" required autocomplete="off" /></label>
      <button type="submit" class="primary">Find similar decisions</button>
    </form>
    ${asked && html`<${Similar} key=${asked} question=${asked} />`}
    <h2>Contradictions</h2>
    <${Contradictions} />
  </section>`;
}

function Similar({ question }) {
  const found = useResource(() => get(`/api/memory/similar?${new URLSearchParams({ question })}`), [question]);
  return html`<div aria-live="polite"><${Loaded} resource=${found}><${SimilarList} told=${found.data} /><${LeftOut} told=${found.data} /><//></div>`;
}

function Contradictions() {
  const found = useResource(() => get("/api/memory/contradictions"), []);
  return html`<${Loaded} resource=${found}><${ContradictionList} told=${found.data} /><${LeftOut} told=${found.data} /><//>`;
}

/**
 * What was decided before and after on the question of one deliberation; asked for once somebody wants to see it.
 * @param {{ id: string }} props
 */
export function MemoryOf({ id }) {
  const [open, setOpen] = useState(false);
  return html`<details class="memory" onToggle=${(event) => event.currentTarget.open && setOpen(true)}>
    <summary>Earlier decisions on this question</summary>
    ${open && html`<${Found} id=${id} />`}
  </details>`;
}

function Found({ id }) {
  const found = useResource(() => get(`${deliberationPath(id)}/memory`), [id]);
  return html`<${Loaded} resource=${found}><${All} told=${found.data} /><//>`;
}

function All({ told }) {
  return html`<h3>Contradictions</h3><${ContradictionList} told=${told} />
    <h3>How the decision changed</h3><${TimelineList} told=${told} />
    <h3>Similar questions</h3><${SimilarList} told=${told} /><${LeftOut} told=${told} />`;
}

function SimilarList({ told }) {
  if (!told.similar.length) return html`<p class="quiet">No other decision is like this.</p>`;
  return html`<ul class="records">${told.similar.map((one) => html`<li key=${one.id}><${Decision} one=${one} more=${alike(one)} /></li>`)}</ul>`;
}

function alike(one) {
  const how = one.same_question ? (one.same_terms ? "the same question" : "the same question, with another context, criteria or options") : `${one.tier}, ${one.score.toFixed(2)} alike`;
  return one.same_question ? how : `${how}; not the same question`;
}

function TimelineList({ told }) {
  return html`<p>${counted(told.timeline.length, "decision")}, ${counted(told.changes, "change")} of a settled outcome.</p>
    <ol class="records">${told.timeline.map((one) => html`<li key=${one.id}><${Decision} one=${one} more=${one.changed ? "changed" : ""} /></li>`)}</ol>`;
}

function ContradictionList({ told }) {
  if (!told.contradictions.length) return html`<p class="quiet">No two decisions on the same question have different outcomes.</p>`;
  return html`<ul class="records">${told.contradictions.map((one) => html`<li key=${one.earlier.id + one.later.id}>
    <${Decision} one=${one.earlier} more="" /><${Decision} one=${one.later} more=${one.supersedes ? "the later supersedes the earlier" : "a person said the earlier, so it still stands"} />
  </li>`)}</ul>`;
}

function Decision({ one, more }) {
  return html`<article class="card">
    <p class="label quiet">${[moment(one.begun), plain(one.protocol), standing(one), more].filter(Boolean).join(" · ")}</p>
    <p><a href=${`#/d/${encodeURIComponent(one.id)}`} dir="auto">${oneLine(one.question, 200)}</a></p>
    <p>${one.outcome ? html`<${Chip} choice=${one.outcome} />` : "No outcome."}</p>
  </article>`;
}

function standing(one) {
  const reviewed = one.review ? "reviewed by a person" : one.awaits_review ? "waits for review" : "not reviewed";
  return [one.decided ? "decided" : "not decided by the panel", reviewed, one.replaced_by && "superseded", one.demo && "demonstration", one.imported && "imported"].filter(Boolean).join(", ");
}

function LeftOut({ told }) {
  return told.unusable.length > 0 && html`<p class="caution"><span aria-hidden="true">▲</span> ${counted(told.unusable.length, "record")} left out, because it cannot be relied on.</p>`;
}
