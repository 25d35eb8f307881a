// The verdict: what was decided, why, on what points, by which rule, and what to watch out for.

import { Chip, counted, duration, html, meaning, oneLine, percent, plain, strength } from "./ui.js";

const KINDS = { reason: "Reason", dissent: "Disagrees", source: "Source" };

/**
 * @param {{ state: import("./fold.js").PageState }} props
 */
export function Verdict({ state }) {
  const { decided } = state;
  if (!decided?.verdict) return html`<${Underway} state=${state} />`;
  const { verdict } = decided;
  return html`<section class="verdict ${verdict.decided ? meaning(verdict.outcome).tone : "open"}" aria-labelledby="verdict-title">
    <div class="verdict-main">
      <${Headline} verdict=${verdict} turnedAway=${decided.kind === "turned_away"} />
      ${verdict.demo && html`<p class="caution"><span aria-hidden="true">▲</span> A demonstration: these answers carry no information.</p>`}
      <${Conditions} points=${verdict.points} />
      <p class="because">${sentence(verdict.because)}</p>
      <${Figures} verdict=${verdict} state=${state} />
      <${Review} verdict=${verdict} reviews=${state.reviews} />
      <${TurnedOut} said=${state.turnedOut} />
    </div>
    <div class="verdict-side">
      <${Points} points=${verdict.points} />
      <${Cautions} cautions=${verdict.cautions} />
      <${Rules} decided=${decided} />
    </div>
  </section>`;
}

/** @param {string} text */
export function sentence(text) {
  const words = plain(text).trim();
  return words ? words[0].toUpperCase() + words.slice(1) + (/[.!?…]$/u.test(words) ? "" : ".") : "";
}

export function Headline({ verdict, turnedAway = false, id = "verdict-title" }) {
  const { tone, sign } = verdict.decided ? meaning(verdict.outcome) : { tone: "open", sign: "?" };
  const label = turnedAway ? "Turned away" : verdict.decided ? "Verdict" : "No decision";
  return html`<h2 id=${id} class="headline">
    <span class="label">${label}</span>
    <span class="outcome">${tone !== "plain" && html`<span class="sign" aria-hidden="true">${sign}</span>`}<bdi>${verdict.outcome ? oneLine(verdict.outcome, 300) : "undecided"}</bdi></span>
  </h2>`;
}

function Underway({ state }) {
  if (state.failures.length) {
    return html`<section class="verdict underway" aria-labelledby="verdict-title">
      <h2 id="verdict-title" class="headline"><span class="label">The panel couldn't be asked</span></h2>
      ${state.failures.map((why) => html`<p class="because" key=${why}>${plain(why)}</p>`)}
      <p class="quiet">Nothing was decided. Once that is put right, resume it.</p>
    </section>`;
  }
  const words = {
    running: "The panel is deliberating.",
    waiting: "The panel waits for a person's answer.",
    halted: `The deliberation was stopped: ${plain(state.halted)}.`,
  };
  const seats = [...new Set([...state.pending.values()].map((one) => oneLine(one.seat, 40)))];
  const round = [...state.pending.values()].at(-1)?.title;
  return html`<section class="verdict underway" aria-labelledby="verdict-title">
    <h2 id="verdict-title" class="headline"><span class="label">No verdict yet</span></h2>
    <p class="because">${words[state.status] ?? words.running}</p>
    ${seats.length > 0 && html`<p class="quiet">${plain(round)}: waiting for <bdi>${seats.join(", ")}</bdi>.</p>`}
  </section>`;
}

/** Numbers with their unit and what they are of. */
export function Figures({ verdict, state }) {
  const part = verdict.participation;
  const figures = [
    verdict.agreement !== null && ["Agreement", percent(verdict.agreement) + behind(verdict)],
    verdict.confidence !== null && ["Confidence", percent(verdict.confidence)],
    ["Counted", `${part.received + part.carried} of ${counted(part.eligible, "seat")}`],
    verdict.sealed && ["Before the talk", verdict.sealed.outcome ? oneLine(verdict.sealed.outcome, 60) : "no outcome"],
    state?.convened?.files?.length > 0 && ["Files read", state.convened.files.map(fileOf).join(", ")],
    state && ["Time", duration(state.seconds)],
    state && ["Calls", String(state.calls)],
  ].filter(Boolean);
  return html`<dl class="figures">
      ${figures.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
    <${Votes} verdict=${verdict} />`;
}

/** @returns {string} */
function fileOf({ name, size, left_out: why }) {
  return why ? `${oneLine(name, 80)} left out: ${oneLine(why, 80)}` : `${oneLine(name, 80)} (${counted(size, "byte")})`;
}

/** What the agreement is on, where that is not simply the outcome. @returns {string} */
function behind(verdict) {
  if (verdict.votes.some((vote) => vote.ranking)) return " rank it first";
  const on = verdict.agreement_on;
  return on && on !== verdict.outcome ? ` on ${oneLine(on, 60)}` : "";
}

function Votes({ verdict }) {
  const notNeeded = verdict.without_vote.filter((seat) => seat.why === "not_needed");
  if (!verdict.votes.length && !notNeeded.length) return null;
  return html`<ul class="votes" aria-label="Votes as they were counted">
    ${verdict.votes.map((vote, at) => {
      const sure = vote.confidence === null ? "" : `${percent(vote.confidence)} sure`;
      const weighed = vote.strength === undefined ? "" : `round ${vote.round}, strength ${strength(vote.strength)}`;
      const note = vote.assumed ? "assumed, for the seat was silent" : [weighed, sure].filter(Boolean).join(", ");
      const own = vote.words && vote.words !== vote.choice ? `in its words: ${oneLine(vote.words, 80)}` : "";
      return html`<li key=${at}><span class="name"><bdi>${oneLine(vote.seat, 60)}</bdi></span> <${Chip} choice=${vote.choice} note=${[own, note].filter(Boolean).join(", ")} /></li>`;
    })}
    ${notNeeded.map(({ seat, sealed }) => {
      const note = sealed ? "what it had sealed; its final ballot was not needed" : "its ballot was not needed";
      return html`<li key=${seat}><span class="name"><bdi>${oneLine(seat, 60)}</bdi></span> <${Chip} choice=${sealed ?? "no vote"} note=${note} /></li>`;
    })}
  </ul>
  ${verdict.merged.map(({ option, wordings }) => html`<p key=${option} class="quiet">Counted as one option: <bdi>${wordings.map((one) => `“${oneLine(one, 80)}”`).join(" and ")}</bdi></p>`)}`;
}

/** What must hold before anyone goes ahead, whole. */
function Conditions({ points }) {
  const asked = points.filter((point) => point.kind === "condition");
  if (!asked.length) return null;
  return html`<div class="conditions">
    <h3>Go ahead only if</h3>
    <ul>
      ${asked.map((point, at) => html`<li key=${at}><span dir="auto">${plain(point.text)}</span> (<bdi>${seatsOf(point)}</bdi>)</li>`)}
    </ul>
  </div>`;
}

/** @returns {string} */
function seatsOf(point) {
  return point.seats.map((seat) => oneLine(seat, 60)).join(", ");
}

function Points({ points }) {
  const others = points.filter((point) => point.kind !== "condition");
  if (!others.length) return null;
  return html`<div class="points">
    <h3>Main points</h3>
    ${others.map(
      (point, at) => html`<figure key=${at} class=${point.kind}>
        <blockquote dir="auto">${plain(point.text)}</blockquote>
        <figcaption><bdi>${seatsOf(point)}</bdi> · ${KINDS[point.kind] ?? point.kind}${point.choice ? html` for <bdi>${oneLine(point.choice, 60)}</bdi>` : ""}</figcaption>
      </figure>`,
    )}
  </div>`;
}

function Cautions({ cautions }) {
  if (!cautions.length) return null;
  return html`<div class="cautions">
    <h3>What to watch out for</h3>
    <ul>
      ${cautions.map((one, at) => html`<li key=${at}><span class="sign" aria-hidden="true">▲</span> ${one.seat && !one.text.startsWith(one.seat) ? html`<bdi>${oneLine(one.seat)}</bdi>: ` : ""}${sentence(one.text)}</li>`)}
    </ul>
  </div>`;
}

function TurnedOut({ said }) {
  if (!said) return null;
  return html`<p class="review">What turned out right: <${Chip} choice=${said.value} /> ${said.by && html`(<bdi>${oneLine(said.by, 80)}</bdi>)`} ${plain(said.because)}</p>`;
}

function Review({ verdict, reviews }) {
  const last = reviews.at(-1);
  if (last) {
    return html`<p class="review"><strong><bdi>${oneLine(last.by, 80)}</bdi></strong> reviewed it: <${Chip} choice=${last.outcome} /> ${plain(last.because)}</p>`;
  }
  if (verdict.decided && !verdict.requires_human_review) return null;
  return html`<p class="review"><span aria-hidden="true">☞</span> A person should look at this before anything is done.</p>`;
}

/** Which rule spoke, and every rule that was asked, in plain words. */
function Rules({ decided }) {
  const { verdict, trace_words: words } = decided;
  const held = verdict.withstands?.sentence;
  return html`<details class="rules">
    <summary>${verdict.decided ? "Decided" : "Left open"} by the rule <code>${plain(verdict.rule)}</code></summary>
    <p>The rules were asked in this order. None of them asks a model.</p>
    <ol>
      ${words.map((line, at) => html`<li key=${at} class=${verdict.trace[at]?.said ? "spoke" : "quiet"}>${plain(line)}</li>`)}
    </ol>
    ${held && html`<p>${sentence(held)}</p>`}
  </details>`;
}
