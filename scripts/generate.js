// Writes what is generated from code and committed because people read it:
//   schema.graphql           the schema as src/graphql prints it
//   docs/configuration.md    the table of environment variables
//   docs/openapi.json        what rest/openapi makes of the endpoint table and the schema
//   docs/graphql.md          the list of error codes in it
//   docs/limits.md           every limit of a request
//   docs/security.md         the list of scopes in it
//   docs/scale.md            the table of measured catalogs in it
//   deploy/grafana-dashboard.json   the dashboard of scripts/dashboard.js
//   console/src/api/documents.ts   the documents that the console sends, with their types
//   clients/typescript/src/generated/   types of REST and GraphQL, error codes, fields of formulas
//   clients/python/src/vitrine_client/  models of pydantic, error codes, and the sync client from the async one
//   docs/formula.md          the search formula, with the table of its fields
//   prisma/functions/        of images and videos: _search.sql, _facets.sql, _words.sql, _history.sql and _state.sql, what searches look in, counts and the history
// With --check nothing is written; a file that differs is named and the exit code is 1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { lexicographicSortSchema, printSchema } from 'graphql';
import * as prettier from 'prettier';
import {
  fieldsOf,
  formulaFields,
  facetFunction,
  facetRecountFunction,
  historyFunction,
  resources,
  searchFunction,
  stateFunction,
  wordFunction,
} from '../dist/src/catalog/index.js';
import { buildOpenApi } from '../dist/rest/index.js';
import { secrets, variables } from '../dist/src/config/config.js';
import { schema } from '../dist/src/graphql/index.js';
import { limitSections } from '../dist/src/app/limits.js';
import { graphqlTypes, restTypes, tablesModule } from './client-types.js';
import { consoleDocuments } from './console-types.js';
import { errorList, scopeList, siblings } from './doc-lists.js';
import { pythonModules } from './python-client.js';
import { readMeasured, tableOf } from '../dist/bench/scale/table.js';
import { dashboard } from './dashboard.js';
import { flagOperators } from '../dist/src/search/formula/parse/flag-operators.js';
import { comparatorsOf } from '../dist/src/search/formula/index.js';

const files = {
  'schema.graphql': () => `${printSchema(lexicographicSortSchema(schema))}\n`,
  'console/src/api/documents.ts': () => consoleDocuments(printSchema(lexicographicSortSchema(schema))),
  'docs/configuration.md': configuration,
  'docs/openapi.json': () => JSON.stringify(buildOpenApi({ schema })),
  'docs/graphql.md': () => filled('docs/graphql.md', 'error codes', errorList()),
  'docs/limits.md': limits,
  'docs/security.md': () => filled('docs/security.md', 'scopes', scopeList()),
  'docs/scale.md': () => filled('docs/scale.md', 'table', scaleTable()),
  'deploy/grafana-dashboard.json': () => JSON.stringify(dashboard()),
  'clients/typescript/src/generated/rest.ts': () => restTypes(buildOpenApi({ schema })),
  'clients/typescript/src/generated/graphql.ts': () => graphqlTypes(lexicographicSortSchema(schema)),
  'clients/typescript/src/generated/tables.ts': () => tablesModule(),
  ...pythonModules(buildOpenApi({ schema })),
  'docs/formula.md': formula,
  ...Object.fromEntries(
    resources.flatMap((resource) => [
      [`prisma/functions/${resource}_search.sql`, () => searchFunction(resource)],
      [`prisma/functions/${resource}_history.sql`, () => historyFunction(resource)],
      [`prisma/functions/${resource}_state.sql`, () => stateFunction(resource)],
      [`prisma/functions/${resource}_facets.sql`, () => facetFunction(resource)],
      [`prisma/functions/${resource}_words.sql`, () => wordFunction(resource)],
      [`prisma/functions/${resource}_facets_recount.sql`, () => facetRecountFunction(resource)],
    ]),
  ),
};

// The results of `npm run bench -- scale`, without catalogs that are fast in any case.
function scaleTable() {
  const all = readMeasured(readFileSync('bench/scale/measured.json', 'utf8'));
  const large = new Map([...all].filter(([size]) => size >= 100_000));
  return tableOf(large, []).join('\n');
}

// Replaces the part of a handwritten page between two marker comments.
function filled(path, name, content) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const page = readFileSync(path, 'utf8');
  if (!page.includes(begin) || !page.includes(end)) throw new Error(`${path} has no place for ${name}`);
  return `${page.slice(0, page.indexOf(begin))}${begin}\n\n${content}\n\n${page.slice(page.indexOf(end))}`;
}

function configuration() {
  const rows = siblings(Object.entries(variables)).map(
    (run) => `- ${run.map(([name, { schema: value }]) => named(name, value)).join(', ')}: ${run[0][1].meaning}`,
  );
  return `# Configuration

Environment variables with their defaults in parentheses. They are read once at start; \`.env\` in the current folder adds what the environment
does not set. All mistakes are reported together. A secret may also come from a file named by \`NAME_FILE\`: ${secrets.map((name) => `\`${name}\``).join(', ')}.

${rows.join('\n')}

This page is generated from \`src/config/config.ts\` by \`npm run generate\`.
`;
}

// A variable with its default, as one would write it.
function named(name, schema) {
  const { success, data } = schema.safeParse(undefined);
  const text = success ? defaultText(name, schema.def.type === 'prefault' ? schema.def.defaultValue : data) : 'none';
  return text === 'none' ? `\`${name}\`` : `\`${name}\` (${text})`;
}

// The schema describes the fields that records have, so they are only named here; fields derived from them are
// described.
function formulaFieldList() {
  const ofRecords = new Set(resources.flatMap((resource) => fieldsOf[resource].map(({ name }) => name)));
  const named = ({ name, sql, facet }) => {
    const [resource, other] = Object.keys(sql);
    return `${facet ? `**\`${name}\`**` : `\`${name}\``}${other === undefined ? ` (${resource}s)` : ''}`;
  };
  const own = formulaFields.filter(({ name }) => ofRecords.has(name));
  const kinds = [...new Set(own.map(({ kind }) => kind))];
  const rows = kinds.map(
    (kind) =>
      `- ${kind}: ${own
        .filter((field) => field.kind === kind)
        .map(named)
        .join(', ')}`,
  );
  const derived = formulaFields.filter(({ name }) => !ofRecords.has(name));
  const ordered = new Set(formulaFields.map(({ kind }) => kind).filter((kind) => comparatorsOf(kind).includes('<')));
  const bare = formulaFields.filter(({ weight }) => weight).map(({ name }) => `\`${name}\``);
  return `## Fields

Fields of records, which \`/docs\` and [schema.graphql](../schema.graphql) describe; facets count those in bold:

${rows.join('\n')}

Derived fields:

${derived.map((field) => `- ${named(field)} (${field.kind}): ${field.description}`).join('\n')}

Bare text searches ${bare.join(', ')}. Every field takes \`:\`, \`=\` and \`!=\`; fields of the kinds ${[...ordered].join(', ')} also take
\`<\`, \`<=\`, \`>\` and \`>=\`.`;
}

const withMeilisearch = `## With Meilisearch

[Meilisearch](meilisearch.md) finds the same records, counts and facets. Only the ranking of bare words differs: PostgreSQL ranks by the
frequency of words and the weight of their fields; Meilisearch lists records with all words as written first, by field, proximity and position,
then those with other forms, newest first.`;

const references = `\`i~"…"\` with a text searches for what the text describes; a single word shaped like a file's id, as in
\`i~"originals:p02.jpg"\`, is an id. \`text:"…"\` and \`id:"…"\` force one meaning. If a formula finds nothing, \`vitrine explain\` and
\`GET /imgs/explain\` suggest some that do: \`author:"Dorothea Lange"\` for \`author:lange\`, \`country:Japan\` for \`country:JP\`,
\`sunset OR cat\` for \`sunset cat\`.`;

const flagRows = Object.values(flagOperators)
  .map(({ example, description }) => `| \`${example.replace(' or ', ' ')}\` | ${description} |`)
  .join('\n');

function formula() {
  return `# The search formula

A formula is a text that searches the catalog: \`GET /imgs?q=…\`, or \`images(q: "…")\` in GraphQL. An empty one finds everything.

| write | to find |
| --- | --- |
| \`sunset beach\` | both words, in any form; mistyped words are corrected |
| \`"golden gate bridge" -fog\` | these words in this order, without fog |
| \`(dog OR cat) park\` | dog or cat, and park; \`\\|\` is OR, white space is AND |
| \`sun*\` | words with this prefix |
| \`keywords:dog,cat\` | either keyword; \`keywords:(dog beach -people)\`: both, without the third |
| \`city:"San Sebastián" country:es\` | whole values; case and accents do not matter |
| \`title:sun* title="Sun"\` | words in a field; \`=\` compares the whole value |
| \`width:1920.. n_faces:2..5 height<800\` | ranges, ends included, and comparisons |
| \`date:2023-06..2024-02 created_at:-30d..\` | periods: a year, a month, a day, \`-30d\`, \`today\`, \`lastweek\` … |
| \`saved:recent saved:"Covers of May"\` | saved formulas |
${flagRows}
| \`ai_generated:null\` | null is "unknown" |
| \`aspect_ratio:16:9 color:navy@30\` | ratios ±1%; at least 30% navy |
| \`color:orange color:sandybrown\` | a color family, in five languages; a shade as \`vitrine tag\` names it |
| \`file:nagasaki file:img*\` | words of the file name |

Days begin in UTC or in the tenant's time zone (\`vitrine tenant set NAME time_zone=Europe/Madrid\`); a time with a zone, as in
\`2024-06-15T10:00+02:00\`, is absolute. NOT binds tighter than AND, AND tighter than OR; operators are upper case. A negation
also matches records without a value. Quote values with spaces or special characters; a backslash escapes one character.

${references}

A mistake is 422 (in GraphQL in \`extensions\`) with a code, the position in code points, a hint and a pointer:

\`\`\`text
Unknown field 'contry' at 6 — Did you mean country?
beach contry:es
      ^^^^^^
\`\`\`

## Explaining formulas

\`GET /imgs/explain?q=…\`, \`explainFormula\` in GraphQL and \`vitrine explain 'beach -country:es' --tenant agency\` return:

- the canonical text with every group in parentheses, and one sentence (\`language=en\` or \`es\`)
- the tree of clauses, parents first, each with its position and how many records match it alone
- for an empty result, the clause that excludes everything, and how many records match without it
- corrected words, and warnings about what never matches, such as \`country:(es fr)\`

Counting takes at most five seconds and fifty clauses; further counts are null, with a warning.

## Saved formulas

\`saveFormula(name: "Covers of May", formula: "…")\` saves a formula of the tenant; \`replace: true\` overwrites one. Others can contain it as
\`saved:"Covers of May"\`, without cycles. \`savedFormulas\` lists them, \`deleteSavedFormula\` deletes one. Saving needs the scope
\`formulas:write\`; using them needs none.

If a saved formula is deleted, formulas that use it fail and name it. The [limits](limits.md#formulas) of formulas apply to saving,
too.

## Completion

\`formulaCompletions(text: "country:e", position: 9)\` returns what fits at the cursor: operators, fields, flags, enum values, the tenant's own
values, words and saved formulas. \`facetValues(field: city, text: "san")\` finds facet values by a prefix of the value or of one of its words,
with typos.

## Order and pages

Without \`sort_by\`, the best matches for bare text come first, otherwise the newest. Ties are ordered by id; missing values come last in both
directions. Page numbers reach 100,000 rows; a \`cursor\` has no such limit, and returns every row that does not change meanwhile exactly once.

${withMeilisearch}

${formulaFieldList()}

This page is generated by \`npm run generate\`.
`;
}

// Defaults that depend on the machine, in words.
const words = {
  DATA_DIR: '`./data`',
  MEDIA_ROOTS: '`./media`, and `examples`',
  MODELS_DIR: '`./models`',
  WORKERS: 'number of cores',
  AI_PRICES: 'none',
};

function defaultText(name, value) {
  if (words[name]) return words[name];
  return value === undefined || value.length === 0 ? 'none' : `\`${value}\``;
}

function limits() {
  const sections = limitSections.map(({ title, text, rows }) => {
    const lines = inRuns(rows).map((run) => {
      const parts = run.map(
        ({ what, value, unit }, at) => `${at === 0 ? what : inSentence(what)}: ${amount(value, unit)}`,
      );
      return `- ${parts.join('; ')} (${run[0].beyond})`;
    });
    return [`## ${title}`, '', text, '', ...lines].join('\n');
  });
  return `# Limits

Maximum use by a request or a tenant. In parentheses is what happens beyond a limit: a status, an error code, or "closed" for a connection
that is closed without a reply. [security.md](security.md#limits) has the limits that administrators set.

${sections.join('\n\n')}

This page is generated from \`src/app/limits.ts\` by \`npm run generate\`.
`;
}

// Groups consecutive rows that have the same consequence.
function inRuns(rows) {
  return rows.reduce((runs, row) => {
    const last = runs.at(-1);
    return last?.[0].beyond === row.beyond ? [...runs.slice(0, -1), [...last, row]] : [...runs, [row]];
  }, []);
}

// Lowercases the first letter, except in names such as HTTP.
function inSentence(what) {
  return /^[A-Z][a-z]*\b/.test(what) ? what.charAt(0).toLowerCase() + what.slice(1) : what;
}

function amount(value, unit) {
  if (unit === 'ms') return `${value / 1000} s`;
  if (unit !== 'bytes') return value.toLocaleString('en');
  if (value >= 2 ** 30) return `${value / 2 ** 30} GiB`;
  return value >= 2 ** 20 ? `${value / 2 ** 20} MiB` : `${value / 1024} KiB`;
}

async function formatted(path, text) {
  const { ignored, inferredParser } = await prettier.getFileInfo(path, { ignorePath: '.prettierignore' });
  return ignored || inferredParser === null
    ? text
    : prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
}

const isCheck = process.argv.includes('--check');
for (const [path, render] of Object.entries(files)) {
  const wanted = await formatted(path, await render());
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) continue;
  if (isCheck) {
    process.stderr.write(`${path} is not what the code says; run: npm run generate\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, wanted);
    process.stdout.write(`wrote ${path}\n`);
  }
}
