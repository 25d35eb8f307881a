// What can be done with a deliberation as a whole: save it as one file, give it up, go on with it.

import { deliberationPath, post, request } from "./api.js";
import { html, plain } from "./ui.js";
import { useState } from "./vendor/hooks.js";

/**
 * @param {{ id: string, state: import("./fold.js").PageState, live: boolean, onResume: () => void }} props
 */
export function Controls({ id, state, live, onResume }) {
  const [sure, setSure] = useState(false);
  const [problem, setProblem] = useState("");
  const attempt = (work) => async () => {
    setProblem("");
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "It did not work.");
    }
  };
  const stop = attempt(async () => {
    await post(`${deliberationPath(id)}/cancel`, {});
    setSure(false);
  });
  const resume = attempt(async () => {
    await post(`${deliberationPath(id)}/resume`, {});
    onResume();
  });
  const open = !state.decided && !state.halted;
  return html`<div class="tools" role="group" aria-label="This deliberation">
    <button type="button" onClick=${attempt(() => save(id))}>Save as one file</button>
    ${open && live && !sure && html`<button type="button" onClick=${() => setSure(true)}>Stop it…</button>`}
    ${open && live && sure && html`<button type="button" class="danger" onClick=${stop}>Stop it for good</button> <button type="button" onClick=${() => setSure(false)}>Keep going</button>`}
    ${open && !live && html`<button type="button" class="primary" onClick=${resume}>Resume</button>`}
    <span role="alert">${plain(problem)}</span>
  </div>`;
}

/** The one-file report, fetched with the token and handed to the browser as a file. */
async function save(id) {
  const response = await request(`${deliberationPath(id)}?as=html`, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(`The report could not be made (${response.status}).`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = `quorate-${id}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
