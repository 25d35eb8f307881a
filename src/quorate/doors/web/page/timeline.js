// The scrubber: any moment of a deliberation, folded again from its entries.

import { useEffect, useState } from "./vendor/hooks.js";
import { html, oneLine, plain } from "./ui.js";

const PACE = 700;

/**
 * `at` is how many entries are shown, null for all there are.
 * @param {{ entries: import("./fold.js").Entry[], at: number | null, onMove: (at: number | null) => void, live: boolean }} props
 */
export function Timeline({ entries, at, onMove, live }) {
  const [playing, setPlaying] = useState(false);
  const most = entries.length;
  const shown = at ?? most;
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => (shown < most ? onMove(shown + 1) : (setPlaying(false), onMove(null))), PACE);
    return () => clearTimeout(timer);
  }, [playing, shown, most]);
  if (most < 2) return null;
  const toggle = () => {
    if (!playing && shown >= most) onMove(1);
    setPlaying(!playing);
  };
  const move = (event) => (setPlaying(false), onMove(Number(event.currentTarget.value) >= most ? null : Number(event.currentTarget.value)));
  const now = entries[shown - 1];
  return html`<section class="timeline" aria-label="Timeline">
    <button type="button" class="play" onClick=${toggle} aria-label=${playing ? "Pause" : "Play from here"}><span aria-hidden="true">${playing ? "❚❚" : "▶"}</span></button>
    <div class="track">
      <input type="range" min="1" max=${most} step="1" value=${shown} onInput=${move} aria-label="Entry shown" aria-valuetext=${`Entry ${shown} of ${most}: ${told(now)}`} />
      <div class="marks" aria-hidden="true">${marks(entries).map((mark) => html`<i key=${mark.at} style=${{ left: `${mark.place}%` }} title=${mark.title}></i>`)}</div>
    </div>
    <p class="now"><span class="count">${shown} / ${most}</span> <span>${told(now)}</span></p>
    ${at !== null && html`<button type="button" onClick=${() => (setPlaying(false), onMove(null))}>${live ? "Back to live" : "To the end"}</button>`}
  </section>`;
}

/** Where a round begins. */
function marks(entries) {
  const found = [];
  let round = "";
  entries.forEach(({ floor }, index) => {
    if (floor.round && floor.round !== round && !found.some((one) => one.round === floor.round)) {
      found.push({ at: index, round: floor.round, title: plain(floor.title), place: (index / Math.max(1, entries.length - 1)) * 100 });
    }
    round = floor.round || round;
  });
  return found;
}

const WORDS = {
  convened: () => "the panel is convened",
  admitted: () => "the question is admitted",
  turned_away: () => "the question is turned away",
  asked: (one) => `${oneLine(one.seat)} is asked${one.about ? ` about ${oneLine(one.about)}` : ""}`,
  spoke: (one) => spoke(one),
  silent: (one) => `${oneLine(one.seat)} is silent`,
  withdrawn: (one) => `the ask to ${oneLine(one.seat)} is withdrawn`,
  found: (one) => (one.errand === "compare" ? "texts are compared" : `${oneLine(one.seat) || "somebody"} is handed what was found`),
  routed: (one) => `${oneLine(one.seat)} gets another model`,
  decided: (one) => `the verdict: ${oneLine(one.verdict?.outcome ?? "no decision", 80)}`,
  failed: () => "the panel couldn't be asked",
  halted: () => "the deliberation is stopped",
  turned_out: (one) => `what turned out right: ${oneLine(one.value, 80)}`,
  reviewed: (one) => `${oneLine(one.by)} reviews the verdict`,
};

function spoke(one) {
  const seat = oneLine(one.seat);
  if (one.stance === "challenge") return `${seat} challenges ${oneLine(one.about)}`;
  if (one.stance === "agree") return `${seat} questions ${oneLine(one.about)}`;
  if (one.moved) return `${seat} changes its mind: ${oneLine(one.was.choice, 40)} → ${oneLine(one.vote.choice, 40)}`;
  return one.vote ? `${seat} votes ${oneLine(one.vote.choice, 60)}` : `${seat} speaks`;
}

/** What one entry is, in a few words. */
export function told(entry) {
  return entry ? (WORDS[entry.floor.kind]?.(entry.floor) ?? entry.floor.kind) : "";
}
