// Pure: entries become what the page shows. The scrubber shows an earlier moment by folding fewer entries.

/**
 * @typedef {{ number: number, time: string, floor: any }} Entry
 * @typedef {{ key: string, number: number, time: string, kind: string, seat: string, about: string, round: string } & Record<string, any>} Turn
 * @typedef {{ name: string, title: string, turns: Turn[] }} Round
 * @typedef {{ key: string, seat: string, about: string, round: string, title: string, person: boolean, attempt: number }} Pending
 * @typedef {{ seat: string, round: string, title: string, from: string, to: string, toward: string[] }} Move
 */

/** Nothing has been written yet. */
function empty() {
  return {
    convened: /** @type {any} */ (null),
    seats: /** @type {any[]} */ ([]),
    rounds: /** @type {Round[]} */ ([]),
    pending: /** @type {Map<string, Pending>} */ (new Map()),
    held: /** @type {Map<string, any>} */ (new Map()),
    tally: /** @type {any[]} */ ([]),
    moves: /** @type {Move[]} */ ([]),
    similarity: /** @type {any[]} */ ([]),
    finds: /** @type {any[]} */ ([]),
    notices: /** @type {{ number: number, text: string }[]} */ ([]),
    reviews: /** @type {any[]} */ ([]),
    turnedOut: /** @type {any} */ (null),
    decided: /** @type {any} */ (null),
    halted: "",
    failures: /** @type {string[]} */ ([]),
    calls: 0,
    tokens: 0,
    first: "",
    last: "",
    number: 0,
  };
}

/** @typedef {ReturnType<typeof empty> & { status: string, seconds: number }} PageState */

/**
 * @param {readonly Entry[]} entries
 * @returns {PageState}
 */
export function fold(entries) {
  const state = empty();
  for (const entry of entries) take(state, entry);
  const seconds = state.first ? (Date.parse(state.last) - Date.parse(state.first)) / 1000 : 0;
  return { ...state, status: status(state), seconds: Number.isFinite(seconds) ? Math.max(0, seconds) : 0 };
}

function take(state, entry) {
  const shown = entry.floor;
  state.number = entry.number;
  state.first ||= entry.time;
  state.last = entry.time || state.last;
  if (state.failures.length && AGAIN.has(shown.kind)) beginAnew(state);
  if (shown.tally) state.tally = shown.tally;
  STEPS[shown.kind]?.(state, shown, entry);
}

/** What comes after a failure only if the panel is asked again. */
const AGAIN = new Set(["asked", "silent", "withdrawn", "found", "routed"]);

function beginAnew(state) {
  state.failures = [];
  for (const round of state.rounds) round.turns = [];
}

const STEPS = {
  convened(state, shown) {
    state.convened = shown;
    state.seats = shown.seats;
    state.rounds = shown.rounds.map((round) => ({ ...round, turns: [] }));
  },
  admitted(state, shown, entry) {
    for (const caution of shown.cautions ?? []) state.notices.push({ number: entry.number, text: caution.text });
  },
  asked(state, shown) {
    if (!shown.person) state.calls += 1;
    roundOf(state, shown);
    state.pending.set(keyOf(shown), pendingOf(shown));
  },
  spoke(state, shown, entry) {
    if (shown.moved) state.moves.push(moveOf(state, shown));
    if (shown.vote) holdVote(state, shown);
    state.tokens += shown.tokens ?? 0;
    addTurn(state, shown, entry);
  },
  silent: addTurn,
  withdrawn: addTurn,
  found(state, shown, entry) {
    if (shown.errand !== "look") state.finds.push({ ...shown, number: entry.number });
    if (shown.similarity) state.similarity = [...withoutRound(state.similarity, shown), shown.similarity];
  },
  routed(state, shown, entry) {
    state.seats = state.seats.map((seat) => (seat.name === shown.seat ? { ...seat, model: shown.model } : seat));
    state.notices.push({ number: entry.number, text: `${shown.model} now answers for ${shown.seat}: ${shown.why}` });
  },
  decided(state, shown) {
    state.decided = shown;
  },
  turned_away(state, shown) {
    state.decided = shown;
    state.pending.clear();
  },
  failed(state, shown) {
    state.failures = shown.failures;
    state.pending.clear();
  },
  halted(state, shown) {
    state.halted = shown.why || "stopped";
    state.pending.clear();
  },
  turned_out(state, shown, entry) {
    state.turnedOut = { ...shown, time: entry.time };
  },
  reviewed(state, shown, entry) {
    state.reviews.push({ ...shown, time: entry.time });
  },
};

/** @param {{ round: string, seat: string, about: string }} where */
export function keyOf(where) {
  return JSON.stringify([where.round, where.seat, where.about]);
}

function pendingOf(shown) {
  const { seat, about, round, title, person, attempt } = shown;
  return { key: keyOf(shown), seat, about, round, title, person: Boolean(person), attempt };
}

/** The round as it is announced, or a new one. */
function roundOf(state, shown) {
  let round = state.rounds.find((one) => one.name === shown.round);
  if (!round) {
    round = { name: shown.round, title: shown.title, turns: [] };
    state.rounds.push(round);
  }
  return round;
}

/** What was said or not; a second attempt stands in place of the first, and keeps what was looked up for it. */
function addTurn(state, shown, entry) {
  const key = keyOf(shown);
  const round = roundOf(state, shown);
  const before = round.turns.find((turn) => turn.key === key);
  const looked = [...(before?.looked ?? []), ...(shown.lookups ?? [])];
  round.turns = round.turns.filter((turn) => turn.key !== key);
  round.turns.push({ ...shown, looked, key, number: entry.number, time: entry.time });
  state.pending.delete(key);
}

/** Keeps a seat's ballot, and by round what it held before: whoever moves has heard only the rounds before. */
function holdVote(state, shown) {
  const held = state.held.get(shown.seat);
  const before = held && held.round !== shown.round ? held.vote : held?.before;
  state.held.set(shown.seat, { vote: shown.vote, round: shown.round, before });
}

function moveOf(state, shown) {
  const now = shown.vote.choice;
  const stood = ([, { vote, round, before }]) => (round === shown.round ? before : vote);
  const others = [...state.held].filter((one) => one[0] !== shown.seat && stood(one)?.choice === now && !stood(one).abstain);
  return { seat: shown.seat, round: shown.round, title: shown.title, from: shown.was.choice, to: now, toward: others.map(([seat]) => seat) };
}

function withoutRound(similarity, shown) {
  return similarity.filter((one) => one.round !== shown.similarity.round);
}

function status(state) {
  if (state.decided) return state.decided.kind;
  if (state.failures.length) return "failed";
  if (state.halted) return "halted";
  const open = [...state.pending.values()];
  return open.length && open.every((one) => one.person) ? "waiting" : "running";
}

/**
 * Confidence by round, seat by seat: what the chart draws.
 * @param {PageState} state
 */
export function confidences(state) {
  const rounds = state.rounds.filter((round) => round.turns.some((turn) => confidenceOf(turn) !== null));
  return {
    rounds: rounds.map((round) => round.title),
    seats: state.seats
      // Who has no vote says how settled the matter is, not how sure of it.
      .filter(({ powers }) => powers.includes("vote"))
      .map(({ name }) => ({
        seat: name,
        points: rounds.map((round) => {
          const turn = round.turns.find((one) => one.seat === name && confidenceOf(one) !== null);
          return turn ? { value: confidenceOf(turn), choice: turn.vote?.choice ?? turn.argument?.side ?? "" } : null;
        }),
      }))
      .filter((line) => line.points.some(Boolean)),
  };
}

function confidenceOf(turn) {
  return turn.vote?.confidence ?? turn.argument?.confidence ?? null;
}
