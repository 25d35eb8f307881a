// The shell: which view is shown, the theme, the token dialog. How a view is registered stands in `routes.js`; what a
// protocol shows besides the floor in `parts.js`. In a one-file report the record is in the file, and nothing is asked.

import { keepToken, takeTokenFromAddress, tokenWanted } from "./api.js";
import { Record } from "./deliberation.js";
import { routeOf, routes } from "./routes.js";
import { html, oneLine } from "./ui.js";
import { useEffect, useRef, useState } from "./vendor/hooks.js";
import { render } from "./vendor/preact.js";

const THEMES = ["auto", "light", "dark"];

function keptTheme() {
  try {
    return localStorage.getItem("quorate-theme") ?? "auto";
  } catch {
    return "auto";
  }
}

function Theme() {
  const [theme, setTheme] = useState(keptTheme);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("quorate-theme", theme);
    } catch {
      // A page opened from disk may keep nothing.
    }
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  return html`<button type="button" class="theme" onClick=${() => setTheme(next)} aria-label=${`Theme: ${theme}. Change to ${next}`}><span aria-hidden="true">${{ auto: "◐", light: "☀", dark: "☾" }[theme]}</span> ${theme}</button>`;
}

function Header({ path, served }) {
  const named = routes.filter((route) => route.menu);
  return html`<header class="bar-top">
    <a class="skip" href="#main" onClick=${skip}>Skip to content</a>
    ${served ? html`<a class="brand" href="#/">quorate</a>` : html`<span class="brand">quorate</span>`}
    ${served && named.length > 0 && html`<nav aria-label="Main"><ul>${named.map((route) => html`<li key=${route.path}><a href=${`#/${route.path}`} aria-current=${route.path === path ? "page" : null}>${route.menu}</a></li>`)}</ul></nav>`}
    <${Theme} />
  </header>`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function TokenDialog() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [open, setOpen] = useState(tokenWanted.value);
  useEffect(() => tokenWanted.subscribe(setOpen), []);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open && dialog.current?.open) dialog.current.close();
  }, [open]);
  const keep = (event) => {
    event.preventDefault();
    keepToken(new FormData(event.currentTarget).get("token")?.toString() ?? "");
  };
  return html`<dialog ref=${dialog} aria-labelledby="token-title" onCancel=${(event) => event.preventDefault()}>
    <form onSubmit=${keep}>
      <h2 id="token-title">Enter the access token</h2>
      <p>It's at the end of the URL that <code>quorate serve</code> printed.</p>
      <label>Token <input name="token" type="password" required autocomplete="off" /></label>
      <button type="submit" class="primary">Go on</button>
    </form>
  </dialog>`;
}

function App() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const moved = () => {
      takeTokenFromAddress(); // a printed link may be pasted where the page is open already
      setHash(location.hash);
    };
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const { route, params } = routeOf(hash);
  useEffect(() => void (document.title = route?.title === "quorate" ? "quorate" : `${route?.title ?? "Not found"} · quorate`), [route]);
  return html`<${Header} path=${route?.path ?? ""} served=${true} />
    <main id="main" tabindex="-1">
      ${route ? html`<${route.view} key=${params.join("/")} params=${params} />` : html`<section><h1>There is no such page</h1><p><a href="#/">To the beginning</a></p></section>`}
    </main>
    <${TokenDialog} />`;
}

function Report({ record }) {
  useEffect(() => void (document.title = `${oneLine(record.question, 80)} · quorate`), []);
  return html`<${Header} path="" served=${false} />
    <main id="main" tabindex="-1">
      <${Record} id=${record.id} entries=${record.entries} words=${new Map()} live=${false} served=${false} views=${record.views} />
      <footer class="quiet made">${oneLine(record.made)}</footer>
    </main>`;
}

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const kept = document.getElementById("record");
page.replaceChildren();
if (kept) {
  render(html`<${Report} record=${JSON.parse(kept.textContent ?? "{}")} />`, page);
} else {
  takeTokenFromAddress();
  render(html`<${App} />`, page);
}
