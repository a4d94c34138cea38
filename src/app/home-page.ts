import { favicon } from './favicon.ts';
import { consolePath, sessionPath } from './console-files.ts';
import type { HttpApi } from '../lib/http-api.ts';

/** Relative to the page, since a proxy may serve it below a path. */
const links = { console: `${consolePath.slice(1)}/`, session: sessionPath.slice(1) } as const;

const style = `
  :root { color-scheme: light dark; --line: light-dark(#e3e2df, #2b2d31); --accent: light-dark(#2f52c7, #93abff) }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 9vh auto; padding: 0 1.5rem;
    background: light-dark(#f7f7f6, #111213); color: light-dark(#1d1c1a, #ecedee) }
  h1 { display: flex; gap: .6rem; align-items: center; font-weight: 600; letter-spacing: -.02em }
  h1 img { width: 40px }
  a { color: var(--accent) }
  form, details { padding: 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: light-dark(#fff, #191a1c) }
  form label { display: block; font-weight: 600 }
  form div { display: flex; flex-wrap: wrap; gap: .5rem; margin: .4rem 0 }
  input { flex: 1; min-width: 12rem; font: inherit; padding: .45rem .7rem; border: 1px solid light-dark(#8d8a84, #6b6f76);
    border-radius: 8px; background: none; color: inherit }
  button, .open { font: inherit; font-weight: 600; padding: .45rem 1rem; border: 0; border-radius: 8px; cursor: pointer;
    background: var(--accent); color: light-dark(#fff, #10131c); text-decoration: none }
  details { margin-top: .75rem; padding-block: .7rem } summary { cursor: pointer }
  dt { font-weight: 600; margin-top: 1rem } dd { margin: 0; color: light-dark(#65625d, #a0a4aa) }
  code { overflow-wrap: anywhere }
  output { color: light-dark(#b3261e, #ff8f86) }
  [hidden] { display: none }
`;

/** Signs in, or shows who is signed in. */
const script = `
(() => {
  const form = document.querySelector('form');
  const fault = document.querySelector('output');
  const words = { 401: 'This key is not valid.', 429: 'Too many wrong keys: wait a minute.' };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    fault.textContent = '';
    const headers = { 'API-Key': form.elements.key.value.trim(), 'X-Vitrine-Console': '1' };
    const { ok, status } = await fetch('${links.session}', { method: 'POST', headers }).catch(() => ({ status: 0 }));
    if (ok) location.assign('${links.console}');
    else fault.textContent = words[status] ?? 'The service does not answer.';
  });
  fetch('${links.session}').then(async (answer) => {
    if (answer.status !== 200) return;
    const { role, tenant } = await answer.json();
    document.getElementById('who').textContent = role + ' of ' + tenant;
    document.getElementById('in').hidden = false;
    form.hidden = true;
  }, () => {});
})();
`;

/** Renders the home page: sign-in, and links to everything. */
export function renderHomePage(apis: readonly Pick<HttpApi, 'name'>[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Vitrine</title>
<link rel="icon" href="${favicon}">
<style>${style}</style>
<main>
<h1><img src="${favicon}" alt="">Vitrine</h1>
<p>Media catalog, search and tagging.</p>
<p id="in" hidden><a class="open" href="${links.console}">Open the console</a> You are signed in as <span id="who"></span>.</p>
<form>
  <label for="key">API key</label>
  <div><input id="key" name="key" type="password" autocomplete="current-password" placeholder="vt_…" spellcheck="false" required>
  <button>Sign in</button></div>
  <output></output>
</form>
<details>
  <summary>Where is the key?</summary>
  <p>The first start prints it and stores it in the file <code>admin-key</code> of the data folder. Whoever runs the service can
  create more: <code>npx vitrine key create --tenant default --role editor --name NAME</code>. Programs send it with each request, in the
  header <code>API-Key</code>.</p>
</details>
<dl>
  <dt><a href="graphql">GraphiQL</a></dt><dd>Explore the GraphQL schema and try queries, at <code>/graphql</code>.</dd>
${apis.map(describe).join('')}  <dt><a href="ready">Readiness</a></dt><dd>Whether the services that Vitrine depends on respond.</dd>
</dl>
</main>
<script>${script}</script>
</html>
`;
}

function describe({ name }: Pick<HttpApi, 'name'>): string {
  return `  <dt><a href="docs">${name}</a></dt><dd>Read about every endpoint and try it, at <code>/docs</code>; for programs, <a href="openapi.json">OpenAPI 3.1</a>.</dd>\n`;
}
