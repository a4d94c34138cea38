import { favicon } from './favicon.ts';

/** The parts of the OpenAPI document that the page uses. */
type Operation = Readonly<{ tags: readonly string[]; summary: string }>;
export type ListedDocument = Readonly<{
  info: Readonly<{ title: string }>;
  tags: readonly Readonly<{ name: string; description: string }>[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}>;

const style = `
  body { margin: 0 }
  #outline { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  #outline ul { list-style: none; padding: 0 }
  #outline code { font-weight: 600 }
  @media (prefers-color-scheme: dark) { body { background: #1c2022; color: #e4e6e6 } #outline a { color: #8ab4f8 } }
  /* At the width of a telephone, tables and forms of an operation are scrolled and not cut off. */
  @media (max-width: 640px) { .swagger-ui .opblock-body { overflow-x: auto } .swagger-ui .wrapper { padding: 0 8px } }
`;

/** Runs once the document and the bundle are loaded; both are requested while the outline is shown. */
const script = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// Without an example the page would write "string" into each text field of a form; and fields that stay empty are not
// sent, so there is no box to ask for that (ParameterIncludeEmpty, which is checked until someone unchecks it).
function emptied(spec) {
  for (const item of Object.values(spec.paths)) for (const operation of Object.values(item)) {
    const form = operation.requestBody?.content['multipart/form-data'];
    if (form === undefined) continue;
    const { properties } = spec.components.schemas[form.schema.$ref.split('/').at(-1)];
    for (const property of Object.values(properties)) {
      if (property.type === 'string' && property.format !== 'binary') property.examples ??= [''];
    }
  }
  return spec;
}

const spec = emptied(await (await fetch('openapi.json')).json());
// Requests go where this page is from, not to the address that is configured for other clients.
SwaggerUIBundle({
  spec: { ...spec, servers: [{ url: new URL('.', location.href).href.slice(0, -1) }] },
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [() => ({ components: { ParameterIncludeEmpty: () => null } })],
});
`;

/** The page to try REST: first a list of endpoints, which needs no script, then Swagger UI once it is loaded. */
export function renderApiDocsPage(document: ListedDocument): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vitrine: REST</title>
<link rel="icon" href="${favicon}">
<link rel="preload" href="openapi.json" as="fetch" crossorigin>
<script src="docs/swagger-ui-bundle.js" defer></script>
<style>${style}</style>
<div id="docs"><div id="outline">
<h1>${document.info.title}</h1>
<p>The forms to try these requests are loading; they need JavaScript. The document itself is at
<a href="openapi.json">/openapi.json</a>.</p>
${document.tags.map((tag) => section(document, tag)).join('\n')}
</div></div>
<link rel="stylesheet" href="docs/swagger-ui.css">
<script type="module">${script}</script>
</html>
`;
}

function section({ paths }: ListedDocument, { name, description }: ListedDocument['tags'][number]): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => tags.includes(name))
      .map(([method, { summary }]) => `<li><code>${method.toUpperCase()} ${path}</code> ${escape(summary)}</li>`),
  );
  return `<h2>${name}</h2>\n<p>${escape(description)}</p>\n<ul>\n${rows.join('\n')}\n</ul>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
