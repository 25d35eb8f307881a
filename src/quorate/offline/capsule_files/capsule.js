"use strict";
// Shows the capsule in this page and checks that it is unchanged: every byte, the hash chain, every word, the root, the
// signature. It does not count votes or apply rules; verify_capsule.py does. It sends nothing anywhere.

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const concat = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const digest = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

function need(condition, problem) {
  if (!condition) throw new Error(problem);
}

// Like TextEncoder, but it keeps a lone surrogate: a reply may contain one, and that is how it was hashed.
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
const sameList = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const FIELDS = ["quorate_capsule", "sha256", "statement", "withheld", "tally", "entries", "key", "signature", "timestamp"];
const FACTS = ["domains", "head", "id", "kinds", "root", "tally", "verdict"];
const ANSWERS = ["Spoken", "Silent", "Withdrawn"];
const KINDS = ["Convened", "Admitted", "Asked", ...ANSWERS, "Found", "Routed", "Decided", "Reviewed", "TurnedOut", "TurnedAway"];
const HASH = /^[0-9a-f]{64}$/;
const KEY = /^ed25519:[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;
const isText = (value) => typeof value === "string";
const matches = (pattern, value) => isText(value) && pattern.test(value);
const isWhole = (parts, names) => sameList(Object.keys(parts), names);

// What quorate writes has one spelling. Whatever is spelled in another way, another reader may read as something else:
// a repeated key, a number such as 1.0, keys in another order, white space.
function spell(value, depth = 50) {
  need(depth, "it holds a number or a depth that quorate does not write");
  if (typeof value === "number") {
    need(Number.isSafeInteger(value), "it holds a number or a depth that quorate does not write");
  }
  if (Array.isArray(value)) return `[${value.map((part) => spell(part, depth - 1)).join(",")}]`;
  // JSON.stringify would escape a lone surrogate, and quorate does not.
  if (isText(value)) return `"${value.replace(/["\\\u0000-\u001f]/g, (sign) => JSON.stringify(sign).slice(1, -1))}"`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort(byCodePoint);
  return `{${names.map((name) => `${spell(name)}:${spell(value[name], depth - 1)}`).join(",")}}`;
}

function byCodePoint(a, b) {
  const [these, those] = [[...a], [...b]].map((signs) => signs.map((sign) => sign.codePointAt(0)));
  const at = these.findIndex((code, place) => code !== those[place]);
  return at < 0 ? these.length - those.length : these[at] - (those[at] ?? -1);
}

function readJson(text) {
  const value = JSON.parse(text);
  need(spell(value) === text, "it is spelt in an odd way");
  return value;
}

// The file, byte for byte as quorate writes it.
async function readCapsule(text) {
  const end = text.indexOf("\n");
  const rest = text.slice(end + 1);
  need(text.slice(0, end) === `{"quorate_capsule":1,"sha256":"${await sha(rest)}",`, "the file was changed");
  const capsule = JSON.parse(text);
  const { quorate_capsule: _, sha256: __, ...parts } = capsule;
  spell(parts);
  const escape = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const written = JSON.stringify(parts, null, 1).slice(2).replace(/[<>&\u007f-\uffff]/g, escape);
  need(rest === `${written}\n`, "it is spelt in an odd way");
  const lists = [capsule.withheld, capsule.tally, capsule.entries].every(Array.isArray);
  const signed = "signature" in capsule;
  const order = FIELDS.filter((name) => name in capsule);
  need(lists && isWhole(capsule, order) && signed === "key" in capsule, "these are no parts of a capsule");
  const fits = !signed || (matches(KEY, capsule.key) && matches(SIGNATURE, capsule.signature));
  need(fits, "the key or the signature is too long or too short");
  return capsule;
}

// Its parts, and a list of entries that a record can have.
function readStatement(text) {
  const facts = readJson(text);
  const { verdict, kinds } = facts;
  const whole = isWhole(facts, FACTS) && isWhole(verdict, ["decided", "outcome", "rule"]);
  need(whole && typeof verdict.decided === "boolean", "these are no parts of a statement");
  const count = (...names) => kinds.filter((kind) => names.includes(kind)).length;
  const once = [count("Convened"), count("Admitted", "TurnedAway"), count("Decided", "TurnedAway")];
  need(sameList(once, [1, 1, 1]) && kinds[0] === "Convened" && count(...KINDS) === kinds.length,
    "no record has such a list of entries");
  return facts;
}

// The stated figures: one row an entry, and a hash only where an entry is withheld.
async function checkTally(capsule, facts) {
  const rows = capsule.tally.filter(isText).map(readJson);
  const gone = capsule.tally.filter((row) => !isText(row) && isWhole(row, ["sha256"]));
  const hidden = capsule.withheld.filter(([, part]) => part === "event").length;
  const entries = new Set(rows.map((row) => JSON.stringify(row.entry)));
  const fits = rows.length + gone.length === capsule.tally.length && gone.length <= hidden;
  need(fits && entries.size === rows.length && rows.every((row) => "entry" in row), "the figures are not those of entries");
  const said = await Promise.all(capsule.tally.map((row) => (isText(row) ? sha(row) : row.sha256)));
  need(sameList(said, facts.tally), "the figures are not those that are stated");
}

// The one form that entries bear, and a day and an hour that exist.
function checkTime(text) {
  need(matches(/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, text), "an entry has no such time");
  const time = new Date(`${text.slice(0, 19)}Z`);
  need(!isNaN(time) && time.toISOString().slice(0, 19) === text.slice(0, 19), "an entry has no such time");
}

// The answer of an authority as RFC 3161 has it; its signature is not checked here.
function checkTimestamp(text, root) {
  const answer = isText(text) ? atob(text) : "";
  need(answer && btoa(answer) === text, "the timestamp is spelt in an odd way");
  const digits = hex(Uint8Array.from(answer, (sign) => sign.charCodeAt(0)));
  const first = answer.charCodeAt(1);
  const octets = first > 127 ? first & 127 : 0;
  const size = octets ? parseInt(digits.slice(4, 4 + 2 * octets), 16) : first;
  const whole = digits.startsWith("30") && first !== 128 && answer.length === 2 + octets + size;
  const signed = ["06092a864886f70d010702", "060b2a864886f70d0109100104"].every((name) => digits.includes(name));
  need(whole && signed, "the timestamp is no answer of an authority");
  need(digits.includes(`3031300d060960864801650304020105000420${root}`), "the timestamp is over another root");
}

// The events of the entries, null where a whole entry is withheld.
async function checkEntries(capsule, facts) {
  need(facts.kinds.length === capsule.entries.length, "the list of entries is not whole");
  const events = [];
  const withheld = [];
  const asks = new Set();
  const hashes = [await sha(`quorate ${facts.id}`)];
  for (const [at, entry] of capsule.entries.entries()) {
    const number = at + 1;
    const present = Boolean(entry.event);
    const words = entry.words ?? {};
    const event = present ? readJson(entry.event) : null;
    need(!present || event.event === facts.kinds[at], `entry ${number} is not of the kind that is stated`);
    need(present || matches(HASH, entry.hash), `entry ${number} has no such hash`);
    if (present) checkTime(entry.time);
    if (present && ANSWERS.includes(event.event)) {
      const { round, seat, about = "", attempt = 1 } = event;
      const ask = JSON.stringify([round, seat, about, attempt]);
      need(round !== undefined && seat !== undefined && !asks.has(ask), "a seat answers the same ask twice");
      asks.add(ask);
    }
    const head = `{"before":"${hashes[at]}","number":${number},"time":"${entry.time}"}`;
    hashes.push(present ? await sha(`${head}\n${entry.event}`) : entry.hash);
    const names = new Set([...(entry.event ?? "").matchAll(/\{"sha256":"([0-9a-f]{64})"\}/g)].map((match) => match[1]));
    for (const [name, text] of Object.entries(words)) {
      const own = isText(entry.salt) && isText(text) && (await sha(entry.salt + text)) === name;
      need(names.has(name) && own, `words of entry ${number} were changed`);
    }
    const wordCount = Object.keys(words).length;
    if (!present || wordCount < names.size) withheld.push([number, present ? "words" : "event"]);
    const parts = !present ? ["hash"] : ["time", "event", ...(wordCount ? ["salt", "words"] : [])];
    need(isWhole(entry, parts), `entry ${number} has other parts than it should`);
    events.push(event);
  }
  need(sameList(capsule.withheld, withheld), "what the entries lack is not what is listed");
  need(facts.head === hashes.at(-1), "the last entry is not the one that is stated");
  need(facts.root === (await rootOf(hashes.slice(1))), "the root is not that of the entries");
  return events;
}

// A Merkle tree as in RFC 6962; a node without a neighbour moves up unchanged.
async function rootOf(hashes) {
  let level = await Promise.all(hashes.map((hash) => digest(concat([0], bytesOf(hash)))));
  while (level.length > 1) {
    const above = [];
    for (let at = 0; at < level.length; at += 2) {
      above.push(at + 1 < level.length ? await digest(concat([1], level[at], level[at + 1])) : level[at]);
    }
    level = above;
  }
  return hex(level[0]);
}

// Why nobody vouches for the capsule; empty if the signature is by the key that was entered.
async function checkSignature(capsule, key) {
  need(Boolean(capsule.key) || !key, "nobody has signed this capsule");
  if (!key) return capsule.key ? "enter the signer's key above" : "it is not signed";
  need(KEY.test(key), "the key must be written ed25519: and 64 hexadecimal digits");
  need(capsule.key === key, `it is signed by ${capsule.key}, and not by the key that you gave`);
  let trusted;
  try {
    trusted = await crypto.subtle.importKey("raw", bytesOf(key.slice(8)), "Ed25519", false, ["verify"]);
  } catch {
    return "this browser cannot check Ed25519 signatures; use verify_capsule.py or a newer browser";
  }
  const signed = utf8(`quorate capsule 1\n${capsule.statement}`);
  const holds = await crypto.subtle.verify("Ed25519", trusted, bytesOf(capsule.signature), signed);
  need(holds, "the signature is not of this key over this statement");
  return "";
}

// The signed statement names the verdict, and so does the record; this compares the two and counts nothing.
function checkVerdict(facts, events) {
  const ended = events.find((event) => event && ["Decided", "TurnedAway"].includes(event.event));
  if (!ended) return;
  const { outcome = null, decided, rule } = ended.verdict;
  const stated = [facts.verdict.outcome, facts.verdict.decided, facts.verdict.rule];
  need(sameList([outcome, decided, rule], stated), "the verdict is not the recorded one");
}

// A person's review is the last word, so the page shows it with the verdict.
function reviewOf(facts, events) {
  const at = facts.kinds.lastIndexOf("Reviewed");
  if (at >= 0 && !events[at]) return "A person reviewed the verdict; what they said is withheld.";
  if (at >= 0) return `A person reviewed it: ${JSON.stringify(events[at].outcome)}, says ${JSON.stringify(events[at].by)}.`;
  return events.some((event) => event?.verdict?.requires_human_review) ? "It is for a person to review." : "";
}

async function check(text, key) {
  const capsule = await readCapsule(text);
  const facts = readStatement(capsule.statement);
  const events = await checkEntries(capsule, facts);
  checkVerdict(facts, events);
  await checkTally(capsule, facts);
  const unsigned = await checkSignature(capsule, key);
  if ("timestamp" in capsule) checkTimestamp(capsule.timestamp, facts.root);
  return { capsule, facts, events, unsigned };
}

function append(parent, tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.append(element);
  return element;
}

function show({ capsule, facts, events, unsigned }) {
  const { outcome, decided, rule } = facts.verdict;
  const result = document.getElementById("result");
  const name = events[0]?.question.text;
  const question = name === "" ? "" : capsule.entries[0].words?.[name?.sha256];
  append(result, "p", `UNCHANGED: ${facts.id}, ${events.length} entries, root ${facts.root}`);
  append(result, "p", unsigned ? `Nobody vouches for it: ${unsigned}.` : `Signed by ${capsule.key}.`);
  append(result, "p", `Question: ${question ?? "(withheld)"}`);
  append(result, "p", `Recorded verdict: ${outcome ?? "no outcome"}, ${decided ? "decided" : "not decided"} by the rule ${rule}`);
  const review = reviewOf(facts, events);
  if (review) append(result, "p", review);
  append(result, "p", `Withheld: ${capsule.withheld.map(([number, part]) => `${part} of entry ${number}`).join(", ") || "nothing"}`);
  append(result, "p", "Not checked here: whether the verdict follows from the votes. To count them again, run:");
  append(result, "pre", `python verify_capsule.py capsule.json ${capsule.key && !unsigned ? capsule.key : "ed25519:…"}`);
  const list = document.getElementById("entries");
  capsule.entries.forEach((entry, at) => {
    const line = append(list, "li", "");
    append(line, "strong", `${facts.kinds[at]} ${entry.time ?? ""}`);
    append(line, "pre", entry.event ?? "(withheld)");
    Object.values(entry.words ?? {}).forEach((text) => append(line, "pre", text));
  });
}

async function run() {
  for (const id of ["result", "entries"]) document.getElementById(id).replaceChildren();
  const result = document.getElementById("result");
  const key = document.getElementById("key").value.trim();
  try {
    need(globalThis.crypto?.subtle, "this browser cannot compute hashes here; use verify_capsule.py");
    show(await check(document.getElementById("capsule").textContent, key));
  } catch (error) {
    result.replaceChildren();
    append(result, "p", `DOES NOT HOLD: ${error.message}`);
  }
  result.dataset.done = "yes";
}

document.getElementById("check").addEventListener("click", run);
run();
