// What is asked of the server once for a view: loading, there, or not to be had; and small parts that all views share.

import { html, plain } from "./ui.js";
import { useEffect, useRef, useState } from "./vendor/hooks.js";

/**
 * @typedef {{ data: any, error: string, loading: boolean, again: () => void }} Resource
 */

/**
 * What a function of the server brings; asked for again when `keys` change. What comes late is dropped.
 * @param {() => Promise<any>} load
 * @param {unknown[]} keys
 * @returns {Resource}
 */
export function useResource(load, keys) {
  const [turn, setTurn] = useState(0);
  const [kept, setKept] = useState({ data: /** @type {any} */ (null), error: "", loading: true });
  useEffect(() => {
    let current = true;
    setKept((before) => ({ ...before, loading: true }));
    load().then(
      (data) => current && setKept({ data, error: "", loading: false }),
      (error) => current && setKept((before) => ({ data: before.data, error: wordsOf(error), loading: false })),
    );
    return () => void (current = false);
  }, [...keys, turn]);
  return { ...kept, again: () => setTurn((before) => before + 1) };
}

/**
 * What went wrong, in words.
 * @param {unknown} error
 */
export function wordsOf(error) {
  return error instanceof Error && error.message ? error.message : "Something went wrong.";
}

/**
 * A view's first moments: what is loaded, or why there is nothing.
 * @param {{ resource: Resource, children: any }} props
 */
export function Loaded({ resource, children }) {
  if (resource.error) return html`<${Failure} message=${resource.error} again=${resource.again} />`;
  if (resource.data === null) return html`<p class="quiet loading" role="status">Loading…</p>`;
  return children;
}

/** @param {{ message: string, again?: () => void }} props */
export function Failure({ message, again }) {
  return html`<div class="failure" role="alert">
    <p><span aria-hidden="true">▲</span> ${plain(message)}</p>
    ${again && html`<button type="button" onClick=${again}>Try again</button>`}
  </div>`;
}

/**
 * A thing that is done once at a time, however often it is asked for; `busy` while it is under way.
 * @param {(...given: any[]) => Promise<any>} action
 */
export function useAction(action) {
  const under = useRef(false);
  const [shown, setShown] = useState({ busy: false, error: "" });
  const run = async (...given) => {
    if (under.current) return;
    under.current = true;
    setShown({ busy: true, error: "" });
    try {
      await action(...given);
      setShown({ busy: false, error: "" });
    } catch (error) {
      setShown({ busy: false, error: wordsOf(error) });
    } finally {
      under.current = false;
    }
  };
  return { ...shown, run };
}

/**
 * A value that has not changed for a while.
 * @template T
 * @param {T} value
 * @param {number} milliseconds
 * @returns {T}
 */
export function useSettled(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/**
 * A moment as people here write it.
 * @param {string} time
 */
export function moment(time) {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? plain(time) : at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** 128 bits of chance in hex, also where the page is not served over a safe origin. */
export function chance() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
