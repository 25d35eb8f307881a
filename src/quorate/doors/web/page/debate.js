// A debate's two sides: their strengths round by round, what each claims, and on what evidence.

import { useRecordView } from "./record_view.js";
import { html, meaning, oneLine, percent, plain, strength } from "./ui.js";

const BOX = { wide: 420, high: 200, left: 44, right: 16, top: 14, bottom: 34 };
const SIDES = { pro: { sign: "●", words: "For" }, con: { sign: "■", words: "Against" } };

/** @param {{ id: string, state: import("./fold.js").PageState, served: boolean, view?: any }} props */
export function DebatePart({ id, state, served, view }) {
  const found = useRecordView("debate", { id, state, served, view });
  const rounds = (found?.rounds ?? []).map((round) => shownOf(round, state)).filter((round) => round.arguments.length);
  if (!rounds.length) return null;
  return html`<section class="debate" aria-labelledby="debate-title">
    <h2 id="debate-title">Two sides</h2>
    <${Strengths} rounds=${rounds} />
    <div class="sides">${Object.keys(SIDES).map((side) => html`<${Side} key=${side} side=${side} rounds=${rounds} />`)}</div>
    <${Moderator} rounds=${rounds} />
  </section>`;
}

/** What of a round had been heard at the moment that is shown. */
function shownOf(round, state) {
  const turns = state.rounds.find((one) => one.name === String(round.round))?.turns ?? [];
  const heard = (seat) => turns.some((turn) => turn.seat === seat && turn.kind === "spoke");
  const spoke = turns.some((turn) => turn.kind === "spoke" && turn.vote);
  return { ...round, arguments: round.arguments.filter((one) => heard(one.seat)), moderator: spoke || state.decided ? round.moderator : null };
}

function weightOf(round, side) {
  const weights = round.arguments.filter((one) => one.side === side && one.strength !== null).map((one) => one.strength);
  return weights.length ? weights.reduce((sum, one) => sum + one, 0) : null;
}

function Strengths({ rounds }) {
  const lines = Object.entries(SIDES).map(([side, { sign, words }]) => ({ side, sign, words, points: rounds.map((round) => weightOf(round, side)) }));
  const most = Math.max(0.1, ...lines.flatMap((line) => line.points.filter((value) => value !== null)));
  const x = (at) => BOX.left + 18 + (rounds.length > 1 ? at / (rounds.length - 1) : 0.5) * (BOX.wide - BOX.left - BOX.right - 18);
  const y = (value) => BOX.top + (1 - value / most) * (BOX.high - BOX.top - BOX.bottom);
  return html`<figure class="chart strengths">
    <figcaption>How strong each side was, round by round</figcaption>
    <svg viewBox=${`0 0 ${BOX.wide} ${BOX.high}`} role="img" aria-label="Strength of both sides by round; the table below has the figures">
      <g class="axes">${[0, most / 2, most].map((value) => html`<g key=${value}><line x1=${BOX.left} x2=${BOX.wide - BOX.right} y1=${y(value)} y2=${y(value)} /><text x=${BOX.left - 6} y=${y(value) + 4} text-anchor="end">${strength(value)}</text></g>`)}
        ${rounds.map((round, at) => html`<text key=${at} x=${x(at)} y=${BOX.high - 10} text-anchor=${rounds.length > 1 && at === 0 ? "start" : rounds.length > 1 && at === rounds.length - 1 ? "end" : "middle"}>Round ${round.round}</text>`)}</g>
      ${lines.map((line) => html`<g key=${line.side} class="line ${line.side}">
        <polyline points=${line.points.flatMap((value, at) => (value === null ? [] : [`${x(at)},${y(value)}`])).join(" ")} />
        ${line.points.map((value, at) => value !== null && html`<text key=${at} class="mark" x=${x(at)} y=${y(value) + 4.5} text-anchor="middle">${line.sign}</text>`)}
      </g>`)}
    </svg>
    <p class="legend">${lines.map((line) => html`<span key=${line.side} class="key ${line.side}"><span aria-hidden="true">${line.sign}</span> ${line.words}</span>`)}</p>
    <details><summary>As a table</summary>
      <div class="scroll" tabindex="0" role="group" aria-label="Strength by round"><table>
        <thead><tr><th scope="col">Side</th>${rounds.map((round) => html`<th key=${round.round} scope="col">Round ${round.round}</th>`)}</tr></thead>
        <tbody>${lines.map((line) => html`<tr key=${line.side}><th scope="row">${line.words}</th>${line.points.map((value, at) => html`<td key=${at}>${value === null ? "not counted" : value.toFixed(2)}</td>`)}</tr>`)}</tbody>
      </table></div>
    </details>
  </figure>`;
}

function Side({ side, rounds }) {
  const { sign, words } = SIDES[side];
  return html`<article class="side card ${side}" aria-label=${words}>
    <h3><span aria-hidden="true">${sign}</span> ${words}</h3>
    ${rounds.map((round) => html`<div key=${round.round} class="side-round">
      <h4 class="quiet">Round ${round.round}${round.counts ? "" : " (does not count)"}</h4>
      ${round.arguments.filter((one) => one.side === side).map((one) => html`<${Case} key=${one.seat} one=${one} />`)}
    </div>`)}
  </article>`;
}

function Case({ one }) {
  return html`<div class="case-of">
    <p><strong><bdi>${oneLine(one.seat, 60)}</bdi></strong> <span class="quiet">${one.strength === null ? "not counted" : `strength ${one.strength.toFixed(2)}`}, ${percent(one.confidence)} sure</span></p>
    <ul class="claims">${one.claims.map((claim, at) => html`<li key=${at} dir="auto">${plain(claim)}</li>`)}</ul>
    ${one.evidence.length > 0 && html`<details><summary>Evidence (${one.evidence.length})</summary><ul class="evidence">${one.evidence.map((piece, at) => html`<li key=${at}><span dir="auto">${plain(piece.text)}</span> <span class="quiet">${evidenceWords(piece)}</span></li>`)}</ul></details>`}
  </div>`;
}

function evidenceWords(piece) {
  const kind = plain(piece.kind).replaceAll("_", " ");
  const found = piece.found === true ? ", found in the material" : piece.found === false ? ", not found in the material" : "";
  return `(${kind}${found}; ${percent(piece.mark)})`;
}

/** What the moderator made of each round; it decides nothing. */
function Moderator({ rounds }) {
  const said = rounds.filter((round) => round.moderator);
  if (!said.length) return null;
  return html`<div class="moderator">
    <h3>The moderator, who decides nothing</h3>
    <ul>${said.map((round) => html`<li key=${round.round}>Round ${round.round}: leans <strong class=${meaning(round.moderator.leaning).tone}>${plain(round.moderator.leaning)}</strong>, ${percent(round.moderator.confidence)} settled. ${plain(round.moderator.points)}</li>`)}</ul>
  </div>`;
}
