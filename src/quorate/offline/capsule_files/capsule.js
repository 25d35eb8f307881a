"use strict";
// Checks the capsule in this page as verify_capsule.py does: every byte, the hash chain, every word, the root, the
// signature; then it counts the votes and applies the rules again, in exact fractions. It asks nobody.

const hex = (bytes) => [...new Uint8Array(bytes)].map((one) => one.toString(16).padStart(2, "0")).join("");
const raw = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const digest = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

function need(holds, why) {
  if (!holds) throw new Error(why);
}

// As TextEncoder, but half a character stays what it is: a reply may hold one, and it was hashed so.
function utf8(text) {
  const bytes = [];
  for (const sign of text) {
    const code = sign.codePointAt(0);
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return Uint8Array.from(bytes);
}

const sha = async (text) => hex(await digest(utf8(text)));

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.keys(value).sort().map((name) => [name, sorted(value[name])]);
}

const same = (one, other) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const FIELDS = ["quorate_capsule", "sha256", "statement", "signature", "key", "timestamp", "withheld", "tally", "entries"];

async function checkEntries(capsule, facts) {
  const withheld = new Map(capsule.withheld);
  need(withheld.size === capsule.withheld.length, "the list of what is withheld names an entry twice");
  need(facts.kinds.length === capsule.entries.length, "the list of entries is not whole");
  const events = [];
  const hashes = [await sha(`quorate ${facts.id}`)];
  for (const [at, entry] of capsule.entries.entries()) {
    const number = at + 1;
    const present = Boolean(entry.event);
    const words = entry.words ?? {};
    const event = present ? JSON.parse(entry.event) : null;
    need(!present || event.event === facts.kinds[at], `entry ${number} is not of the kind that is stated`);
    const head = `{"before":"${hashes[at]}","number":${number},"time":"${entry.time}"}`;
    hashes.push(present ? await sha(`${head}\n${entry.event}`) : entry.hash);
    const names = new Set([...(entry.event ?? "").matchAll(/\{"sha256":"([0-9a-f]{64})"\}/g)].map((found) => found[1]));
    for (const [name, said] of Object.entries(words)) {
      need(names.has(name) && (await sha(entry.salt + said)) === name, `words of entry ${number} were changed`);
    }
    const some = Object.keys(words).length;
    const gone = !present ? "event" : some < names.size ? "words" : undefined;
    need(gone === withheld.get(number), `what entry ${number} lacks is not what is listed`);
    const parts = !present ? ["hash"] : ["time", "event", ...(some ? ["salt", "words"] : [])];
    need(same(Object.keys(entry).sort(), parts.sort()), `entry ${number} has other parts than it should`);
    withheld.delete(number);
    events.push(event);
  }
  need(withheld.size === 0 && facts.head === hashes.at(-1), "the last entry is not the one that is stated");
  need(facts.root === (await rootOf(hashes.slice(1))), "the root is not that of the entries");
  return events;
}

// A tree as RFC 6962 builds it; a node without a neighbour goes up as it is.
async function rootOf(hashes) {
  let level = await Promise.all(hashes.map((hash) => digest(joined([0], raw(hash)))));
  while (level.length > 1) {
    const above = [];
    for (let at = 0; at < level.length; at += 2) {
      above.push(at + 1 < level.length ? await digest(joined([1], level[at], level[at + 1])) : level[at]);
    }
    level = above;
  }
  return hex(level[0]);
}

async function checkSignature(capsule, key) {
  need(Boolean(capsule.key) || !key, "nobody has signed this capsule");
  if (!key) return capsule.key ? "nobody vouches for it: give the signer's key" : "nobody vouches for it: it is not signed";
  need(/^ed25519:[0-9a-f]{64}$/.test(key), "the key must be written ed25519: and 64 hexadecimal digits");
  need(capsule.key === key, `it is signed by ${capsule.key}, and not by the key that you gave`);
  need(/^[0-9a-f]{128}$/.test(capsule.signature), "the signature is too long or too short");
  let trusted;
  try {
    trusted = await crypto.subtle.importKey("raw", raw(key.slice(8)), "Ed25519", false, ["verify"]);
  } catch {
    return "this browser cannot check Ed25519 signatures: use verify_capsule.py, or a newer browser";
  }
  const text = utf8(`quorate capsule 1\n${capsule.statement}`);
  need(await crypto.subtle.verify("Ed25519", trusted, raw(capsule.signature), text), "the signature is not of this key over this statement");
  return "";
}

// ---- exact fractions

const abs = (value) => (value < 0n ? -value : value);
const gcd = (a, b) => (b ? gcd(b, a % b) : a);

class Q {
  constructor(over, under = 1n) {
    need(under !== 0n, "a number is divided by nothing");
    const shared = gcd(abs(over), abs(under)) || 1n;
    const sign = under < 0n ? -1n : 1n;
    this.over = (sign * over) / shared;
    this.under = (sign * under) / shared;
  }
  plus(other) { return new Q(this.over * other.under + other.over * this.under, this.under * other.under); }
  minus(other) { return new Q(this.over * other.under - other.over * this.under, this.under * other.under); }
  times(other) { return new Q(this.over * other.over, this.under * other.under); }
  by(other) { return new Q(this.over * other.under, this.under * other.over); }
  compare(other) { const left = this.over * other.under; const right = other.over * this.under; return left < right ? -1 : left > right ? 1 : 0; }
  below(other) { return this.compare(other) < 0; }
  reaches(other) { return this.compare(other) >= 0; }
  is(other) { return this.compare(other) === 0; }
  get size() { return new Q(abs(this.over), this.under); }
}

const whole = (value) => new Q(BigInt(value));
const ratio = (over, under) => new Q(BigInt(over), BigInt(under));
const [NONE, ONE, HALF, TWO_THIRDS] = [whole(0), whole(1), ratio(1, 2), ratio(2, 3)];
const sum = (numbers) => [...numbers].reduce((total, one) => total.plus(one), NONE);
const product = (numbers) => [...numbers].reduce((total, one) => total.times(one), ONE);
const least = (...numbers) => numbers.reduce((a, b) => (b.below(a) ? b : a));
const most = (...numbers) => numbers.reduce((a, b) => (a.below(b) ? b : a));

// A number as it is written: 7/10, 0.29, -3e2.
function exact(text) {
  const found = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?(?:\/([0-9]+))?$/.exec(text);
  need(found && (found[2] || found[3]), `${text} is no number`);
  const [, sign, digits, places = "", power = "0", under = "1"] = found;
  const value = new Q(BigInt(digits + places) * (sign === "-" ? -1n : 1n), 10n ** BigInt(places.length) * BigInt(under));
  const tens = 10n ** abs(BigInt(power));
  return BigInt(power) < 0n ? value.by(new Q(tens)) : value.times(new Q(tens));
}

// A share as people write it; 66 and 67 percent mean two thirds.
function share(text) {
  const value = text.endsWith("%") ? exact(text.slice(0, -1).trim()).by(whole(100)) : exact(text.replaceAll(" ", ""));
  const meant = value.is(ratio(66, 100)) || value.is(ratio(67, 100));
  return meant && !text.includes("/") ? TWO_THIRDS : value;
}

// Half of a unit goes to the even one.
function rounded(value) {
  const down = value.over / value.under - (value.over % value.under < 0n ? 1n : 0n);
  const rest = value.minus(new Q(down)).compare(HALF);
  return rest > 0 || (rest === 0 && down % 2n) ? down + 1n : down;
}

// The value to so many digits, as an amount and the power of ten it is of.
function inDigits(value, places) {
  if (!value.over) return [0n, 0];
  let power = abs(value.over).toString().length - value.under.toString().length - places;
  const amount = () => rounded(power < 0 ? value.times(new Q(10n ** BigInt(-power))) : value.by(new Q(10n ** BigInt(power))));
  while (abs(amount()).toString().length > places) power += 1;
  while (abs(amount()).toString().length < places) power -= 1;
  return [amount(), power];
}

const toDigits = (value, places) => {
  const [amount, power] = inDigits(value, places);
  return power < 0 ? new Q(amount, 10n ** BigInt(-power)) : new Q(amount * 10n ** BigInt(power));
};

function shown(value) {
  if (value.under === 1n) return value.over.toString();
  const [amount, power] = inDigits(value, 40);
  const digits = abs(amount).toString().padStart(1 - Math.min(power, 0), "0");
  const text = power < 0 ? `${digits.slice(0, power)}.${digits.slice(power)}` : digits + "0".repeat(power);
  return (amount < 0n ? "-" : "") + (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

// Exponential and logarithm, right to thirty digits: worked out to a hundred and twenty places and more.
const UNIT = 10n ** 120n;
const LOG_2 = 2n * artanh(UNIT / 3n);

function artanh(z) {
  let [total, power, step] = [0n, z, 1n];
  while (power / step) {
    total += power / step;
    power = (((power * z) / UNIT) * z) / UNIT;
    step += 2n;
  }
  return total;
}

function exponential(value) {
  const x = toDigits(value, 30);
  const fixed = (x.over * UNIT) / x.under;
  const doublings = fixed / LOG_2;
  const rest = fixed - doublings * LOG_2;
  let [total, term, step] = [0n, UNIT, 1n];
  while (term) {
    total += term;
    term = (term * rest) / UNIT / step;
    step += 1n;
  }
  const scaled = doublings < 0n ? new Q(total, UNIT * 2n ** -doublings) : new Q(total * 2n ** doublings, UNIT);
  return toDigits(scaled, 30);
}

function logarithm(value) {
  const x = toDigits(value, 30);
  const doublings = BigInt(x.over.toString(2).length - x.under.toString(2).length);
  const near = doublings < 0n ? new Q(x.over * 2n ** -doublings, x.under) : new Q(x.over, x.under * 2n ** doublings);
  const z = near.minus(ONE).by(near.plus(ONE));
  return toDigits(new Q(doublings * LOG_2 + 2n * artanh((z.over * UNIT) / z.under), UNIT), 30);
}

function squareRoot(value) {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (let next = (root + value / root) >> 1n; next < root; next = (root + value / root) >> 1n) root = next;
  return root;
}

// ---- counting

const OUTCOMES = new Map([
  ["tribunal", ["ACT", "WARN", "REFUSE"]],
  ["debate", ["SUPPORT", "UNCERTAIN", "OPPOSE"]],
  ["oracle", ["YES", "UNDETERMINED", "NO"]],
  ...["conference", "ranked", "approval", "delphi"].map((name) => [name, []]),
]);
const BOLD = new Map([["ACT", "WARN"], ["SUPPORT", "UNCERTAIN"], ["YES", "UNDETERMINED"]]);
const STATED = new Map([
  ["debate", "the marks of arguments"],
  ["oracle", "what sources weigh and which findings have too few"],
]);
const QUOTES = ['""', "''", "“”", "‘’", "``", "«»"];
const VERSION = 1;
const UNKNOWN = "UNDETERMINED";
const OPEN = "the verdict could not be recomputed: something is withheld on which the outcome may rest";
const NUMBER = /^[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?$/;
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const trimmed = (text) => text.replace(new RegExp(`^${SPACE}|${SPACE}$`, "g"), "");
const unique = (items) => [...new Set(items)];
const isOn = (text) => ["true", "yes", "on"].includes(text.toLowerCase());
const inTurn = (a, b) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

function plain(option) {
  const words = trimmed(option.replace(new RegExp(SPACE, "g"), " "));
  return (/^[\x00-\x7f]*$/.test(words) ? words.toLowerCase() : words).replace(/^[ .!"'*_]+|[ .!"'*_]+$/g, "");
}

// By code points: by halves of them, signs beyond the first plane would stand elsewhere.
function byText(a, b) {
  const [left, right] = [[...a], [...b]];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    if (left[at] !== right[at]) return left[at].codePointAt(0) - right[at].codePointAt(0);
  }
  return left.length - right.length;
}

function combinations(items, size) {
  if (!size) return [[]];
  return items.flatMap((one, at) => combinations(items.slice(at + 1), size - 1).map((others) => [one, ...others]));
}

// A pair of options under one key, in whatever order they come.
const pairOf = (a, b) => JSON.stringify([a, b].sort(byText));

// The name each option counts under: complete linkage, the most alike first.
function group(options, scores, from) {
  const alike = new Map([...scores].filter(([, score]) => score.reaches(from)));
  const home = new Map(options.map((one) => [one, [one]]));
  const order = [...alike.keys()].sort((one, other) => {
    const [a, b] = [JSON.parse(one), JSON.parse(other)];
    return alike.get(other).compare(alike.get(one)) || byText(a[0], b[0]) || byText(a[1], b[1]);
  });
  for (const pair of order) {
    const [here, there] = JSON.parse(pair).map((one) => home.get(one));
    if (here !== there && here.every((a) => there.every((b) => alike.has(pairOf(a, b))))) {
      const members = [...here, ...there].sort((a, b) => options.indexOf(a) - options.indexOf(b));
      members.forEach((one) => home.set(one, members));
    }
  }
  return new Map([...home].map(([one, members]) => {
    const [first] = members;
    const ends = first.slice(0, 1) + first.slice(-1);
    const bare = QUOTES.includes(ends) ? trimmed(first.slice(1, -1)) : first;
    return [one, !bare || (options.includes(bare) && !members.includes(bare)) ? first : bare];
  }));
}

// How options are grouped; then how, if those in the grey zone are one.
function groupings(options, found, from, last) {
  const pair = (i, j) => pairOf(options[i], options[j]);
  const never = new Set((found.refused ?? []).map(([i, j]) => pair(i, j)));
  const known = (found.scores ?? []).map(([i, j, score]) => [pair(i, j), exact(score)]);
  const scores = new Map(known.filter(([one]) => !never.has(one)));
  const embedded = /^(embeddings|endpoint)/.test(found.by ?? "");
  const grey = options.length > 50 ? ratio(3, 5) : embedded ? ratio(11, 20) : ratio(2, 5);
  const to = least(from, ratio(7, 10));
  const maybe = [...scores].filter(([, score]) => last && score.reaches(grey) && score.below(to));
  const pairs = maybe.sort((one, other) => other[1].compare(one[1])).map(([one]) => one);
  const count = pairs.length;
  const sizes = count <= 4 ? [...Array(count + 1).keys()] : count <= 24 ? [0, 1, count] : [0, count];
  const chosen = sizes.flatMap((size) => (size === count ? [pairs] : combinations(pairs, size)));
  return chosen.map((some) => group(options, new Map([...scores, ...some.map((one) => [one, from])]), from));
}

function middleOf(numbers) {
  const order = [...numbers].sort((a, b) => a.compare(b));
  const half = order.length >> 1;
  return order.length % 2 ? order[half] : order[half - 1].plus(order[half]).times(HALF);
}

// Under which name each option counts, in every way that there is.
function waysToName(t, settings, compared, ballots) {
  if (["approval", "ranked"].includes(t.protocol)) {
    const written = t.votes.flatMap((vote) => (vote.order.length ? vote.order.flat() : vote.options));
    const first = new Map([...written].reverse().map((one) => [plain(one), one]));
    return [new Map(written.map((one) => [one, first.get(plain(one))]))];
  }
  const valued = t.votes.filter((vote) => vote.value !== null);
  if (t.protocol === "oracle" && settings.get("answers") === "probability") {
    const side = (value) => (HALF.below(value) ? "YES" : value.below(HALF) ? "NO" : UNKNOWN);
    return [new Map(valued.map((vote) => [vote.options[0], side(vote.value)]))];
  }
  if (t.protocol === "oracle" && valued.length) {
    const middle = middleOf(valued.map((vote) => vote.value));
    const near = share(settings.get("tolerance") ?? "5 %").times(middle.size);
    const counted = (value) => shown(near.reaches(value.minus(middle).size) ? middle : value);
    return [new Map(valued.map((vote) => [vote.options[0], counted(vote.value)]))];
  }
  const found = new Map(compared.map((one) => [Number(one.round), one]));
  const from = most(share(settings.get("alike") ?? "7/10"), ratio(3, 5));
  for (let upto = t.protocol === "conference" ? t.last : 0; upto > 0; upto -= 1) { // a list that is closed is compared no more
    const held = ballots.flatMap((mine) => mine.filter((one) => Number(one.round) <= upto).slice(-1));
    held.sort((one, other) => Number(one.round) - Number(other.round));
    const options = unique(held.filter((one) => !one.ballot.abstain).map((one) => one.ballot.choice));
    if (options.length < 2) break;
    if (found.has(upto)) return groupings(options, found.get(upto), from, upto === t.last);
  }
  return [new Map()];
}

// The votes as the entries have them, and all else that rules look at.
function count(capsule, facts, events) {
  const [began] = events;
  const stated = new Map(capsule.tally.map((row) => JSON.parse(row)).map((row) => [row.entry, row]));
  const { protocol } = began;
  const settings = new Map(began.settings ?? []);
  const { seats } = began.panel;
  const told = events.slice(0, facts.kinds.indexOf("Decided")).map((one, at) => one && { ...one, entry: at + 1 }).filter(Boolean);
  const said = told.filter((one) => ["Spoken", "Silent", "Withdrawn"].includes(one.event) && !one.about);
  const routed = told.filter((one) => one.event === "Routed").map((one) => one.seated);
  const models = new Map([...(began.seated ?? []), ...routed].map((sat) => [sat.seat, sat.model]));
  const t = { protocol, domains: routed.length ? facts.domains : [], votes: [], silent: new Map() };
  t.demo = Boolean(began.panel.demo) || [...models.values()].some((model) => /^(demo|embedded):/.test(model));
  t.guardians = seats.filter((seat) => seat.powers.includes("veto")).map((seat) => seat.name);
  t.options = OUTCOMES.get(protocol);
  const listed = began.question.options ?? [];
  if (protocol === "oracle" && ["options", "number"].includes(settings.get("answers"))) {
    const words = capsule.entries[0].words ?? {};
    t.options = listed.length ? [...listed.map((one) => words[one.sha256]), UNKNOWN] : [];
  }
  t.listed = protocol === "conference" && settings.get("options") === "given" ? listed.length : 0;
  t.seats = seats.filter((seat) => seat.powers.includes("vote")).map((seat) => seat.name);
  const rounds = new Set(said.map((one) => one.round));
  const vetoes = said.filter((one) => one.ballot?.veto && t.guardians.includes(one.seat));
  const atOnce = settings.get("debate") === "when_split" && [...rounds].every((one) => one === "analysis") && !vetoes.length;
  const final = rounds.has("vote") ? "vote" : atOnce ? "analysis" : "revision";
  const ballots = t.seats.map((seat) => said.filter((one) => one.seat === seat && one.ballot));
  let cast = ballots.map((mine) => mine.slice(-1)); // who is silent later keeps a vote, but not in a tribunal
  if (protocol === "tribunal") {
    cast = t.seats.map((seat) => {
      const last = said.filter((one) => one.seat === seat && one.round === final);
      return (last.length ? last : vetoes.filter((one) => one.seat === seat)).slice(-1);
    });
  }
  const main = ["proponent", "opponent"];
  const spoke = new Set();
  if (protocol === "debate") {
    const acts = new Map(seats.map((seat) => [seat.name, seat.part || trimmed(seat.name).toLowerCase().replace(/ agent$/, "")]));
    const sides = isOn(settings.get("allies") ?? "no") ? [...main, "advocate", "critic"] : main;
    t.seats = seats.map((seat) => seat.name).filter((seat) => sides.includes(acts.get(seat)));
    cast = t.seats.map((seat) => said.filter((one) => one.seat === seat && one.argument));
    cast.flat().forEach((one) => spoke.add(`${acts.get(one.seat)} ${one.round}`));
  }
  const figures = { debate: ["quality", "consistency"], oracle: ["weight", "silent"] }[protocol] ?? [];
  const names = [...stated.values()].flatMap((row) => Object.keys(row));
  need(names.every((name) => ["salt", "entry", ...figures].includes(name)), "it states what is to be worked out");
  const numeric = protocol === "oracle" && ["number", "probability"].includes(settings.get("answers"));
  t.seats.forEach((seat, at) => {
    for (const one of cast[at].length ? cast[at] : [{}]) {
      const raw = one.ballot ?? one.argument;
      const row = stated.get(one.entry) ?? {};
      if (!raw || "silent" in row || (raw.abstain && protocol === "delphi")) t.silent.set(seat, row.silent ?? "");
      else if (!raw.abstain) {
        const weight = exact(protocol === "oracle" ? row.weight : seats.find((other) => other.name === seat).weight);
        const vote = { seat, raw, round: one.round, order: raw.ranking ?? [], veto: vetoes.includes(one), weight };
        const written = "value" in raw ? raw.value : numeric ? trimmed(raw.choice) : "";
        vote.value = "value" in raw || NUMBER.test(written) ? exact(written) : null;
        vote.options = raw.side === "pro" ? t.options.slice(0, 1) : raw.side === "con" ? t.options.slice(-1) : (raw.approved ?? []);
        if ("choice" in raw) vote.options = [raw.choice];
        else if ("value" in raw) vote.options = [shown(vote.value)];
        else if (vote.order.length && vote.order[0].length === 1) [vote.options] = vote.order;
        vote.sure = exact(raw.confidence ?? "-1"); // what is left out counts against it
        vote.risk = exact(raw.risk ?? "2");
        vote.marks = ["quality", "consistency"].filter((key) => key in row).map((key) => exact(row[key]));
        if (protocol === "debate") {
          const both = main.every((part) => spoke.has(`${part} ${vote.round}`)); // no other round counts
          need(Boolean(vote.marks.length) === both, `the argument in entry ${one.entry} has marks that it should not, or none`);
          vote.weight = both ? product([vote.sure, ...vote.marks]) : NONE;
        }
        t.votes.push(vote);
      }
    }
  });
  t.votes.sort((one, other) => inTurn(one.round, other.round));
  t.n = Math.max(1, t.seats.length);
  t.last = Math.max(0, ...[...rounds].filter((one) => /^[0-9]+$/.test(one)).map(Number));
  const first = ballots.flat().filter((one) => ["1", "analysis"].includes(one.round) && "choice" in one.ballot && !one.ballot.abstain);
  t.sealed = new Map(first.map((one) => [one.seat, one.ballot.choice]));
  t.ways = waysToName(t, settings, told.filter((one) => one.event === "Found" && one.about === "options"), ballots);
  return t;
}

// ---- rules: each gives the outcome, whether it is decided and perhaps how sure, or nothing where it is silent

// Of two sides the one that is ahead by the margin, with its share; else neither.
function ahead(t, x, weights, margin = x("margin", "6/5")) {
  const ends = [t.options[0], t.options.at(-1)];
  const [pro, con] = ends.map((end) => sum(weights.filter(([choices]) => same(choices, [end])).map(([, weight]) => weight)));
  const won = margin.times(con).below(pro) ? ends[0] : margin.times(pro).below(con) ? ends[1] : null;
  if (won === null) return [t.options[1], false];
  return [won, true, least(most(pro, con).by(pro.plus(con)), x("cap_at", "19/20"))];
}

function roundsWon(t, s, x) {
  const rounds = unique(t.votes.filter((vote) => vote.marks.length).map((vote) => vote.round));
  const won = rounds.map((name) => ahead(t, x, t.votes.filter((vote) => vote.round === name).map((vote) => [vote.choices, vote.weight])));
  return ahead(t, x, won.filter(([, decided]) => decided).map(([outcome]) => [[outcome], ONE]), ONE);
}

// Schulze's beatpaths by winning votes, Borda points, or instant runoff; only a sole winner wins.
function ranked(t, rule) {
  const written = t.votes.filter((vote) => vote.order.length).map((vote) => vote.order);
  let options = unique(written.flat(2)).sort(byText);
  const orders = written.map((order) => [...order, options.filter((one) => !order.flat().includes(one))]);
  const places = orders.map((order) => new Map(order.flatMap((place, at) => place.map((one) => [one, at]))));
  const wins = (a, b) => places.filter((place) => place.get(a) < place.get(b)).length;
  let best = [];
  if (rule === "condorcet") {
    const path = new Map(options.map((a) => [a, new Map(options.map((b) => [b, wins(a, b) > wins(b, a) ? wins(a, b) : 0]))]));
    for (const by of options) {
      for (const a of options) {
        for (const b of options) {
          const through = Math.min(path.get(a).get(by), path.get(by).get(b));
          if (a !== b && a !== by && b !== by && through > path.get(a).get(b)) path.get(a).set(b, through);
        }
      }
    }
    best = options.filter((a) => options.every((b) => a === b || path.get(a).get(b) >= path.get(b).get(a)));
  }
  if (rule === "borda") {
    const points = new Map(options.map((a) => [a, options.reduce((total, b) => total + wins(a, b) - wins(b, a), 0)]));
    best = options.filter((a) => points.get(a) === Math.max(...points.values()));
  }
  while (rule === "instant_runoff" && options.length) {
    const left = options;
    const tops = orders.map((order) => order.map((place) => place.filter((one) => left.includes(one))).find((place) => place.length));
    const held = new Map(left.map((a) => [a, sum(tops.filter((top) => top.includes(a)).map((top) => ratio(1, top.length)))]));
    const lowest = least(...held.values());
    const last = left.filter((a) => held.get(a).is(lowest));
    const above = left.filter((a) => !last.includes(a)).map((a) => held.get(a));
    best = left.filter((a) => left.length === 1 || whole(orders.length).below(held.get(a).times(whole(2))));
    if (best.length || !above.length || (last.length > 1 && lowest.times(whole(last.length)).reaches(least(...above)))) break;
    options = left.filter((a) => !last.includes(a));
  }
  return best.length === 1 ? [best[0], true] : [null, false];
}

// The median, if the quartiles lie within a share of it, wherever silent seats would have stood.
function closeMedian(t, within) {
  const values = t.votes.filter((vote) => vote.value !== null).map((vote) => vote.value).sort((a, b) => a.compare(b));
  const quartile = (quarter, below) => {
    const [at, rest] = [Math.floor(((t.n - 1) * quarter) / 4), ((t.n - 1) * quarter) % 4];
    const [low, high] = [at - below, at - below + (rest ? 1 : 0)];
    if (low < 0 || high >= values.length) return null;
    return values[low].plus(values[high].minus(values[low]).times(ratio(rest, 4)));
  };
  const worst = [...Array(t.n - values.length + 1).keys()].map((below) => [1, 2, 3].map((quarter) => quartile(quarter, below)));
  if (values.length < 2 || worst.flat().includes(null)) return null;
  const middles = worst.map(([, middle]) => middle);
  const crosses = !NONE.below(least(...middles)) && !most(...middles).below(NONE);
  const nearest = crosses ? NONE : least(...middles.map((one) => one.size));
  if (within.times(nearest).below(most(...worst.map(([low, , high]) => high.minus(low))))) return null;
  const middle = middleOf(values);
  const bound = within.times(middle.size);
  const near = t.votes.filter((vote) => vote.value !== null && bound.reaches(vote.value.minus(middle).size)).map((vote) => vote.seat);
  return [shown(middle), true, ratio(near.length, t.n), new Set(near)];
}

// By heads, by weight or by both; a seat without a finding weighs as much as any can.
function consensus(t, s, x) {
  const [span, from] = [least(most(x("weight_ratio", "3/2"), ONE), ratio(3, 2)), x("at_least", "2/3")];
  const weight = new Map(t.votes.map((vote) => [vote.seat, least(most(vote.weight, ONE.by(span)), ONE)]));
  const total = sum(weight.values()).plus(whole(t.n - weight.size));
  const names = [...t.heads.keys()];
  const part = (one) => sum(t.votes.filter((vote) => same(vote.choices, [one])).map((vote) => weight.get(vote.seat))).by(total);
  const heads = names.filter((one) => whole(t.heads.get(one)).reaches(from.times(whole(t.n))) && 2 * t.heads.get(one) > t.n);
  const heavy = names.filter((one) => part(one).reaches(from) && HALF.below(part(one)));
  const passed = { heads, weighted: heavy, both: heads.filter((one) => heavy.includes(one)) }[s("decide_by", "heads")];
  return passed.length === 1 ? [passed[0], true] : null;
}

// An object of names and numbers, each number as it is written.
function numbersByName(text) {
  const quoted = text.replace(/("(?:[^"\\]|\\.)*")|(-?[0-9][-+.eE0-9]*)/g, (all, string, number) => string ?? `"${number}"`);
  return new Map(Object.entries(JSON.parse(quoted)).map(([name, number]) => [name, exact(number)]));
}

// How probable each option is by what seats were worth before, at thirteen difficulties.
function trackRecord(t, s, x) {
  const [skills, bonus] = [numbersByName(s("skills", "{}")), numbersByName(s("bonus", "{}"))];
  const hold = (value) => least(most(value, whole(-10)), whole(10));
  const chosen = [...t.first.values()];
  const few = chosen.length <= 3;
  const majority = chosen.some((one) => 2 * chosen.filter((other) => other === one).length > chosen.length);
  const kept = (few || isOn(s("keep_majority", "no"))) && majority;
  if (!skills.size || Number(s("questions", "0")) < 8 || !chosen.length || kept) return null;
  const usual = sum(skills.values()).by(whole(skills.size));
  const options = unique(chosen);
  const size = t.listed ? Math.max(t.listed, options.length) : options.length + 1;
  const root = new Q(squareRoot(BigInt(size - 1) * 10n ** 30n), 10n ** 15n);
  const guess = t.listed ? ratio(1, size) : ratio(1, 100);
  const mass = new Map([...options, ""].map((one) => [one, NONE])); // under no name, that it is none of these
  for (let step = -6; step <= 6; step += 1) {
    const b = ratio(step, 2);
    const prior = exponential(NONE.minus(b.times(b)).by(whole(8)));
    const right = [...t.first].map(([seat, vote]) => {
      const p = guess.plus(ONE.minus(guess).by(ONE.plus(exponential(b.minus(hold(skills.get(seat) ?? usual))))));
      return [vote, ONE.minus(p), most(ONE.minus(p), p.times(root))];
    });
    for (const one of mass.keys()) {
      mass.set(one, mass.get(one).plus(prior.times(product(right.map(([vote, wrong, gains]) => (vote === one ? gains : wrong))))));
    }
  }
  const unheard = whole(size - options.length);
  mass.set("", mass.get("").times(t.listed && size > 1 ? unheard.by(root) : unheard));
  const shares = (masses) => {
    const total = sum(masses.values());
    return new Map([...masses].map(([one, value]) => [one, total.over ? value.by(total) : NONE]));
  };
  let chance = shares(mass);
  const sharp = x("sharpness", "1");
  if (!sharp.is(ONE) || bonus.size) {
    const gain = (one) => sum([...t.first].filter(([, vote]) => vote === one).map(([seat]) => hold(bonus.get(seat) ?? NONE)));
    const likely = [...chance].filter(([, value]) => value.over);
    chance = shares(new Map(likely.map(([one, value]) => [one, exponential(hold(sharp).times(logarithm(value)).plus(gain(one)))])));
  }
  const named = [...chance].filter(([one]) => one);
  const top = most(...named.map(([, value]) => value));
  const within = (part) => named.filter(([, value]) => value.reaches(top.times(part))).map(([one]) => one);
  const near = within(ratio(740818, 1000000));
  const heads = (one) => t.heads.get(one) ?? 0;
  const settled = near.filter((one) => t.last < 2 || heads(one) === Math.max(...near.map(heads)));
  const best = settled.length === 1 || few ? settled : within(ONE);
  if (best.length !== 1 || !top.over) return null;
  const sure = chance.get(best[0]);
  return sure.below(x("at_least", "1/2")) ? [null, false] : [best[0], true, sure];
}

const when = (holds, ...found) => (holds ? found : null);
const alone = (t, from) => when(t.leaders.length === 1 && t.top.reaches(from), t.leaders[0], true);
const RULES = new Map(Object.entries({
  veto: (t, s) => when(t.votes.some((vote) => vote.veto), s("means", "REFUSE"), true),
  all_silent: (t, s) => when(!t.votes.length, s("means", "REFUSE"), false),
  any_silent: (t, s) => when(t.silent.size, s("means", "REFUSE"), false),
  unsure: (t, s, x) => when(t.votes.some((vote) => vote.sure.below(x("below", "2/5"))), s("means", "REFUSE"), false),
  unanimous: (t) => when(t.heads.size === 1 && t.top.is(ONE) && t.votes.length === t.n, t.leaders[0], true),
  supermajority: (t, s, x) => alone(t, x("at_least", "2/3")),
  plurality: (t) => alone(t, NONE),
  most_approved: (t, s, x) => alone(t, x("at_least", "0")),
  tie: (t, s) => {
    const ends = unique([...t.options.slice(0, 1), ...t.options.slice(-1)]).sort();
    return when(t.leaders.length !== 1 && same([...t.leaders].sort(), ends), s("means", "REFUSE"), false);
  },
  safe_act: (t, s, x) => {
    const calm = t.votes.every((vote) => vote.risk.below(x("risk_below", "3/10")));
    return when(calm && x("above", "4/5").times(whole(t.n)).below(whole(t.heads.get(t.options[0]) ?? 0)), t.options[0], true);
  },
  short_of_refusal: (t, s, x) => {
    const mild = t.options.slice(0, -1).reduce((total, one) => total + (t.heads.get(one) ?? 0), 0);
    return when(whole(mild).reaches(x("at_least", "3/5").times(whole(t.n))), s("means", "WARN"), true);
  },
  quorum: (t, s, x) => when(x("more_than", "1/2").times(whole(t.n)).reaches(whole(t.voted)), s("means", ""), false),
  hold: (t, s) => [s("means", "WARN"), false],
  too_few: (t, s) => {
    const came = t.votes.length || [...t.silent.values()].includes("unsupported");
    return when(came && t.votes.length < Math.max(1, Number(s("min_seats", "3"))), s("means", "INVALID"), false);
  },
  all_undetermined: (t, s) => {
    const means = s("means", UNKNOWN);
    return when(t.heads.size === 1 && t.heads.get(means) === t.n, means, true);
  },
  consensus,
  no_consensus: (t, s) => [s("means", UNKNOWN), false],
  one_sided: (t, s) => when(t.votes.length && !t.votes.some((vote) => vote.marks.length), s("means", "UNCERTAIN"), false),
  confidence_weighted: (t, s, x) => ahead(t, x, t.votes.map((vote) => [vote.choices, vote.weight])),
  evidence_based: (t, s, x) => ahead(t, x, t.votes.filter((vote) => vote.marks.length).map((vote) => [vote.choices, vote.marks[0]])),
  majority_vote: roundsWon,
  condorcet: (t) => ranked(t, "condorcet"),
  borda: (t) => ranked(t, "borda"),
  instant_runoff: (t) => ranked(t, "instant_runoff"),
  close_median: (t, s, x) => closeMedian(t, x("within", "1/10")),
  track_record: trackRecord,
  ...Object.fromEntries(["no_winner", "none_most_approved", "no_agreement"].map((name) => [name, () => [null, false]])),
}));

// What a cap makes of a verdict, nothing where it lets it pass.
const closedOn = (t) => (t.options.includes(UNKNOWN) ? "" : (t.options[0] ?? ""));
const CAPS = new Map(Object.entries({
  demo: (t, s, { outcome }) => {
    const bold = BOLD.has(outcome) ? outcome : s("instead_of", "") || closedOn(t);
    const mild = (bold === s("instead_of", "") ? s("means", "") : "") || BOLD.get(bold) || t.options[1];
    return when(t.demo && t.options.length && outcome === bold, mild, false);
  },
  demo_finds: (t, s, { outcome }) => {
    const means = s("means", UNKNOWN);
    return when(t.demo && ![null, means, s("keeps", "INVALID")].includes(outcome), means, false);
  },
  veto_seat_silent: (t, s, { outcome }) => {
    const quiet = t.guardians.some((seat) => !t.votes.some((vote) => vote.seat === seat));
    return when(quiet && outcome === s("instead_of", "ACT"), s("means", "WARN"), false);
  },
  sealed_vote: (t, s, { outcome }) => {
    const bold = s("instead_of", "ACT");
    const against = [...t.sealed.values()].filter((one) => one !== bold).length;
    const many = whole(against).reaches(share(s("at_least", "2/3")).times(whole(t.n)));
    return when(s("mode", "guard") !== "report" && many && outcome === bold, s("means", "WARN"), false);
  },
  act_error: (t, s, { outcome, decided, score }) => {
    const sure = isOn(s("certified", "no")) && score && score.reaches(share(s("at_least", "1")));
    const mild = BOLD.get(outcome) ?? (outcome && outcome === closedOn(t) ? t.options[1] : undefined);
    return when(decided && !sure, mild ?? outcome, mild === undefined);
  },
  // Seats meant to be independent that ended up on one model are one voice.
  one_voice: (t, s, { outcome, decided, behind }) => {
    const apart = new Map();
    for (const [seat, domain, meant] of t.domains) {
      if (behind.has(seat)) apart.set(domain, (apart.get(domain) ?? new Set()).add(meant));
    }
    const voices = behind.size - [...apart.values()].reduce((total, one) => total + one.size - 1, 0);
    const [bold, mild] = [s("instead_of", "") || t.options[0], s("means", "") || t.options[1]];
    const lost = voices < behind.size && 3 * voices < 2 * t.n && !t.votes.some((vote) => vote.veto);
    return when(decided && lost, mild && outcome === bold ? mild : outcome, false);
  },
}));

// The first rule that speaks decides; then a cap may make it more careful.
function decide(t, book, names) {
  const named = (one) => names.get(one) ?? one;
  for (const vote of t.votes) {
    vote.choices = unique(vote.options.map(named));
    vote.order = (vote.raw.ranking ?? []).map((place) => place.map(named));
  }
  const assumed = ["none", "carry"].includes(book.silence) ? [] : [...t.silent.keys()];
  const chosen = new Map();
  const add = (one, seat) => chosen.set(one, (chosen.get(one) ?? new Set()).add(seat));
  t.votes.forEach((vote) => vote.choices.forEach((one) => add(one, vote.seat)));
  assumed.forEach((seat) => add(book.silence, seat));
  t.heads = new Map([...chosen].map(([one, seats]) => [one, seats.size]));
  t.voted = t.votes.length + assumed.length;
  const lead = Math.max(0, ...t.heads.values());
  t.leaders = [...t.heads.keys()].filter((one) => t.heads.get(one) === lead);
  t.top = ratio(lead, t.n);
  const now = new Map(t.votes.filter((vote) => vote.choices.length).map((vote) => [vote.seat, [vote.choices[0], ...vote.options]]));
  const sealed = t.sealed.size || t.protocol === "conference" ? t.sealed : new Map([...now].map(([seat, [one]]) => [seat, one]));
  t.first = new Map([...sealed].map(([seat, one]) => [seat, now.get(seat)?.includes(one) ? now.get(seat)[0] : one]));
  let found = null;
  let rule = "";
  for (const part of [...book.rules, book.otherwise]) {
    const s = settingsOf(part);
    rule = part.name;
    found = RULES.get(rule)(t, s, (key, usual) => share(s(key, usual)));
    if (found) break;
  }
  const outcome = found[0] || null;
  const [, decided, sure, near] = found;
  const backs = (vote) => (vote.order.length ? vote.order[0] : vote.choices).includes(outcome);
  const backing = new Set(t.votes.filter(backs).map((vote) => vote.seat));
  const ranking = t.votes.filter((vote) => vote.order.length).map((vote) => vote.seat);
  const part = t.votes.every((vote) => "choice" in vote.raw) ? t.top : ratio(backing.size, t.n);
  const score = sure ?? (t.votes.some((vote) => vote.veto) ? null : part);
  const places = score && new Q(rounded(score.times(new Q(10n ** 8n))), 10n ** 8n);
  const verdict = { outcome, decided, score: places, behind: near ?? (ranking.length ? new Set(ranking) : backing) };
  const caps = book.unless ?? [];
  const always = ["demo", "one_voice"].filter((name) => !caps.some((cap) => cap.name === name)).map((name) => ({ name }));
  for (const cap of [...always, ...caps]) {
    const lowered = CAPS.get(cap.name)(t, settingsOf(cap), verdict);
    if (lowered) return [lowered[0] || null, lowered[1], cap.name];
  }
  return [outcome, decided, rule];
}

function settingsOf(part) {
  const settings = new Map(part.settings ?? []);
  return (key, usual) => settings.get(key) ?? usual;
}

// The entries with every vote in the place of each that is withheld.
function* couldBe(events, hidden) {
  const [began] = events;
  const spoken = events.filter((one) => one?.event === "Spoken" && !one.about);
  const known = began.protocol === "tribunal" ? ["analysis", "revision"] : ["1"];
  const rounds = unique([...known, ...spoken.map((one) => one.round)]);
  const named = spoken.filter((one) => one.ballot).map((one) => one.ballot.choice);
  const fixed = OUTCOMES.get(began.protocol);
  const options = fixed.length ? fixed : unique([...named, "another", "one more"]);
  const moods = [["1", "0"], ["1", "1"], ["0", "1"]];
  const ballots = [
    ...options.flatMap((choice) => moods.map(([confidence, risk]) => ({ choice, confidence, risk }))),
    null,
    { choice: options.at(-1), abstain: true },
    { choice: options.at(-1), confidence: "1", risk: "1", veto: true },
  ];
  const votes = began.panel.seats.flatMap((seat) =>
    rounds.flatMap((round) => ballots.map((ballot) => ({ event: "Spoken", seat: seat.name, round, ballot }))));
  const [place, ...others] = hidden;
  for (const vote of votes) {
    const filled = events.map((one, at) => (at === place ? vote : one));
    if (others.length) yield* votes.map((other) => filled.map((one, at) => (at === others[0] ? other : one)));
    else yield filled;
  }
}

// What is to be said of the count, in sentences.
function recount(capsule, facts, events) {
  const recorded = [facts.verdict.outcome, facts.verdict.decided, facts.verdict.rule];
  const ended = events.find((one) => one && ["Decided", "TurnedAway"].includes(one.event));
  const [began] = events;
  if (!ended || !began) return ["the verdict was not recomputed: the question, the rules or the verdict itself is withheld"];
  const { outcome = null, decided, rule } = ended.verdict;
  need(same([outcome, decided, rule], recorded), "the verdict is not the recorded one");
  if (ended.event === "TurnedAway") {
    return ["the question was turned away before any vote; the checks that did so are not run again"];
  }
  const { rulebook: book, protocol } = began;
  const rules = [...book.rules, book.otherwise].map((part) => part.name).filter((name) => !RULES.has(name));
  const unknown = [...rules, ...(book.unless ?? []).map((part) => part.name).filter((name) => !CAPS.has(name))];
  if (unknown.length || !OUTCOMES.has(protocol)) {
    return [`the verdict was not recomputed: this verifier does not know ${unknown.join(", ") || protocol}`];
  }
  const gone = [...Array(facts.kinds.indexOf("Decided")).keys()].filter((at) => !events[at]);
  const hidden = gone.filter((at) => ["Spoken", "Silent", "Withdrawn"].includes(facts.kinds[at]));
  const scored = events.some((one) => one?.scores?.length);
  const simple = protocol === "tribunal" || (book.name === "plurality" && !scored);
  if (gone.some((at) => ["Routed", "Found"].includes(facts.kinds[at])) || (hidden.length && (!simple || hidden.length > 2))) return [OPEN];
  const ends = new Map();
  let t = null;
  for (const guess of hidden.length ? couldBe(events, hidden) : [events]) {
    t = count(capsule, facts, guess);
    const found = t.ways.map((names) => decide(t, book, names));
    const end = found[0][1] ? (found.find(([, settled]) => !settled) ?? found[0]) : found[0];
    ends.set(JSON.stringify(end), end);
  }
  const notes = STATED.has(protocol) ? [`taken as stated: ${STATED.get(protocol)}`] : [];
  if (t.domains.length) notes.push("taken as stated: which seats share a model");
  const agrees = ends.size === 1 && ends.has(JSON.stringify(recorded));
  const version = ended.version ?? 0;
  if (version !== VERSION) {
    const told = `decided by version ${version} of the rules, and this verifier knows version ${VERSION}`;
    return agrees ? [...notes, `note: ${told}; both come to the same`] : [told];
  }
  if (hidden.length) {
    const alike = [...ends.values()].every((end) => same(end.slice(0, 2), recorded.slice(0, 2)));
    return alike ? ["note: whatever the withheld votes were, the outcome is the same"] : [OPEN];
  }
  need(agrees, `the votes come to ${[...ends.keys()].join()}, and the record says ${JSON.stringify(recorded)}`);
  return notes;
}

function reviewed(facts, events) { // a person's is the last word
  const at = facts.kinds.lastIndexOf("Reviewed");
  const waits = events.some((event) => event?.verdict?.requires_human_review);
  if (at < 0) return waits ? ["note: it is for a person to review"] : [];
  if (!events[at]) return ["what a person said of the verdict is withheld"];
  const { outcome, by } = events[at];
  return [`note: a person reviewed it: ${JSON.stringify(outcome)}, says ${JSON.stringify(by)}`];
}

async function check(text, key) {
  const end = text.indexOf("\n");
  const rest = text.slice(end + 1);
  need(text.slice(0, end) === `{"quorate_capsule":1,"sha256":"${await sha(rest)}",`, "the file was changed");
  const capsule = JSON.parse(text);
  const known = Object.keys(capsule).every((name) => FIELDS.includes(name));
  need(known && "key" in capsule === "signature" in capsule, "these are no parts of a capsule");
  const facts = JSON.parse(capsule.statement);
  const events = await checkEntries(capsule, facts);
  const tally = await Promise.all(capsule.tally.map((row) => (typeof row === "string" ? sha(row) : row.sha256)));
  need(same(tally, facts.tally), "the figures are not those that are stated");
  const open = await checkSignature(capsule, key);
  const imprint = `3031300d060960864801650304020105000420${facts.root}`;
  const stamp = Uint8Array.from(atob(capsule.timestamp ?? ""), (sign) => sign.charCodeAt(0));
  need(!("timestamp" in capsule) || hex(stamp).includes(imprint), "the timestamp is over another root");
  const notes = [...(open ? [open] : []), ...recount(capsule, facts, events), ...reviewed(facts, events)];
  const whole = notes.every((note) => /^(taken as stated|note)/.test(note));
  return { capsule, facts, events, notes, whole, signer: key && !open ? key : "" };
}

function put(parent, tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  parent.append(made);
  return made;
}

function show({ capsule, facts, events, notes, whole, signer }) {
  const { outcome, decided, rule } = facts.verdict;
  const said = document.getElementById("said");
  const asked = events[0] && (events[0].question.text === "" ? "" : capsule.entries[0].words?.[events[0].question.text.sha256]);
  const taken = notes.some((note) => note.startsWith("taken as stated"));
  const all = taken ? "everything was checked, except what is taken as stated" : "everything was checked";
  const much = whole ? all : "what was checked holds, but not everything could be";
  put(said, "p", `HOLDS: ${much}. ${facts.id}, ${events.length} entries, root ${facts.root}`);
  if (signer) put(said, "p", `Signed by ${signer}.`);
  notes.forEach((note) => put(said, "p", note));
  put(said, "p", `Question: ${asked ?? "(withheld)"}`);
  put(said, "p", `Verdict: ${outcome ?? "no outcome"}, ${decided ? "decided" : "not decided"} by the rule ${rule}`);
  put(said, "p", `Withheld: ${capsule.withheld.map(([number, what]) => `${what} of entry ${number}`).join(", ") || "nothing"}`);
  const list = document.getElementById("entries");
  capsule.entries.forEach((entry, at) => {
    const line = put(list, "li", "");
    put(line, "strong", `${facts.kinds[at]} ${entry.time ?? ""}`);
    put(line, "pre", entry.event ?? "(withheld)");
    Object.values(entry.words ?? {}).forEach((word) => put(line, "pre", word));
  });
}

async function run() {
  for (const id of ["said", "entries"]) document.getElementById(id).replaceChildren();
  const said = document.getElementById("said");
  const key = document.getElementById("key").value.trim();
  try {
    need(globalThis.crypto?.subtle, "this browser cannot compute hashes here; use verify_capsule.py");
    show(await check(document.getElementById("capsule").textContent, key));
  } catch (wrong) {
    said.replaceChildren();
    put(said, "p", `DOES NOT HOLD: ${wrong.message}`);
  }
  said.dataset.done = "yes";
}

document.getElementById("check").addEventListener("click", run);
run();
