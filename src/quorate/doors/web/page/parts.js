// What a protocol shows besides the floor. Add `{ name, fits, view }`: `name` is the view of the record it is drawn
// from (`?as=name`; the one-file report brings it along as `view`), `fits` says for which deliberations, and `view` is
// a component that gets `{ id, state, served, view }`.

import { DebatePart } from "./debate.js";
import { OraclePart } from "./oracle.js";
import { PersonPart, openAsks } from "./person.js";
import { ReviewPart, awaitsReview } from "./review.js";

/** @type {{ name: string, fits: (protocol: string, state: import("./fold.js").PageState) => boolean, view: any }[]} */
export const parts = [
  { name: "person", fits: (_, state) => openAsks(state).length > 0, view: PersonPart },
  { name: "review", fits: (_, state) => awaitsReview(state), view: ReviewPart },
  { name: "oracle", fits: (protocol) => protocol === "oracle", view: OraclePart },
  { name: "debate", fits: (protocol) => protocol === "debate", view: DebatePart },
];
