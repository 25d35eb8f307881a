// An oracle's sources: what was cited, by whom, what became of every quote, and how far the seats rest on the same.

import { Link } from "./markdown.js";
import { useRecordView } from "./record_view.js";
import { counted, html, oneLine, percent, plain } from "./ui.js";

/** @param {{ id: string, state: import("./fold.js").PageState, served: boolean, view?: any }} props */
export function OraclePart({ id, state, served, view }) {
  const found = useRecordView("oracle", { id, state, served, view });
  if (!found || !state.held.size) return null; // nobody has found anything that may be shown by now
  const results = found.agent_results.filter((one) => one.sources.length && state.held.has(one.agent_id));
  const sources = merged(results, found.sources);
  return html`<section class="oracle" aria-labelledby="oracle-title">
    <h2 id="oracle-title">Sources</h2>
    ${sources.length
      ? html`<${SourceTable} sources=${sources} />
          <${Overlap} results=${results} overlap=${found.overlap} />
          <h3>Quotes, as they stand in the documents</h3>
          <div class="quotes">${results.flatMap((one) => one.sources.map((cited, at) => html`<${Quote} key=${`${one.agent_id}-${at}`} seat=${one.agent_id} cited=${cited} passages=${passagesOf(state)} />`))}</div>`
      : html`<p class="quiet">No seat has cited a source.</p>`}
  </section>`;
}

function passagesOf(state) {
  return state.finds.flatMap((found) => found.passages ?? []);
}

/** Every address once, with all who cite it. */
function merged(results, weighed) {
  const kept = new Map();
  for (const { agent_id: seat, sources } of results) {
    for (const one of sources) {
      const address = one.found_at || one.url;
      const known = kept.get(address) ?? { ...one, seats: [], counts: false, credibility: weighed.find((other) => other.url === address)?.credibility_score ?? one.credibility_score };
      known.counts ||= one.counts;
      if (!known.seats.includes(seat)) known.seats.push(seat);
      kept.set(address, known);
    }
  }
  return [...kept.values()].toSorted((one, other) => other.seats.length - one.seats.length);
}

function SourceTable({ sources }) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Sources that were cited">
    <table class="sources">
      <thead><tr><th scope="col">Source</th><th scope="col">Kind</th><th scope="col">Credibility</th><th scope="col">Cited by</th><th scope="col">Counts</th></tr></thead>
      <tbody>${sources.map((one) => html`<tr key=${one.url}>
        <th scope="row"><span class="source-title" dir="auto">${oneLine(one.title, 120) || "(no title)"}</span><br /><span class="address"><${Link} address=${one.url} /></span></th>
        <td>${plain(one.category).replaceAll("_", " ") || "unknown"}</td>
        <td>${percent(one.credibility)}</td>
        <td><bdi>${one.seats.map((seat) => oneLine(seat, 40)).join(", ")}</bdi></td>
        <td>${one.counts ? html`<span aria-hidden="true">✓</span> yes` : html`<span aria-hidden="true">✕</span> no`}</td>
      </tr>`)}</tbody>
    </table>
  </div>`;
}

/** How much of their sources two seats share: each pair's share as a number, shaded by it. */
function Overlap({ results, overlap }) {
  const seats = results.map((one) => one.agent_id);
  if (seats.length < 2) return null;
  const between = (one, other) => overlap.pairwise_overlaps[`${one}_${other}`] ?? overlap.pairwise_overlaps[`${other}_${one}`];
  return html`<figure class="overlap">
    <figcaption><strong>Who rests on the same sources</strong> <span class="quiet">on average ${percent(overlap.average_overlap)} shared, ${counted(overlap.total_unique_sources, "different source")}: ${plain(overlap.interpretation).replaceAll("_", " ")} overlap</span></figcaption>
    <div class="scroll" tabindex="0" role="group" aria-label="Share of sources that two seats have in common">
      <table class="matrix">
        <thead><tr><td></td>${seats.map((seat) => html`<th key=${seat} scope="col"><bdi>${oneLine(seat, 20)}</bdi></th>`)}</tr></thead>
        <tbody>${seats.map((seat) => html`<tr key=${seat}><th scope="row"><bdi>${oneLine(seat, 20)}</bdi></th>${seats.map((other) => html`<${Cell} key=${other} share=${seat === other ? null : (between(seat, other) ?? 0)} />`)}</tr>`)}</tbody>
      </table>
    </div>
  </figure>`;
}

function Cell({ share }) {
  if (share === null) return html`<td class="self quiet">–</td>`;
  return html`<td style=${{ "--share": share }}>${percent(share)}</td>`;
}

/** A quote beside the passage it was found in, or the reason why it does not count. */
function Quote({ seat, cited, passages }) {
  const place = passageWith(cited, passages);
  return html`<figure class="quote ${cited.counts ? "" : "void"}">
    <figcaption><strong><bdi>${oneLine(seat, 60)}</bdi></strong> cites <span dir="auto">${oneLine(cited.title || cited.url, 120)}</span>${" "}
      <span class=${cited.counts ? "quiet" : "caution"}><span aria-hidden="true">${cited.counts ? "✓" : "✕"}</span> ${plain(cited.why)}</span></figcaption>
    ${place
      ? html`<blockquote dir="auto">${place.before}<mark>${place.match}</mark>${place.after}</blockquote>`
      : html`<blockquote dir="auto">${plain(cited.quote) || html`<span class="quiet">(no quote)</span>`}</blockquote>`}
  </figure>`;
}

/** Where the quoted words stand, whatever the spaces between them; with some of what stands around. */
function passageWith(cited, passages) {
  const words = plain(cited.quote).split(/\s+/u).filter(Boolean);
  if (!words.length || words.length > 400) return null;
  const pattern = new RegExp(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&")).join("\\s+"), "iu");
  const address = cited.found_at || cited.url;
  const there = [...passages.filter((one) => one.url === address), ...passages];
  for (const one of there) {
    const text = plain(one.text);
    const found = pattern.exec(text);
    if (found) {
      const from = Math.max(0, found.index - 200);
      const to = found.index + found[0].length;
      return { before: (from ? "…" : "") + text.slice(from, found.index), match: found[0], after: text.slice(to, to + 200) + (to + 200 < text.length ? "…" : "") };
    }
  }
  return null;
}
