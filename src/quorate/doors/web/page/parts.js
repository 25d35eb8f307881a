// What a protocol shows besides the floor. Add `{ name, fits, view }`: `name` is the view of the record it is drawn
// from (`?as=name`; the one-file report brings it along as `view`), `fits` says for which deliberations, and `view` is
// a component that gets `{ id, state, served, view }`.

/** @type {{ name: string, fits: (protocol: string, state: import("./fold.js").PageState) => boolean, view: any }[]} */
export const parts = [];
