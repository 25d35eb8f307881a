// A bar chart as SVG, with the same figures as a table for whoever reads it otherwise.

import { html, oneLine, plain } from "./ui.js";

const WIDE = 340;
const NAMES = 160;
const ENDS = 74;
const ROW = 26;
const MOST = 12;

/**
 * Bars with a name and a figure; `parts` are drawn one on the other, the first one filled, the rest outlined.
 * @param {{ title: string, head: string[], rows: { name: string, parts: number[], told: string, cells: (string | number)[] }[] }} props
 */
export function Bars({ title, head, rows }) {
  const most = Math.max(1, ...rows.map((row) => row.parts.reduce((sum, part) => sum + part, 0)));
  const drawn = rows.slice(0, MOST);
  const high = drawn.length * ROW + 4;
  return html`<figure class="chart bars">
    <figcaption>${title}</figcaption>
    <svg viewBox=${`0 0 ${WIDE} ${high}`} role="img" aria-label=${`${title}; the table below has the figures`}>
      ${drawn.map((row, at) => html`<${Bar} key=${at} row=${row} top=${at * ROW + 4} most=${most} />`)}
    </svg>
    ${rows.length > MOST && html`<p class="quiet label">The first ${MOST}; the table has all ${rows.length}.</p>`}
    <details><summary>As a table</summary>
      <div class="scroll" tabindex="0" role="group" aria-label=${title}>
        <table>
          <thead><tr>${head.map((cell, at) => html`<th key=${at} scope="col">${plain(cell)}</th>`)}</tr></thead>
          <tbody>${rows.map((row, at) => html`<tr key=${at}><th scope="row">${plain(row.name)}</th>${row.cells.map((cell, column) => html`<td key=${column}>${plain(cell)}</td>`)}</tr>`)}</tbody>
        </table>
      </div>
    </details>
  </figure>`;
}

function Bar({ row, top, most }) {
  const room = WIDE - NAMES - ENDS;
  let left = NAMES;
  return html`<g>
    <text x=${NAMES - 8} y=${top + 13} text-anchor="end">${oneLine(row.name, 19)}</text>
    ${row.parts.map((part, at) => {
      const wide = (part / most) * room;
      left += wide;
      return html`<rect key=${at} class=${at ? "part rest" : "part"} x=${left - wide} y=${top} width=${wide} height="18" rx="3" />`;
    })}
    <text class="end" x=${left + 6} y=${top + 13}>${oneLine(row.told, 12)}</text>
  </g>`;
}
