// The floor: one column per seat, round by round; who is thinking, who challenges whom, what changed, and the tally.

import { Markdown } from "./markdown.js";
import { Chip, Position, counted, duration, html, initials, oneLine, percent, plain, strength } from "./ui.js";
import { useLayoutEffect, useRef, useState } from "./vendor/hooks.js";

/**
 * @param {{ state: import("./fold.js").PageState, words: Map<string, string> }} props
 */
export function Floor({ state, words }) {
  const shown = state.rounds.filter((round) => round.turns.length || pendingIn(state, round.name).length);
  return html`<section class="floor" aria-labelledby="floor-title">
    <h2 id="floor-title">What was said</h2>
    <${Tally} state=${state} />
    <${Steps} state=${state} />
    ${shown.map((round) => html`<${Round} key=${round.name} round=${round} state=${state} words=${words} />`)}
    ${!shown.length && html`<p class="quiet">Nobody has spoken yet.</p>`}
    ${state.notices.length > 0 && html`<${Notices} notices=${state.notices} />`}
  </section>`;
}

function Notices({ notices }) {
  return html`<aside class="notices" aria-label="Notices">
    <ul>
      ${notices.map((one) => html`<li key=${one.number}>${plain(one.text)}</li>`)}
    </ul>
  </aside>`;
}

function pendingIn(state, round) {
  return [...state.pending.values()].filter((one) => one.round === round);
}

/** The rounds in their order, and which one is under way. */
function Steps({ state }) {
  if (state.rounds.length < 2) return null;
  const open = state.rounds.findLastIndex((round) => round.turns.length || pendingIn(state, round.name).length);
  return html`<ol class="steps" aria-label="Rounds">
    ${state.rounds.map((round, at) => {
      const done = (at < open || Boolean(state.decided)) && wasHeld(state, round);
      const now = at === open && !state.decided;
      return html`<li key=${round.name} class=${done ? "done" : now ? "now" : ""} aria-current=${now ? "step" : null}>
        <span class="dot" aria-hidden="true">${done ? "✓" : at + 1}</span> ${plain(round.title)}
      </li>`;
    })}
  </ol>`;
}

/** Whether anybody spoke in a round; in a last one without a word the ballots of all who were needed are locked in. */
function wasHeld(state, round) {
  const part = state.decided?.verdict?.participation;
  const locked = round === state.rounds.at(-1) && !round.turns.length && part?.received > 0 && !part.not_needed;
  return locked || round.turns.some((turn) => turn.kind === "spoke");
}

/** How the seats stand: as it forms, then as it was counted. */
export function Tally({ state }) {
  const voters = state.seats.filter((seat) => seat.powers.includes("vote")).length;
  if (!state.tally.length) return null;
  const weighed = state.tally.some((row) => row.weight !== undefined);
  const heaviest = Math.max(...state.tally.map((row) => row.weight ?? 0), 0.001);
  return html`<div class="tally" role="group" aria-label=${state.decided ? "The tally" : "The tally as it forms"}>
    ${state.tally.map((row) => {
      const share = weighed ? row.weight / heaviest : row.heads / Math.max(1, voters);
      const told = weighed ? `strength ${strength(row.weight)}` : `${row.heads} of ${counted(voters, "seat")}`;
      return html`<div class="tally-row" key=${row.choice}>
        <span class="tally-choice"><${Chip} choice=${row.choice} /></span>
        <span class="bar" aria-hidden="true"><span class="fill" style=${{ width: `${Math.round(share * 100)}%` }}></span></span>
        <span class="tally-count">${told}<span class="quiet"> · ${row.seats.map((seat) => oneLine(seat)).join(", ")}</span></span>
      </div>`;
    })}
  </div>`;
}

function Round({ round, state, words }) {
  const at = state.rounds.indexOf(round) + 1;
  const pending = pendingIn(state, round.name);
  const threads = round.turns.filter((turn) => turn.about && turn.kind === "spoke");
  const seats = speaking(state, round, pending);
  const title = `round-${at}`;
  const label = /^Round \d+$/u.test(round.title) ? round.title : `Round ${at} · ${plain(round.title)}`;
  return html`<section class="round" aria-labelledby=${title}>
    <h3 id=${title}>${label}</h3>
    ${threads.length > 0 && html`<p class="legend"><span class="key challenge"><span aria-hidden="true">⚔</span> challenges one who chose otherwise</span><span class="key agree"><span aria-hidden="true">≈</span> questions one who chose the same</span></p>`}
    <div class="scroll" tabindex="0" role="group" aria-label=${`${label}, seat by seat`}>
      <div class="lane" style=${{ "--seats": seats.length }}>
        ${threads.length > 0 && html`<${Threads} turns=${threads} seats=${seats} />`}
        <div class="columns">
          ${seats.map((seat) => html`<${Column} key=${seat.name} seat=${seat} round=${round} pending=${pending} words=${words} over=${Boolean(state.decided)} />`)}
        </div>
      </div>
    </div>
  </section>`;
}

const FEW = 4;

/** Seats that have a part in this round; a few keep their places all the time. */
function speaking(state, round, pending) {
  if (state.seats.length <= FEW) return state.seats;
  const there = new Set([...round.turns, ...pending].flatMap((one) => [one.seat, one.about]));
  return state.seats.filter((seat) => there.has(seat.name));
}

function Column({ seat, round, pending, words, over }) {
  const turns = round.turns.filter((turn) => turn.seat === seat.name);
  const open = pending.filter((one) => one.seat === seat.name);
  return html`<div class="column">
    <header class="seat">
      <span class="avatar" aria-hidden="true">${initials(seat.name)}</span>
      <span class="who"><h4><bdi>${oneLine(seat.name, 60)}</bdi></h4><span class="quiet model"><bdi>${seat.person ? "a person" : oneLine(seat.model, 60)}</bdi></span></span>
    </header>
    ${turns.map((turn) => html`<${Turn} key=${turn.key} turn=${turn} />`)}
    ${open.map((one) => html`<${Thinking} key=${one.key} one=${one} words=${words.get(one.key) ?? ""} />`)}
    ${!turns.length && !open.length && html`<p class="quiet nothing">Not heard in this round${over ? "" : " yet"}.</p>`}
  </div>`;
}

/** A seat at work: what it has written so far, or that it is thinking. */
function Thinking({ one, words }) {
  const doing = one.person ? "waits for a person's answer" : words ? "is writing" : "is thinking";
  return html`<article class="turn pending" aria-label=${`${oneLine(one.seat)} ${doing}`}>
    <p class="doing"><span class="pulse" aria-hidden="true"><i></i><i></i><i></i></span> ${doing}${one.about && html`, about <bdi>${oneLine(one.about)}</bdi>`}${one.attempt > 1 && " (asked again)"}</p>
    ${words && html`<p class="prose streaming" dir="auto">${plain(words)}</p>`}
  </article>`;
}

const STANCES = {
  challenge: { sign: "⚔", words: "challenges" },
  agree: { sign: "≈", words: "questions" },
  "": { sign: "→", words: "on" },
};

/** One speech or silence. */
export function Turn({ turn }) {
  if (turn.kind !== "spoke") return html`<${Silence} turn=${turn} />`;
  return html`<article class="turn ${turn.stance}" id=${`entry-${turn.number}`}>
    ${turn.about && html`<${Stance} turn=${turn} />`}
    ${turn.vote && html`<${Vote} turn=${turn} />`}
    ${turn.looked?.length > 0 && html`<${Lookups} looked=${turn.looked} />`}
    ${turn.unreadable && !turn.lookups?.length && html`<p class="caution"><span aria-hidden="true">▲</span> This could not be counted (${plain(turn.unreadable)}); the seat is asked once more.</p>`}
    ${turn.text && html`<${Markdown} text=${turn.text} />`}
    ${turn.argument && html`<${Case} argument=${turn.argument} />`}
    ${turn.ballot && html`<${BallotLine} turn=${turn} />`}
    ${turn.vote?.evidence?.length > 0 && html`<p class="quiet">${counted(turn.vote.evidence.length, "source")} cited</p>`}
    <footer class="quiet">${footer(turn)}</footer>
  </article>`;
}

const ENFORCED = { schema: "its form was enforced by a schema", tool: "its form was enforced by a tool call" };

/** What was read as the ballot, word for word, for whoever doubts how it was read. */
function BallotLine({ turn }) {
  return html`<details><summary>The ballot as it came</summary>
    <pre dir="auto">${plain(turn.ballot)}</pre>
    <p class="quiet">${ENFORCED[turn.enforced_by] ?? "text with a mark; nothing enforced its form"}</p>
  </details>`;
}

/** What the seat looked up before it answered, or wants to see now. */
function Lookups({ looked }) {
  return html`<p class="quiet">Looked up: ${looked.map((one) => oneLine(one, 120)).join(" · ")}</p>`;
}

function footer(turn) {
  const parts = [turn.seconds ? duration(turn.seconds) : "", turn.tokens ? counted(turn.tokens, "token") : ""];
  if (turn.cautions?.length) parts.push(`noted: ${turn.cautions.map((one) => plain(one).replaceAll("_", " ")).join(", ")}`);
  return parts.filter(Boolean).join(" · ");
}

function Stance({ turn }) {
  const { sign, words } = STANCES[turn.stance] ?? STANCES[""];
  return html`<p class="stance"><span class="sign" aria-hidden="true">${sign}</span> ${words} <strong><bdi>${oneLine(turn.about, 60)}</bdi></strong></p>`;
}

/** The ballot; on a revision what it was before, too. */
function Vote({ turn }) {
  if (!turn.was) return html`<p class="vote"><${Position} vote=${turn.vote} /></p>`;
  return html`<p class="vote change">
    <span class="was"><span class="visually-hidden">before: </span><${Position} vote=${turn.was} /></span>
    <span class="arrow" aria-hidden="true">→</span>
    <span><span class="visually-hidden">now: </span><${Position} vote=${turn.vote} /></span>
    <span class="verb">${turn.moved ? "changed its mind" : "stays"}</span>
  </p>`;
}

function Case({ argument }) {
  return html`<div class="case">
    <p class="side">${argument.side === "pro" ? "For" : "Against"} · ${percent(argument.confidence)} sure</p>
    <ul>
      ${argument.claims.map((claim) => html`<li dir="auto">${plain(claim)}</li>`)}
    </ul>
    ${argument.evidence.length > 0 &&
    html`<p class="quiet label">Evidence</p>
      <ul class="evidence">
        ${argument.evidence.map((piece) => html`<li dir="auto">${plain(piece)}</li>`)}
      </ul>`}
  </div>`;
}

function Silence({ turn }) {
  const about = turn.about ? ` about ${oneLine(turn.about)}` : "";
  return html`<article class="turn silent" id=${`entry-${turn.number}`}>
    <p><span class="sign" aria-hidden="true">○</span> Silent${about}: ${plain(turn.words)}.</p>
    ${turn.detail && html`<p class="quiet">${plain(turn.detail)}</p>`}
  </article>`;
}

const HIGH = 92;

/** How wide an element is by now, told again whenever that changes. */
function useWidth() {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    const watch = new ResizeObserver(([seen]) => setWidth(Math.max(160, Math.round(seen.contentRect.width))));
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  return { element, width };
}

/** Threads from whoever speaks to the one spoken about: red against, green for, and said in words as well. */
function Threads({ turns, seats }) {
  const { element, width } = useWidth();
  const place = new Map(seats.map((seat, at) => [seat.name, ((at + 0.5) / seats.length) * width]));
  const drawn = turns.filter((turn) => place.has(turn.seat) && place.has(turn.about));
  const told = drawn.map((turn) => `${oneLine(turn.seat)} ${(STANCES[turn.stance] ?? STANCES[""]).words} ${oneLine(turn.about)}`);
  return html`<figure class="threads" ref=${element}>
    <svg width=${width} height=${HIGH} viewBox=${`0 0 ${width} ${HIGH}`} role="img" aria-label=${told.join("; ")}>
      ${drawn.map((turn) => html`<${Thread} key=${turn.key} turn=${turn} from=${place.get(turn.seat)} to=${place.get(turn.about)} />`)}
    </svg>
    <div class="ends" style=${{ "--seats": seats.length }} aria-hidden="true">${seats.map((seat) => html`<span key=${seat.name}><bdi>${oneLine(seat.name, 24)}</bdi></span>`)}</div>
  </figure>`;
}

/** Leaves a little beside where others arrive, so that the two ways between two seats do not cover each other. */
function Thread({ turn, from, to }) {
  const side = Math.sign(to - from);
  const begin = from + side * 12;
  const end = to - side * (side > 0 ? 20 : 28);
  const top = Math.max(0, HIGH - 44 - Math.abs(to - from) / 10) - (side > 0 ? 14 : 0);
  const curve = `M ${begin} ${HIGH - 3} C ${begin + side * 10} ${top}, ${end - side * 10} ${top}, ${end} ${HIGH - 5}`;
  return html`<g class="thread ${turn.stance}">
    <path class="way" d=${curve} pathLength="1" />
    <path class="tip" d=${`M ${end - 4.5} ${HIGH - 11} L ${end + side * 0.8} ${HIGH - 3} L ${end + 4.5} ${HIGH - 11}`} />
  </g>`;
}
