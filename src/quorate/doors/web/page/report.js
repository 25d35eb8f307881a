// The ledger report: how deliberations ended, what they cost, who stayed silent.

import { get } from "./api.js";
import { Bars } from "./bars.js";
import { Select } from "./history.js";
import { Loaded, useResource } from "./resource.js";
import { counted, html, percent, plain } from "./ui.js";
import { useState } from "./vendor/hooks.js";

const SINCE = [["", "the beginning"], ["24h", "yesterday"], ["7d", "a week ago"], ["4w", "4 weeks ago"], ["52w", "a year ago"]];

export function Report() {
  const [since, setSince] = useState("");
  const report = useResource(() => get(`/api/report${since ? `?since=${since}` : ""}`), [since]);
  return html`<section class="room" aria-labelledby="report-title">
    <h1 id="report-title">Report</h1>
    <form class="filters" onSubmit=${(event) => event.preventDefault()}><${Select} label="Since" value=${since} choices=${SINCE} onChange=${setSince} /></form>
    <${Loaded} resource=${report}><${Figures} told=${report.data} /><//>
  </section>`;
}

function Figures({ told }) {
  if (!told.deliberations) return html`<div class="nothing-here" role="status"><p>Nothing has been deliberated here in that time.</p><p><a href="#/new">Ask a question</a></p></div>`;
  const held = told.protocols.reduce((sum, one) => sum + one.held, 0);
  const sum = (name) => told.protocols.reduce((whole, one) => whole + one[name], 0);
  const calls = told.models.reduce((whole, one) => whole + one.calls, 0);
  const tokens = told.models.some((one) => one.tokens !== null)
    ? told.models.reduce((whole, one) => whole + (one.tokens ?? 0), 0)
    : told.models.length ? null : 0;
  const priced = told.models.every((one) => one.money !== null);
  const money = told.models.reduce((whole, one) => whole + (one.money ?? 0), 0);
  const figures = [
    ["Deliberations", told.deliberations],
    ["Decided", `${sum("decided")} (${percent(held ? sum("decided") / held : null)})`],
    ["Reviewed by a person", sum("reviewed")],
    ["Decided otherwise by a person", sum("overridden")],
    ["Asked of models", `${calls.toLocaleString("en")} calls, ${shownTokens(tokens)} tokens`],
    ["Price", priced ? `$${money.toFixed(4)}` : money ? `$${money.toFixed(4)}, and what has no known price` : "not known"],
  ];
  return html`<dl class="figures">${figures.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${told.unread > 0 && html`<p class="caution"><span aria-hidden="true">▲</span> ${counted(told.unread, "record")} could not be read.</p>`}
    <div class="bars-grid">
      <${Bars} title="Deliberations by protocol, and how many were decided" head=${["Protocol", "Held", "Decided", "All agreed", "Reviewed", "Decided otherwise"]} rows=${told.protocols.map(protocolRow)} />
      ${told.models.length > 0 && html`<${Bars} title="Calls by model" head=${SPENT("Model")} rows=${told.models.map((one) => spentRow(one.model, one))} />`}
      ${told.seats.length > 0 && html`<${Bars} title="Calls by seat" head=${SPENT("Seat")} rows=${told.seats.map((one) => spentRow(one.seat, one))} />`}
      ${told.silences.length > 0 && html`<${Bars} title="Why seats stayed silent" head=${["Reason", "Times"]} rows=${told.silences.map((one) => ({ name: plain(one.why).replaceAll("_", " "), parts: [one.times], told: counted(one.times, "time"), cells: [one.times] }))} />`}
    </div>`;
}

const SPENT = (name) => [name, "Calls", "Tokens", "Price"];

function protocolRow(one) {
  return {
    name: one.protocol,
    parts: [one.decided, one.held - one.decided],
    told: `${one.decided} of ${one.held}`,
    cells: [one.held, one.decided, percent(one.consensus_rate), one.reviewed, one.overridden],
  };
}

/** Tokens that no reply counts are unknown, not none. */
function shownTokens(tokens) {
  return tokens === null ? "unknown" : tokens.toLocaleString("en");
}

function spentRow(name, one) {
  const price = one.money === null ? "unknown" : `$${one.money.toFixed(4)}`;
  return { name, parts: [one.calls], told: `${counted(one.calls, "call")}`, cells: [one.calls, shownTokens(one.tokens), price] };
}
