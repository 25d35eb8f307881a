// The one way to the server: fetch with the token, and entries followed over a stream that is picked up where it broke.

import { signal } from "./vendor/signals.js";

const KEPT = "quorate-token";

/** True while somebody must say the token; the shell shows a dialog for it. */
export const tokenWanted = signal(false);

let waiting = /** @type {((token: string) => void)[]} */ ([]);
let known = stored();

function stored() {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} token */
export function keepToken(token) {
  known = token.trim();
  try {
    localStorage.setItem(KEPT, known);
  } catch {
    // A browser that keeps nothing asks again after a reload.
  }
  tokenWanted.value = false;
  for (const go of waiting.splice(0)) go(known);
}

/** A token in the address, `#token=…` or `#token=…/d/ID`, goes to where it is kept, and out of the address. */
export function takeTokenFromAddress() {
  const found = /^#token=([^&/]+)&?(\/.*)?$/u.exec(location.hash);
  if (!found) return;
  keepToken(decodeURIComponent(found[1]));
  history.replaceState(null, "", `${location.pathname}${location.search}#${found[2] ?? "/"}`);
}

/** What the server says is wrong, in its one form. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {import("./suggestions.js").Suggestion[]} [suggestions]
   */
  constructor(status, code, message, suggestions = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.suggestions = suggestions;
  }
}

function headers(more = {}) {
  return { Accept: "application/json", ...(known ? { Authorization: `Bearer ${known}` } : {}), ...more };
}

/** Wait until a token has been said. */
function saidToken() {
  tokenWanted.value = true;
  return new Promise((resolve) => waiting.push(resolve));
}

/**
 * One request; asks for the token and tries again where the server wants one.
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<Response>}
 */
export async function request(path, init = {}) {
  for (;;) {
    const response = await reach(path, init);
    if (response.status !== 401) return response;
    await saidToken();
  }
}

async function reach(path, init) {
  try {
    return await fetch(path, { ...init, headers: headers(/** @type {any} */ (init.headers)), cache: "no-store" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, "unreachable", "The server does not answer. Is `quorate serve` still running?");
  }
}

async function json(response) {
  const text = await response.text();
  let body = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Not ours: the status says enough.
  }
  if (response.ok) return body;
  const told = body?.error ?? {};
  throw new ApiError(response.status, told.code ?? "failed", told.message ?? `The server answered ${response.status}.`, told.suggestions ?? []);
}

/** @param {string} path */
export async function get(path) {
  return json(await request(path));
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {Record<string, string>} [more]
 */
export async function post(path, body, more = {}) {
  const sent = { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...more } };
  return json(await request(path, sent));
}

/** @param {string} id */
export function deliberationPath(id) {
  return `/api/deliberations/${encodeURIComponent(id)}`;
}

/**
 * Frames of an event stream that are whole, and what is left of the last one.
 * @param {string} text
 * @returns {{ frames: { event: string, data: string, id: string }[], rest: string }}
 */
export function frames(text) {
  const parts = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = parts.pop() ?? "";
  return { frames: parts.map(frame).filter((one) => one.data), rest };
}

function frame(part) {
  const found = { event: "message", data: "", id: "" };
  for (const line of part.split("\n")) {
    const [, name, value] = /^(event|data|id): ?(.*)$/su.exec(line) ?? [];
    if (name === "data") found.data += (found.data ? "\n" : "") + value;
    else if (name) found[name] = value;
  }
  return found;
}

/**
 * Follow a deliberation from an entry on: after a break exactly the gap is asked for, and nothing is handed on twice.
 * @param {string} id
 * @param {{ after?: number, onEntry: (entry: any) => void, onWords?: (words: any) => void, onEnd?: (end: any) => void, onLink?: (up: boolean) => void, onError?: (error: ApiError) => void }} to
 * @returns {() => void} stops it
 */
export function follow(id, to) {
  const abort = new AbortController();
  run(id, to, abort.signal);
  return () => abort.abort();
}

async function run(id, to, stop) {
  const place = { last: to.after ?? 0, over: false, tries: 0 };
  while (!place.over && !stop.aborted) {
    try {
      await stream(id, to, place, stop);
    } catch (error) {
      if (stop.aborted) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
        to.onError?.(error);
        return;
      }
    }
    if (place.over || stop.aborted) return;
    to.onLink?.(false);
    await pause(Math.min(5000, 250 * 2 ** place.tries), stop);
    place.tries += 1;
  }
}

async function stream(id, to, place, stop) {
  const more = { Accept: "text/event-stream", ...(place.last ? { "Last-Event-ID": String(place.last) } : {}) };
  const response = await request(`${deliberationPath(id)}/events`, { headers: more, signal: stop });
  if (!response.ok || !response.body) {
    await json(response);
    return;
  }
  to.onLink?.(true);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const found = frames(rest + value);
    rest = found.rest;
    for (const one of found.frames) hand(one, to, place);
    if (place.over) return void reader.cancel();
  }
}

function hand(one, to, place) {
  const data = JSON.parse(one.data);
  if (one.event === "words") to.onWords?.(data);
  if (one.event === "end") {
    place.over = true;
    to.onEnd?.(data);
  }
  if (one.event !== "entry" || data.number <= place.last) return;
  place.last = data.number;
  place.tries = 0;
  to.onEntry(data);
}

function pause(milliseconds, stop) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    stop.addEventListener("abort", () => (clearTimeout(timer), resolve(null)), { once: true });
  });
}
