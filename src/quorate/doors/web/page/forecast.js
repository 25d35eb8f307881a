// What a deliberation would take and withstand, asked of the server while the form is filled in. Nobody is asked.

import { ApiError, post } from "./api.js";
import { useSettled } from "./resource.js";
import { SuggestionControl } from "./suggestions.js";
import { counted, html, plain } from "./ui.js";
import { useEffect, useState } from "./vendor/hooks.js";

const STAND_IN = "Should we do it?";
const PAUSE = 350;

/**
 * @param {any} body what would be started
 * @param {(answer: any) => void} onAnswer hears every forecast that could be made
 * @returns {{ answer: any, error: ApiError | null, asking: boolean, asked: boolean }} `asked`: it is for a question that was written
 */
export function useForecast(body, onAnswer) {
  const written = useSettled(JSON.stringify(body), PAUSE);
  const [shown, setShown] = useState({ answer: /** @type {any} */ (null), error: /** @type {ApiError | null} */ (null), asking: true, asked: false });
  useEffect(() => {
    let current = true;
    setShown((before) => ({ ...before, asking: true }));
    const body = JSON.parse(written);
    const asked = body.question.trim() !== "";
    post("/api/forecast", asked ? body : { ...body, question: STAND_IN }).then(
      (answer) => current && (setShown({ answer, error: null, asking: false, asked }), onAnswer(answer)),
      (error) => current && setShown({ answer: null, error, asking: false, asked }),
    );
    return () => void (current = false);
  }, [written]);
  return shown;
}

/** What the server says is missing, as somebody would say it who sits before the form. */
function problem(error) {
  if (error.code === "no_model") {
    const seats = /no model answers for ([^;]{1,400});/u.exec(error.message)?.[1] ?? "some seats";
    return `No model answers for ${seats}. Name one for every seat, or one for each. To try it without any model, start the server with: quorate serve --panel demo`;
  }
  return error.message;
}

/** @typedef {(setting: string, value: string) => void} Suggest */

/**
 * @param {{ forecast: { answer: any, error: any, asking: boolean, asked: boolean }, onSuggest: Suggest }} props
 */
export function Forecast({ forecast, onSuggest }) {
  const { answer, error, asking, asked } = forecast;
  return html`<div class="forecast card" aria-busy=${asking}>
    <h2>What to expect</h2>
    <div aria-live="polite">
      ${error && html`<p class="caution"><span aria-hidden="true">▲</span> ${plain(problem(error))}</p>${error.code !== "no_model" && html`<${Suggestions} suggestions=${error.suggestions} onSuggest=${onSuggest} />`}`}
      ${answer && html`<${Figures} answer=${answer} asked=${asked} onSuggest=${onSuggest} />`}
      ${!answer && !error && html`<p class="quiet">Working it out…</p>`}
    </div>
  </div>`;
}

function Suggestions({ suggestions, onSuggest }) {
  return html`${suggestions.map((suggestion, at) => html`<p key=${at} class="quiet"><${SuggestionControl} suggestion=${suggestion} onSuggest=${onSuggest} /></p>`)}`;
}

function Figures({ answer, asked, onSuggest }) {
  const { withstands } = answer;
  return html`${!asked && html`<p class="quiet">For a question such as “${STAND_IN}”, until you write yours.</p>`}
    <dl class="expected">
      <div><dt>Calls to models</dt><dd>${answer.calls}<span class="quiet"> (at most ${answer.at_most.calls})</span></dd></div>
      <div><dt>Price</dt><dd>${plain(answer.price)}</dd></div>
      <div><dt>Rules</dt><dd>${plain(answer.rulebook)}</dd></div>
      ${answer.if_agreed && html`<div><dt>If all agree at once</dt><dd>${counted(answer.if_agreed.calls, "call")}</dd></div>`}
    </dl>
    ${withstands?.sentence && html`<h3>How few can decide or block</h3><ul class="sentences">${withstands.sentence.split("; ").map((part, at) => html`<li key=${at}>${plain(part)}</li>`)}</ul>`}
    ${asked && answer.turned_away.length > 0 && html`<h3>This would be turned away</h3><ul class="sentences caution">${answer.turned_away.map((why, at) => html`<li key=${at}>${plain(why)}</li>`)}</ul>`}
    ${asked && answer.notes.length > 0 && html`<ul class="sentences quiet">${answer.notes.map((note, at) => html`<li key=${at}>${plain(note.text)}${note.suggestion && html` <${SuggestionControl} suggestion=${note.suggestion} onSuggest=${onSuggest} />`}</li>`)}</ul>`}`;
}
