// Charts as SVG, each with the same figures as a table for whoever reads it otherwise.

import { confidences } from "./fold.js";
import { html, meaning, oneLine, percent, plain } from "./ui.js";

const BOX = { wide: 380, high: 210, left: 60, right: 104, top: 12, bottom: 34 };
const SHAPES = ["●", "■", "▲", "◆", "✚", "★", "⬟", "⬢"];

/**
 * @param {{ state: import("./fold.js").PageState }} props
 */
export function Charts({ state }) {
  const confidence = confidences(state);
  const shown = [
    confidence.rounds.length > 0 && html`<${Confidence} found=${confidence} />`,
    state.similarity.length > 0 && html`<${Similarity} rounds=${state.similarity} />`,
    state.moves.length > 0 && html`<${Moves} moves=${state.moves} />`,
  ].filter(Boolean);
  if (!shown.length) return null;
  return html`<section class="charts" aria-labelledby="charts-title">
    <h2 id="charts-title">How it went</h2>
    <div class="chart-grid">${shown}</div>
  </section>`;
}

function xOf(at, count) {
  const room = BOX.wide - BOX.left - BOX.right;
  return BOX.left + (count > 1 ? (at / (count - 1)) * room : room / 2);
}

function yOf(value) {
  return BOX.top + (1 - value) * (BOX.high - BOX.top - BOX.bottom);
}

function Axes({ rounds }) {
  return html`<g class="axes">
    ${[0, 0.5, 1].map(
      (value) => html`<g key=${value}><line x1=${BOX.left} x2=${BOX.wide - BOX.right} y1=${yOf(value)} y2=${yOf(value)} /><text x=${BOX.left - 6} y=${yOf(value) + 4} text-anchor="end">${value * 100} %</text></g>`,
    )}
    ${rounds.map((title, at) => html`<text key=${at} x=${xOf(at, rounds.length)} y=${BOX.high - 12} text-anchor=${anchor(at, rounds.length)}>${oneLine(title, 18)}</text>`)}
  </g>`;
}

function anchor(at, count) {
  return at === 0 && count > 1 ? "start" : at === count - 1 && count > 1 ? "end" : "middle";
}

/** Labels at the ends of lines, pushed apart so that none covers another. */
function spread(ends) {
  const sorted = ends.toSorted((one, other) => one.y - other.y);
  let last = BOX.top - 13;
  for (const one of sorted) {
    one.label = Math.max(one.y, last + 13);
    last = one.label;
  }
  return sorted;
}

function Lines({ lines, rounds }) {
  const ends = spread(
    lines.map((line, at) => {
      const last = line.points.findLastIndex(Boolean);
      return { name: line.seat, sign: SHAPES[at % SHAPES.length], x: xOf(last, rounds.length), y: yOf(line.points[last].value), label: 0 };
    }),
  );
  return html`<${Axes} rounds=${rounds} />
    ${lines.map((line, at) => {
      const beside = (at - (lines.length - 1) / 2) * (rounds.length > 1 ? 7 : 15); // equal values stand side by side
      const points = line.points.flatMap((point, round) => (point ? [{ ...point, x: xOf(round, rounds.length) + beside, y: yOf(point.value) }] : []));
      return html`<g key=${line.seat} class="line">
        <polyline points=${points.map(({ x, y }) => `${x},${y}`).join(" ")} />
        ${points.map(({ x, y, choice }, round) => html`<text key=${round} class="mark ${meaning(choice).tone}" x=${x} y=${y + 4.5} text-anchor="middle">${SHAPES[at % SHAPES.length]}</text>`)}
      </g>`;
    })}
    ${ends.map((end) => html`<text key=${end.name} class="end" x=${BOX.wide - BOX.right + 10} y=${end.label + 4}>${end.sign} ${oneLine(end.name, 12)}</text>`)}`;
}

function Chart({ title, label, children, table }) {
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg viewBox=${`0 0 ${BOX.wide} ${BOX.high}`} role="img" aria-label=${label}>${children}</svg>
    <details><summary>As a table</summary>${table}</details>
  </figure>`;
}

function Table({ head, rows }) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${head.map((cell, at) => html`<th key=${at} scope="col">${plain(cell)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row, at) => html`<tr key=${at}>${row.map((cell, column) => (column ? html`<td key=${column}>${plain(cell)}</td>` : html`<th key=${column} scope="row">${plain(cell)}</th>`))}</tr>`)}
      </tbody>
    </table>
  </div>`;
}

function Confidence({ found }) {
  const rows = found.seats.map((line) => [line.seat, ...line.points.map((point) => (point ? `${percent(point.value)} (${oneLine(point.choice, 40)})` : "–"))]);
  const table = html`<${Table} head=${["Seat", ...found.rounds]} rows=${rows} />`;
  return html`<${Chart} title="How sure each seat was" label="Confidence by round and seat; the table below has the figures" table=${table}>
    <${Lines} lines=${found.seats} rounds=${found.rounds} />
  <//>`;
}

function Similarity({ rounds }) {
  const sorted = rounds.toSorted((one, other) => one.round - other.round);
  const seats = [...new Set(sorted.flatMap((one) => one.each.map(({ seat }) => seat)))];
  const lines = seats.map((seat) => ({
    seat,
    points: sorted.map((one) => {
      const found = one.each.find((each) => each.seat === seat);
      return found ? { value: found.score, choice: "" } : null;
    }),
  }));
  const head = ["Seat", ...sorted.map((one) => `Round ${one.round}`)];
  const rows = lines.map((line) => [line.seat, ...line.points.map((point) => (point ? percent(point.value) : "–"))]);
  const status = sorted.at(-1)?.status ?? "";
  const table = html`<${Table} head=${head} rows=${rows} />`;
  return html`<${Chart} title=${`How alike each seat's words are to its own of the round before${status ? `: ${status}` : ""}`} label="Similarity by round and seat; the table below has the figures" table=${table}>
    <${Lines} lines=${lines} rounds=${sorted.map((one) => `Round ${one.round}`)} />
  <//>`;
}

/** Who changed its mind, from what to what, and who held that already. */
function Moves({ moves }) {
  return html`<figure class="chart moves">
    <figcaption>Who moved, and towards whom</figcaption>
    <ul>
      ${moves.map(
        (move, at) => html`<li key=${at}>
          <strong><bdi>${oneLine(move.seat, 40)}</bdi></strong>
          <svg viewBox="0 0 60 16" class="moved" role="img" aria-label="moved to"><path d="M2 8H54M47 3l8 5-8 5" /></svg>
          <span>${move.toward.length ? html`<strong><bdi>${move.toward.map((seat) => oneLine(seat, 40)).join(", ")}</bdi></strong>` : html`<span class="quiet">nobody else's position</span>`}</span>
          <span class="quiet">${oneLine(move.from, 40)} → ${oneLine(move.to, 40)}, ${plain(move.title)}</span>
        </li>`,
      )}
    </ul>
  </figure>`;
}
