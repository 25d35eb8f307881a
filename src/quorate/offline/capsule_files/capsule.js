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
const FIELDS = ["quorate_capsule", "sha256", "statement", "signature", "key", "timestamp", "withheld", "tally", "entries"];

// The events of the entries, null where a whole entry is withheld.
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
    const names = new Set([...(entry.event ?? "").matchAll(/\{"sha256":"([0-9a-f]{64})"\}/g)].map((match) => match[1]));
    for (const [name, text] of Object.entries(words)) {
      need(names.has(name) && (await sha(entry.salt + text)) === name, `words of entry ${number} were changed`);
    }
    const wordCount = Object.keys(words).length;
    const missing = !present ? "event" : wordCount < names.size ? "words" : undefined;
    need(missing === withheld.get(number), `what entry ${number} lacks is not what is listed`);
    const parts = !present ? ["hash"] : ["time", "event", ...(wordCount ? ["salt", "words"] : [])];
    need(sameList(Object.keys(entry).sort(), parts.sort()), `entry ${number} has other parts than it should`);
    withheld.delete(number);
    events.push(event);
  }
  need(withheld.size === 0 && facts.head === hashes.at(-1), "the last entry is not the one that is stated");
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
  need(/^ed25519:[0-9a-f]{64}$/.test(key), "the key must be written ed25519: and 64 hexadecimal digits");
  need(capsule.key === key, `it is signed by ${capsule.key}, and not by the key that you gave`);
  need(/^[0-9a-f]{128}$/.test(capsule.signature), "the signature is too long or too short");
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
  const end = text.indexOf("\n");
  const rest = text.slice(end + 1);
  need(text.slice(0, end) === `{"quorate_capsule":1,"sha256":"${await sha(rest)}",`, "the file was changed");
  const capsule = JSON.parse(text);
  const known = Object.keys(capsule).every((name) => FIELDS.includes(name));
  need(known && "key" in capsule === "signature" in capsule, "these are no parts of a capsule");
  const facts = JSON.parse(capsule.statement);
  const events = await checkEntries(capsule, facts);
  checkVerdict(facts, events);
  const tally = await Promise.all(capsule.tally.map((row) => (typeof row === "string" ? sha(row) : row.sha256)));
  need(sameList(tally, facts.tally), "the figures are not those that are stated");
  const unsigned = await checkSignature(capsule, key);
  const imprint = `3031300d060960864801650304020105000420${facts.root}`;
  const stamp = Uint8Array.from(atob(capsule.timestamp ?? ""), (sign) => sign.charCodeAt(0));
  need(!("timestamp" in capsule) || hex(stamp).includes(imprint), "the timestamp is over another root");
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
