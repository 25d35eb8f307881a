// A person's review of a verdict: outcome, name, reason. It stands beside the verdict and never in the panel's name.

import { deliberationPath, post } from "./api.js";
import { useAction } from "./resource.js";
import { html, oneLine, plain } from "./ui.js";
import { useState } from "./vendor/hooks.js";

const KEPT = "quorate-name";

function keptName() {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/**
 * @param {{ id: string, outcomes: string[], heard: string[], onDone?: () => void }} props
 */
export function ReviewForm({ id, outcomes, heard, onDone }) {
  const [said, setSaid] = useState({ outcome: "", by: keptName(), because: "" });
  const change = (part) => setSaid((before) => ({ ...before, ...part }));
  const sent = useAction(async () => {
    await post(`${deliberationPath(id)}/review`, said);
    try {
      localStorage.setItem(KEPT, said.by);
    } catch {
      // A browser that keeps nothing asks for the name again.
    }
    onDone?.();
  });
  const submit = (event) => {
    event.preventDefault();
    sent.run();
  };
  const group = `outcome-${id}`;
  const listed = outcomes.length ? [...new Set([...outcomes, ...heard])] : [];
  return html`<form class="review-form" onSubmit=${submit}>
    ${listed.length
      ? html`<fieldset><legend>You decide</legend><div class="choices">${listed.map((outcome) => html`<label key=${outcome} class="check"><input type="radio" name=${group} value=${outcome} required checked=${said.outcome === outcome} onChange=${() => change({ outcome })} /> <bdi>${oneLine(outcome, 120)}</bdi></label>`)}</div></fieldset>`
      : html`<datalist id=${group}>${heard.map((one) => html`<option key=${one} value=${one}></option>`)}</datalist>
          <label>You decide <input list=${group} value=${said.outcome} onInput=${(event) => change({ outcome: event.currentTarget.value })} required autocomplete="off" /></label>`}
    <label>Your name <input value=${said.by} onInput=${(event) => change({ by: event.currentTarget.value })} required maxlength="120" autocomplete="name" /></label>
    <label>Because <textarea rows="3" value=${said.because} onInput=${(event) => change({ because: event.currentTarget.value })} required dir="auto"></textarea></label>
    <button type="submit" class="primary" disabled=${sent.busy}>${sent.busy ? "Writing…" : "Put it on record"}</button>
    ${sent.error && html`<p class="caution" role="alert"><span aria-hidden="true">▲</span> ${plain(sent.error)}</p>`}
  </form>`;
}

/** Whether a person is still to look at what was decided. */
export function awaitsReview(state) {
  const verdict = state.decided?.verdict;
  return Boolean(verdict) && !state.reviews.length && (!verdict.decided || verdict.requires_human_review);
}

/** The same on the deliberation's own page. */
export function ReviewPart({ id, state, served }) {
  if (!served) return null;
  return html`<section class="review-part card" aria-labelledby="review-title">
    <h2 id="review-title">Your review</h2>
    <p class="quiet">It is written beside the verdict, with your name. The verdict stays as the panel gave it.</p>
    <${ReviewForm} id=${id} outcomes=${state.convened.outcomes} heard=${state.tally.map((row) => row.choice)} />
  </section>`;
}
