// A deliberation in one of its own forms: brought along by a one-file report, or asked of the server as it grows.

import { deliberationPath, get } from "./api.js";
import { useResource, useSettled } from "./resource.js";

/**
 * @param {string} name
 * @param {{ id: string, state: import("./fold.js").PageState, served: boolean, view?: any }} where
 * @returns {any} what there is by now, null before that
 */
export function useRecordView(name, { id, state, served, view }) {
  const heard = state.rounds.reduce((sum, round) => sum + round.turns.length, 0) + (state.decided ? 1 : 0);
  const settled = useSettled(heard, 400);
  const found = useResource(() => (served ? get(`${deliberationPath(id)}?as=${name}`) : Promise.resolve(view ?? null)), [id, served, settled]);
  return served ? found.data : (view ?? null);
}
