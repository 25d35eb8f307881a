// What was deliberated: a list with full-text search, filters and paging. Two of it can be compared.

import { get } from "./api.js";
import { Failure, Loaded, moment, useResource, useSettled, wordsOf } from "./resource.js";
import { Chip, html, oneLine, plain } from "./ui.js";
import { useEffect, useRef, useState } from "./vendor/hooks.js";

const EACH = 20;
const STATES = {
  decided: ["✓", "finished"],
  turned_away: ["⊘", "turned away"],
  failed: ["⚠", "couldn't be asked"],
  halted: ["■", "stopped"],
  waiting: ["☞", "waits for a person"],
  running: ["…", "running"],
};
const SINCE = [["", "any time"], ["24h", "the last day"], ["7d", "the last week"], ["4w", "the last 4 weeks"], ["52w", "the last year"]];
const FILTERS = ["search", "state", "protocol", "since", "awaits"];

/** A state as sign and word. */
export function StateMark({ item }) {
  const [sign, words] = STATES[item.running ? "running" : item.state] ?? ["?", plain(item.state)];
  return html`<span class="state"><span aria-hidden="true">${sign}</span> ${words}</span>`;
}

/** What was said in the address: `#/history/search=…&state=…`. */
function fromAddress(params) {
  const said = new URLSearchParams(params.join("/"));
  return Object.fromEntries(FILTERS.map((name) => [name, said.get(name) ?? ""]));
}

function queryOf(filters) {
  return new URLSearchParams(Object.entries(filters).filter(([, value]) => value.trim()));
}

/** @param {{ params: string[] }} props */
export function History({ params }) {
  const [filters, setFilters] = useState(() => fromAddress(params));
  const settled = useSettled(filters, 250);
  const protocols = useResource(() => get("/api/protocols"), []);
  const first = useResource(() => get(`/api/deliberations?${queryOf({ ...settled, limit: String(EACH) })}`), [settled]);
  useEffect(() => {
    const said = queryOf(settled).toString();
    history.replaceState(null, "", `#/history${said ? `/${encodeURIComponent(said)}` : ""}`);
  }, [settled]);
  const search = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => listenForSlash(search), []);
  const change = (part) => setFilters((before) => ({ ...before, ...part }));
  return html`<section class="room" aria-labelledby="history-title">
    <h1 id="history-title">History</h1>
    <form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
      <label class="wide">Search in questions and in what was said
        <input ref=${search} type="search" value=${filters.search} onInput=${(event) => change({ search: event.currentTarget.value })} aria-keyshortcuts="/" autocomplete="off" />
      </label>
      <${Select} label="State" value=${filters.state} onChange=${(state) => change({ state })} choices=${[["", "any"], ...Object.entries(STATES).filter(([name]) => name !== "running").map(([name, [, words]]) => [name, words])]} />
      <${Select} label="Protocol" value=${filters.protocol} onChange=${(protocol) => change({ protocol })} choices=${[["", "any"], ...(protocols.data ?? []).map((one) => [one.name, one.title])]} />
      <${Select} label="Started" value=${filters.since} onChange=${(since) => change({ since })} choices=${SINCE} />
      <label class="check"><input type="checkbox" checked=${filters.awaits === "true"} onChange=${(event) => change({ awaits: event.currentTarget.checked ? "true" : "" })} /> awaits a review</label>
    </form>
    <${Loaded} resource=${first}><${Records} key=${JSON.stringify(settled)} first=${first.data} filters=${settled} busy=${first.loading} /><//>
  </section>`;
}

function listenForSlash(search) {
  const pressed = (event) => {
    const typing = event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/u.test(event.target.tagName);
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.current?.focus();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

export function Select({ label, value, choices, onChange }) {
  return html`<label>${label}
    <select value=${value} onChange=${(event) => onChange(event.currentTarget.value)}>${choices.map(([name, words]) => html`<option key=${name} value=${name}>${plain(words)}</option>`)}</select>
  </label>`;
}

function Records({ first, filters, busy }) {
  const [more, setMore] = useState({ items: /** @type {any[]} */ ([]), next: first.next, error: "" });
  const [picked, setPicked] = useState(/** @type {string[]} */ ([]));
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  useEffect(() => setMore({ items: [], next: first.next, error: "" }), [first]);
  const items = [...first.items, ...more.items];
  const load = async () => {
    try {
      const page = await get(`/api/deliberations?${queryOf({ ...filters, limit: String(EACH), before: more.next })}`);
      setMore({ items: [...more.items, ...page.items], next: page.next, error: "" });
    } catch (error) {
      setMore({ ...more, error: wordsOf(error) });
    }
  };
  const pick = (id) => setPicked(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked.slice(-1), id]);
  const filtered = queryOf(filters).size > 0;
  if (!items.length) return html`<${Nothing} filtered=${filtered} />`;
  return html`<p class="quiet" role="status">${busy ? "Looking…" : `${items.length}${more.next ? " shown, there are more" : filtered ? " found" : " in all"}`}</p>
    <ul class="records" ref=${list} onKeyDown=${(event) => arrow(event, list.current)}>
      ${items.map((item) => html`<${RecordLine} key=${item.id} item=${item} picked=${picked.includes(item.id)} onPick=${() => pick(item.id)} />`)}
    </ul>
    ${more.error && html`<${Failure} message=${more.error} />`}
    ${more.next && html`<p><button type="button" onClick=${load}>Show more</button></p>`}
    ${picked.length > 0 && html`<p class="compare-bar card" role="status">${picked.length === 1 ? "Choose one more to compare." : html`<a href=${`#/compare/${picked.map(encodeURIComponent).join("/")}`}>Compare these two</a>`}</p>`}`;
}

/** Up and down go from question to question. */
function arrow(event, list) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const links = [...(list?.querySelectorAll("a.question-link") ?? [])];
  const at = links.indexOf(document.activeElement);
  const next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}

function Nothing({ filtered }) {
  return filtered
    ? html`<p class="quiet nothing-here" role="status">Nothing fits these filters. Try fewer words or another state.</p>`
    : html`<div class="nothing-here" role="status"><p>Nothing has been deliberated here yet.</p><p><a href="#/new">Ask the first question</a></p></div>`;
}

const CHECKS = {
  broken: "the record was damaged or changed",
  differs: "the verdict does not follow from the record",
  other_version: "written by another version",
  forgotten: "its words were deleted",
  partly_forgotten: "some of its words were deleted",
};

export function RecordLine({ item, picked, onPick, children }) {
  const odd = CHECKS[item.check];
  return html`<li class="record card">
    <a class="question-link" href=${`#/d/${encodeURIComponent(item.id)}`} dir="auto">${oneLine(item.question, 240) || "(an empty question)"}</a>
    <p class="record-facts">
      <${StateMark} item=${item} />
      ${item.outcome && html`<${Chip} choice=${item.outcome} />`}
      <span class="quiet">${plain(item.protocol)}</span>
      <time class="quiet" datetime=${item.begun}>${moment(item.begun)}</time>
      ${item.review && html`<span class="quiet">${item.review.state === "pending" ? "awaits a review" : `reviewed: ${oneLine(item.review.outcome, 60)}`}</span>`}
      ${item.imported && html`<span class="quiet">imported</span>`}
      ${odd && html`<span class="caution"><span aria-hidden="true">▲</span> ${odd}</span>`}
    </p>
    ${onPick && html`<label class="check pick"><input type="checkbox" checked=${picked} onChange=${onPick} /> compare<span class="visually-hidden">: ${oneLine(item.question, 80)}</span></label>`}
    ${children && html`<div class="record-more">${children}</div>`}
  </li>`;
}
