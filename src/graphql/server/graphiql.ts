import { tabs } from './graphiql-tabs.ts';

const style = `
  body { display: flex; flex-direction: column; height: 100dvh; margin: 0 }
  #root { flex: 1; min-height: 0; height: auto }
  #root .graphiql-container { height: 100% }
  #access { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; padding: 8px 16px; font: 15px/1.4 system-ui, sans-serif }
  #access input { flex: 1; min-width: 120px; max-width: 30rem; font: inherit; padding: 4px 8px }
  #access button { font: inherit; padding: 4px 12px }
  @media (prefers-color-scheme: dark) { #access { background: #212a3b; color: #e4e6e6 } }
  /* The editor moves a pressed tab as if it were dragged, and the click is lost. */
  .graphiql-tab { transform: none !important }
  /* At the width of a telephone: tools below, the answer under the question. */
  @media (max-width: 640px) {
    .graphiql-container { flex-direction: column-reverse }
    .graphiql-container .graphiql-sidebar { flex-direction: row; width: auto; flex: none; padding: 0 8px; overflow-x: auto }
    .graphiql-container .graphiql-sidebar > div { display: none }
    .graphiql-container .graphiql-main { min-height: 0 }
    /* A pane that is closed is kept outside of what is seen. */
    .graphiql-container .graphiql-main:has(.graphiql-plugin:not([style*="-1000px"])) .graphiql-sessions { display: none }
    .graphiql-container .graphiql-plugin { flex: 1 !important }
    .graphiql-container .graphiql-sessions { margin: 0 4px 4px; min-width: 0 }
    .graphiql-container #graphiql-session { flex-direction: column; min-height: 0 }
    .graphiql-container .graphiql-editors, .graphiql-container .graphiql-response { flex: 1 1 0 !important; min-height: 0 }
    .graphiql-container .graphiql-horizontal-drag-bar, .graphiql-container .graphiql-logo { display: none }
  }
`;

/**
 * Keeps the key for this browser tab only, and adds it to every request of the page that has none. A submitted key is tried
 * at once, to show whose it is. The script comes before GraphiQL, so that it sees GraphiQL's requests.
 */
const script = `
(() => {
  const name = 'vitrine:api-key';
  const send = window.fetch.bind(window);
  window.fetch = (input, init = {}) => {
    const key = sessionStorage.getItem(name);
    const isRequest = input instanceof Request;
    const { origin } = new URL(isRequest ? input.url : input, location.href);
    if (!key || origin !== location.origin) return send(input, init);
    const headers = new Headers(init.headers ?? (isRequest ? input.headers : undefined));
    if (!headers.get('API-Key')) headers.set('API-Key', key);
    return send(input, { ...init, headers });
  };

  const form = document.getElementById('access');
  const field = document.getElementById('api-key');
  const state = document.getElementById('access-state');

  async function showAccess() {
    if (!sessionStorage.getItem(name)) {
      // A signed-in user needs no key.
      const session = await send('app/session').catch(() => null);
      const who = session?.status === 200 ? await session.json() : null;
      state.textContent = who ? \`Signed in: \${who.name}, \${who.role} of \${who.tenant}\` : 'Paste a key; it stays in this tab.';
      return;
    }
    try {
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ query: '{ me { clientName roleName tenant } }' });
      const { data, errors } = await (await window.fetch('graphql', { method: 'POST', headers, body })).json();
      const { clientName, roleName, tenant } = data?.me ?? {};
      state.textContent = data?.me ? \`\${clientName}, \${roleName} of \${tenant}\` : errors[0].message;
    } catch {
      state.textContent = 'The service does not answer.';
    }
  }

  field.value = sessionStorage.getItem(name) ?? '';
  field.addEventListener('input', () => sessionStorage.setItem(name, field.value.trim()));
  form.addEventListener('submit', (event) => (event.preventDefault(), showAccess()));
  showAccess();
})();
`;

const bar = `
<form id="access">
  <label for="api-key">API key</label>
  <input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="vt_…">
  <button>Use</button>
  <output id="access-state"></output>
</form>
<script>${script}</script>
`;

/** Returns the GraphiQL page with everything inline, so that it needs no internet. @param favicon URL of its icon */
export async function renderGraphiQLPage(favicon: string): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const page = renderGraphiQL({
    title: 'Vitrine',
    favicon,
    defaultTabs: tabs,
    shouldPersistHeaders: false,
    subscriptionsProtocol: 'SSE',
  } as unknown as Parameters<typeof renderGraphiQL>[0]);
  const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';
  return inserted(inserted(page, '</head>', `${viewport}<style>${style}</style>`), '<div id="root">', bar);
}

/**
 * @throws Error if the page does not contain `place`: the field for the key would be missing in another version of GraphiQL.
 */
function inserted(page: string, place: string, text: string): string {
  const at = page.indexOf(place);
  if (at === -1) throw new Error(`GraphiQL's page has no ${place}`);
  return page.slice(0, at) + text + page.slice(at);
}
