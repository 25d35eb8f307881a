"use strict";
// Checks the capsule in this page: every byte, the hash chain, every word, the root, the signature. It asks nobody.

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
const SIGNED = ["id", "head", "root", "kinds", "verdict", "outcomes", "domains"];
const FIELDS = ["quorate_capsule", "sha256", "question", "panel", "rulebook", "tally", "withheld", "entries", ...SIGNED];
const SIGNATURE = ["signed", "signature", "key"];

async function checkEntries(capsule) {
  const withheld = new Map(capsule.withheld);
  need(withheld.size === capsule.withheld.length, "the list of what is withheld names an entry twice");
  const events = [];
  let before = await sha(`quorate ${capsule.id}`);
  for (const [at, entry] of capsule.entries.entries()) {
    const number = at + 1;
    const present = typeof entry.event === "string";
    const words = entry.words ?? {};
    const event = present ? JSON.parse(entry.event) : null;
    if (present) {
      const head = `{"before":"${before}","number":${number},"time":"${entry.time}"}`;
      need(entry.hash === (await sha(`${head}\n${entry.event}`)), `entry ${number} does not follow the one before`);
      need(capsule.kinds[at] === event.event, `entry ${number} is not of the kind that is stated`);
    }
    const names = new Set([...(entry.event ?? "").matchAll(/\{"sha256":"([0-9a-f]{64})"\}/g)].map((found) => found[1]));
    for (const [name, said] of Object.entries(words)) {
      need(names.has(name) && (await sha(entry.salt + said)) === name, `words of entry ${number} were changed`);
    }
    const some = Object.keys(words).length;
    const parts = ["hash", ...(present ? ["time", "event"] : []), ...(some ? ["salt", "words"] : [])];
    need(same(Object.keys(entry).sort(), parts.sort()), `entry ${number} has other parts than it should`);
    const gone = !present ? "event" : some < names.size ? "words" : undefined;
    need(gone === withheld.get(number), `entry ${number} lacks ${gone}, and is listed as lacking ${withheld.get(number)}`);
    withheld.delete(number);
    events.push(event);
    before = entry.hash;
  }
  need(withheld.size === 0 && capsule.kinds.length === events.length, "the list of entries is not whole");
  need(capsule.head === before && capsule.root === (await rootOf(capsule.entries)), "head or root is not that of the entries");
  return events;
}

// A tree as RFC 6962 builds it; a node without a neighbour goes up as it is.
async function rootOf(entries) {
  let level = await Promise.all(entries.map((entry) => digest(joined([0], raw(entry.hash)))));
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
  const given = Object.keys(capsule).filter((name) => SIGNATURE.includes(name)).length;
  const parts = Object.keys(capsule).filter((name) => !SIGNATURE.includes(name) && name !== "timestamp");
  need(same(parts.sort(), [...FIELDS].sort()) && (given === 0 || given === 3), "the parts of the file are not those of a capsule");
  const tally = await Promise.all(capsule.tally.map((one) => (typeof one === "string" ? sha(one) : one.sha256)));
  const facts = Object.fromEntries([...SIGNED.map((name) => [name, capsule[name]]), ["tally", tally]]);
  if (given) need(same(JSON.parse(capsule.signed), facts), "what is signed is not what the capsule says");
  need(given || !key, "nobody has signed this capsule");
  if (!key) return given ? "Nobody vouches for it yet: enter the signer's key." : "Nobody vouches for it: it is not signed.";
  need(/^ed25519:[0-9a-f]{64}$/.test(key), "the key must be written ed25519: and 64 hexadecimal digits");
  need(capsule.key === key, `it is signed by ${capsule.key}, and not by the key that you gave`);
  let trusted;
  try {
    trusted = await crypto.subtle.importKey("raw", raw(key.slice(8)), "Ed25519", false, ["verify"]);
  } catch {
    return "This browser cannot check Ed25519 signatures: use verify_capsule.py, or a newer browser.";
  }
  const holds = await crypto.subtle.verify("Ed25519", trusted, raw(capsule.signature), utf8(`quorate capsule 1\n${capsule.signed}`));
  need(holds, "the signature is not of this key over this text");
  return `Signed by ${key}.`;
}

function checkStated(capsule, events) {
  const ended = events.find((event) => event && ["Decided", "TurnedAway"].includes(event.event));
  const [convened] = events;
  if (ended) {
    const { outcome = null, decided, rule } = ended.verdict;
    need(same(capsule.verdict, { outcome, decided, rule }), "the verdict is not the recorded one");
  }
  const stated = [capsule.question, capsule.panel, capsule.rulebook];
  need(convened || !stated.some(Boolean), "the capsule states what it withholds");
  if (!convened) return;
  const { text } = convened.question;
  const asked = text === "" ? "" : (capsule.entries[0].words?.[text.sha256] ?? null);
  need(same(stated, [asked, convened.panel, convened.rulebook]), "question, panel or rulebook is not the recorded one");
}

async function check(text, key) {
  const end = text.indexOf("\n");
  const rest = text.slice(end + 1);
  need(text.slice(0, end) === `{"quorate_capsule":1,"sha256":"${await sha(rest)}",`, "the file was changed");
  const capsule = JSON.parse(text);
  const events = await checkEntries(capsule);
  const signed = await checkSignature(capsule, key);
  checkStated(capsule, events);
  return { capsule, events, signed };
}

function put(parent, tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  parent.append(made);
  return made;
}

function show({ capsule, events, signed }) {
  const { outcome, decided, rule } = capsule.verdict;
  const said = document.getElementById("said");
  put(said, "p", `HOLDS: all ${events.length} entries are as they were written. ${signed}`);
  put(said, "p", "The votes are not counted again here; verify_capsule.py does that.");
  put(said, "p", `Question: ${capsule.question ?? "(withheld)"}`);
  put(said, "p", `Verdict: ${outcome ?? "no outcome"}, ${decided ? "decided" : "not decided"} by the rule ${rule}`);
  put(said, "p", `Withheld: ${capsule.withheld.map(([number, what]) => `${what} of entry ${number}`).join(", ") || "nothing"}`);
  const list = document.getElementById("entries");
  capsule.entries.forEach((entry, at) => {
    const line = put(list, "li", "");
    put(line, "strong", `${capsule.kinds[at]} ${entry.time ?? ""}`);
    put(line, "pre", entry.event ?? "(withheld)");
    Object.values(entry.words ?? {}).forEach((word) => put(line, "pre", word));
  });
}

async function run() {
  for (const id of ["said", "entries"]) document.getElementById(id).replaceChildren();
  const said = document.getElementById("said");
  try {
    need(globalThis.crypto?.subtle, "this browser cannot compute hashes here; use verify_capsule.py");
    show(await check(document.getElementById("capsule").textContent, document.getElementById("key").value.trim()));
  } catch (wrong) {
    said.replaceChildren();
    put(said, "p", `DOES NOT HOLD: ${wrong.message}`);
  }
  said.dataset.done = "yes";
}

document.getElementById("check").addEventListener("click", run);
run();
