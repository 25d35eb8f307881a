// Pure: what a person is asked for, read from the pattern an ask ends with; and the answer written on that pattern.

const PATTERN = /^(BALLOT|VOTE:|ARGUMENT|ASSESSMENT|FINDING|JUDGEMENT) \{(.*)\}$/gmu;
const KEY = /"(\w+)": (\[?)</gu;
const SOURCE = ["url", "title", "quote", "category", "relevance"];
const SHARES = new Set(["confidence", "risk", "a_evidence", "a_logic", "b_evidence", "b_logic"]);
const NUMBERS = new Set(["value", "low", "high"]);
const LABELS = {
  decision: "Your decision",
  option: "Your choice",
  outcome: "What you find",
  approved: "All you could live with",
  ranking: "Your order, the best first",
  value: "Your number",
  low: "Not below (may stay empty)",
  high: "Not above (may stay empty)",
  confidence: "How sure you are",
  risk: "How much harm going ahead could do",
  claims: "What you claim, one sentence a line",
  agreed: "What both sides accept, one point a line",
  open: "What is still in dispute, one point a line",
  leaning: "Where it leans",
  continue_debate: "Another round could change something",
  reasoning: "Your main reason, in one to three sentences",
  rationale: "Your main reason, in one to three sentences",
  conditions: "What must hold before anyone goes ahead, one condition a line",
  would_change: "Which fact would change your answer (may stay empty)",
  a_evidence: "Evidence of side A",
  a_logic: "Logic of side A",
  b_evidence: "Evidence of side B",
  b_logic: "Logic of side B",
};

/**
 * @typedef {{ name: string, kind: string, label: string, choices: { value: string, words: string }[], whole: boolean }} Field
 * @typedef {{ word: string, mark: string, fields: Field[] }} Ballot
 */

/**
 * The ballot an ask wants, or none where it wants words alone.
 * @param {string} prompt
 * @returns {Ballot | null}
 */
export function ballotOf(prompt) {
  const found = [...prompt.matchAll(PATTERN)].findLast((one) => one[2].includes("<"));
  if (!found) return null;
  const help = prompt.slice(found.index + found[0].length);
  const sources = found[2].includes('"url": <');
  const names = [...found[2].matchAll(KEY)].map((one) => one[1]);
  const keys = sources ? [...names.filter((name) => !SOURCE.includes(name)), "evidence"] : names;
  return {
    word: found[1],
    mark: /"mark": "(\w+)"/u.exec(found[2])?.[1] ?? "",
    fields: keys.map((name) => fieldOf(name, help, sources)),
  };
}

function fieldOf(name, help, sources) {
  const told = helpOf(name, help);
  const choices = name === "decision" ? words(told) : name === "leaning" ? LEANINGS : listed(told);
  return { name, kind: kindOf(name, choices, sources), label: labelOf(name, sources), choices, whole: told.includes("0 to 100") };
}

function labelOf(name, sources) {
  if (name !== "evidence") return LABELS[name] ?? name.replaceAll("_", " ");
  return sources ? "Sources you rely on" : "What supports it, one piece a line";
}

function kindOf(name, choices, sources) {
  if (name === "evidence" && sources) return "sources";
  if (["claims", "conditions", "evidence", "agreed", "open"].includes(name)) return "lines";
  if (SHARES.has(name)) return "share";
  if (NUMBERS.has(name)) return "number";
  if (name === "continue_debate") return "switch";
  if (name === "approved") return choices.length ? "several" : "lines";
  if (name === "ranking") return choices.length ? "order" : "lines";
  return choices.length ? "choice" : name === "rationale" || name === "reasoning" ? "text" : "line";
}

const LEANINGS = ["for", "against", "balanced"].map((word) => ({ value: word, words: word }));

/** What the ask says about one field: from its own line to that of the next. */
function helpOf(name, help) {
  const lines = help.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`- ${name}:`));
  if (from < 0) return "";
  const to = lines.findIndex((line, at) => at > from && !line.startsWith("  "));
  return lines.slice(from, to < 0 ? undefined : to).join("\n");
}

/** `ACT (go ahead as asked), WARN (…)`. */
function words(told) {
  return [...told.matchAll(/\b([A-Z]{3,}) \(([^)]*)\)/gu)].map(([, value, meaning]) => ({ value, words: `${value}: ${meaning}` }));
}

/** `  1. Kafka` is chosen by its number, `  - YES` word for word. */
function listed(told) {
  return [...told.matchAll(/^ {2}(?:(\d+)\.|-) (.+)$/gmu)].map(([, number, words]) => ({ value: number ?? words, words }));
}

/**
 * The answer as it is sent: a person's words, then the ballot on its pattern.
 * @param {Ballot | null} ballot
 * @param {string} prose
 * @param {Record<string, any>} values
 */
export function answerOf(ballot, prose, values) {
  if (!ballot) return prose.trim();
  const stated = ballot.fields.flatMap((field) => {
    const value = written(field, values[field.name]);
    return value === undefined ? [] : [[field.name, value]];
  });
  const paper = { ...(ballot.mark ? { mark: ballot.mark } : {}), ...Object.fromEntries(stated) };
  return `${prose.trim()}\n\n${ballot.word} ${JSON.stringify(paper)}`.trim();
}

function written(field, value) {
  if (field.kind === "share") return field.whole ? Number(value ?? 50) : Number(value ?? 50) / 100;
  if (field.kind === "number") return value === undefined || value === "" ? undefined : Number(value);
  if (field.kind === "switch") return Boolean(value);
  if (field.kind === "lines") return linesOf(value);
  if (field.kind === "several") return value ?? [];
  if (field.kind === "order") return value ?? field.choices.map((choice) => choice.value);
  if (field.kind === "sources") return (value ?? []).filter((one) => one.url).map((one) => ({ ...one, relevance: 1 }));
  return value ?? "";
}

/** @param {string | undefined} text */
function linesOf(text) {
  return (text ?? "").split("\n").map((line) => line.trim()).filter(Boolean);
}
