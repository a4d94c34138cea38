// Writes what is generated from code and committed because people read it:
//   schema.graphql           the schema as src/graphql prints it
//   docs/configuration.md    the table of environment variables
//   docs/openapi.json        what rest/openapi makes of the endpoint table and the schema
//   docs/limits.md           every limit of a request
//   docs/rest.md             the table of endpoints, between its markers
//   docs/security.md         the table of scopes in it
//   docs/run.md              the table of metrics in it
//   deploy/grafana-dashboard.json   the dashboard of scripts/dashboard.js
//   docs/formula.md          the search formula, with the table of its fields
// With --check nothing is written; a file that differs is named and the exit code is 1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { lexicographicSortSchema, printSchema } from 'graphql';
import * as prettier from 'prettier';
import { formulaFields } from '../dist/src/catalog/index.js';
import { buildOpenApi, endpoints } from '../dist/rest/index.js';
import { variables } from '../dist/src/config/config.js';
import { schema } from '../dist/src/graphql/index.js';
import { limitSections } from '../dist/src/limits.js';
import { metricTable } from '../dist/src/observability/metrics/index.js';
import { roles, roleScopes, scopeActs } from '../dist/src/tenants/roles.js';
import { dashboard } from './dashboard.js';
import { comparatorsOf, formulaErrorCodes } from '../dist/src/search/formula/index.js';
import { formulaLimits } from '../dist/src/search/formula/limits.js';

const files = {
  'schema.graphql': () => `${printSchema(lexicographicSortSchema(schema))}\n`,
  'docs/configuration.md': configuration,
  'docs/openapi.json': () => JSON.stringify(buildOpenApi({ schema })),
  'docs/limits.md': limits,
  'docs/rest.md': () => filled('docs/rest.md', 'endpoints', endpointTable()),
  'docs/security.md': () => filled('docs/security.md', 'scopes', scopeTable()),
  'docs/run.md': () => filled('docs/run.md', 'metrics', metricsTable()),
  'deploy/grafana-dashboard.json': () => JSON.stringify(dashboard()),
  'docs/formula.md': formula,
};

// A page that is written by hand but for what stands between two comments.
function filled(path, name, content) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const page = readFileSync(path, 'utf8');
  if (!page.includes(begin) || !page.includes(end)) throw new Error(`${path} has no place for ${name}`);
  return `${page.slice(0, page.indexOf(begin))}${begin}\n\n${content}\n\n${page.slice(page.indexOf(end))}`;
}

function endpointTable() {
  const rows = endpoints.map(({ method, path, summary, document, scope }) => {
    return `| \`${method}\` | \`${path}\` | ${summary} | [${document}](../rest/documents/${document}.graphql) | \`${scope}\` |`;
  });
  return ['| method | path | purpose | document | scope |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

function metricsTable() {
  const rows = Object.entries(metricTable).map(([name, { type, labels, help }]) => {
    return `| \`vitrine_${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
  });
  return ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function plainNumber(number) {
  return number.toLocaleString('en').replaceAll(',', ' ');
}

function scopeTable() {
  const rows = Object.entries(scopeActs).map(([scope, act]) => {
    const marks = roles.map((role) => (roleScopes[role].includes(scope) ? 'x' : ''));
    return `| \`${scope}\` | ${marks.join(' | ')} | ${act} |`;
  });
  const rule = `| --- | ${roles.map(() => ':-:').join(' | ')} | --- |`;
  return [`| scope | ${roles.join(' | ')} | may |`, rule, ...rows].join('\n');
}

function configuration() {
  const rows = Object.entries(variables).map(([name, { schema: value, meaning }]) => {
    const { success, data } = value.safeParse(undefined);
    return `| \`${name}\` | ${success ? defaultText(name, data) : ''} | ${meaning} |`;
  });
  return `# Configuration

Environment variables, read once at start; \`.env\` in the current folder is read for what the environment
leaves unset. All faults are printed together. \`DATABASE_URL\`, \`DATABASE_DIRECT_URL\`, \`REDIS_URL\`, \`MEILI_KEY\`,
\`ADMIN_API_KEY\` and \`HF_TOKEN\` may also come from a file named by \`NAME_FILE\`.

| variable | default | meaning |
| --- | --- | --- |
${rows.join('\n')}

This page is generated from \`src/config/config.ts\` by \`npm run generate\`.
`;
}

function formulaFieldRows() {
  const yes = (value) => (value ? 'yes' : '');
  return formulaFields.map(({ name, kind, sql, weight, facet, description }) => {
    const of = Object.keys(sql).map((resource) => `${resource}s`);
    const signs = comparatorsOf(kind).map((sign) => `\`${sign}\``);
    return `| \`${name}\` | ${kind} | ${signs.join(' ')} | ${of.join(', ')} | ${yes(weight)} | ${yes(facet)} | ${description} |`;
  });
}

const withEngine = `## With a search engine

Where Meilisearch is configured it answers what it can answer exactly ([meilisearch.md](meilisearch.md)); the rest, and everything while
it is away or behind, PostgreSQL answers. Both find the same records, counts and facets: stems, \`lang\`, accents, folding and
mistyped words are PostgreSQL's in both, and the engine's own typing tolerance and prefix search are off. They differ in this:

- **Ranking of bare words.** PostgreSQL ranks by how often words occur and how heavy their fields are. The engine puts records first
  that hold all words as they are written, by weight of field, nearness and position, then the newest; after them those that
  hold other forms, the newest first. Words under OR, phrases and prefixes are ranked by PostgreSQL.
- **Ties** among ids that agree in their first 230 bytes.
- A walk by cursor is PostgreSQL's, so its order is PostgreSQL's too.`;

const references = `\`i~"…"\` with a text looks for what the text says; one word with the signs of a file's id, as \`i~"originals:p02.jpg"\`, is an
id. \`text:"…"\` and \`id:"…"\` say which is meant. Where a formula finds nothing, \`vitrine explain\` and \`GET /imgs/explain\` suggest
ones that find something: \`author:lange\` leads to \`author:"Dorothea Lange"\`, \`country:JP\` to \`country:Japan\`, \`sunset cat\` to
\`sunset OR cat\`.`;

const formulaLimitText = `## Limits

A formula has at most ${plainNumber(formulaLimits.codePoints)} characters, ${formulaLimits.terms} terms, ${formulaLimits.valuesPerSet} values in a set, ${formulaLimits.depth} groups inside each other,
${formulaLimits.references} references to pictures and one \`i====\`. It may lead to ${formulaLimits.savedFormulas} different saved formulas, ${formulaLimits.depth} of them inside
each other, and with all that they ask make ${plainNumber(formulaLimits.tests)} tests of a record; what a saved formula asks counts wherever it
is named. Beyond that it is \`too_complex\` or \`too_deep\`, on saving too. Errors repeat 256 characters of a formula. A saved
formula that others name may be deleted: they are refused then where they are used, with the name of the missing one.`;

function formula() {
  return `# The search formula

One text asks anything of the catalog: \`GET /imgs?q=…\`, \`images(q: "…")\` in GraphQL. An empty one asks for everything.

| write | to find |
| --- | --- |
| \`sunset beach\` | both words, in any of their forms; a mistyped word finds what it may have meant |
| \`"golden gate bridge" -fog\` | the words in this order, and not the word fog |
| \`(dog OR cat) park\` | one of two, and a third; \`\\|\` is OR, white space is AND |
| \`sun*\` | words that begin so |
| \`keywords:dog,cat\` | either keyword; \`keywords:(dog beach -people)\` both and not the third |
| \`city:"San Sebastián" country:es\` | values as a whole; case and accents do not matter |
| \`title:sun* title="Sun"\` | words of one field; \`=\` is the whole value |
| \`width:1920.. n_faces:2..5 height<800\` | ranges, both ends included, and comparisons |
| \`date:2023-06..2024-02 created_at:-30d..\` | dates are periods: a year, a month, a day, \`-30d\`, \`today\`, \`lastweek\` … |
| \`has:caption no:author\` | present and not empty; missing |
| \`saved:recent saved:"Covers of May"\` | what was saved under a name |
| \`is:landscape is:nsfw ai_generated:null\` | flags; null is "unknown" |
| \`aspect_ratio:16:9 color:navy@30\` | ratios ±1 %; at least 30 % navy |
| \`color:orange color:sandybrown\` | a family of colors in one of five languages; a shade as \`vitrine tag\` names it |
| \`file:nagasaki file:img*\` | words of the file's name |

Days begin in UTC, or in the zone of the tenant (\`vitrine tenant set NAME time_zone=Europe/Madrid\`); a time with a zone of its
own, as \`2024-06-15T10:00+02:00\`, is that moment everywhere. NOT binds tighter than AND, AND tighter than OR; operators are upper case. A negation holds for records without a value
too. Values with spaces or signs are quoted; a backslash takes a sign's meaning away.

${references}

A mistake is answered by 422 (in GraphQL by \`extensions\`) with its code, its place in code points, a hint and a pointer:

\`\`\`text
Unknown field 'contry' at 6 — Did you mean country?
beach contry:es
      ^^^^^^
\`\`\`

## Formulas explained

\`GET /imgs/explain?q=…\`, \`explainFormula\` in GraphQL and \`vitrine explain 'beach -country:es' --tenant agency\` take a formula apart:
its canonical text with every group in parentheses, one sentence (\`language=en\` or \`es\`), its clauses as a tree (each
before its parts, with its place and how many records answer it alone), the clause that leaves nothing of an empty result
and how many would be found without it, words that were taken for mistyped, and warnings for what can never match, such as
\`country:(es fr)\`. Hits are counted in one statement, for at most five seconds and fifty clauses; what was not counted is
null, and a warning says so.

## Formulas saved

\`saveFormula(name: "Covers of May", formula: "…")\` keeps a formula of the tenant; \`saved:"Covers of May"\` stands for it in any
other, also in saved ones, as long as none leads back to itself. \`savedFormulas\` lists them, \`deleteSavedFormula\` forgets one,
\`replace: true\` changes one. Saving takes the right \`formulas:write\`, using them none of its own.

${formulaLimitText}

## Formulas completed

\`formulaCompletions(text: "country:e", position: 9)\` answers what can stand at the cursor: operators where the grammar takes
them, fields, flags, values of enumerations, the tenant's own values, words and saved formulas. \`facetValues(field: city,
text: "san")\` finds values of a facet by their beginning, by that of a word in them, and with a typing mistake.

## Order and pages

Without \`sort_by\` the best answers to bare text come first, or else the newest. Ties are broken by id; missing values come
last in both directions. A page number reaches 100 000 rows deep; a \`cursor\` goes on at any depth, and rows that do not
change meanwhile are seen once each, whatever else is written.

${withEngine}

## Fields

| field | kind | comparisons | of | bare text | facet | meaning |
| --- | --- | --- | --- | --- | --- | --- |
${formulaFieldRows().join('\n')}

## Codes of mistakes

${formulaErrorCodes.map((code) => `\`formula.${code}\``).join(', ')}

This page is generated by \`npm run generate\`.
`;
}

// Defaults that depend on the machine are said in words.
const words = {
  DATA_DIR: '`./data`',
  MEDIA_ROOTS: '`./media`',
  LOCAL_MODELS_DIR: '`./models`',
  WORKERS: 'number of cores',
  SIMILARITY_MEMORY: '`2GiB`',
};

function defaultText(name, value) {
  if (words[name]) return words[name];
  return value === undefined || value.length === 0 ? 'none' : `\`${value}\``;
}

function limits() {
  const sections = limitSections.map(({ title, text, rows }) => {
    const lines = rows.map(({ what, value, unit, beyond }) => `| ${what} | ${amount(value, unit)} | ${beyond} |`);
    return [`## ${title}`, '', text, '', '| what | at most | beyond |', '| --- | --- | --- |', ...lines].join('\n');
  });
  return `# Limits

What a request may take is known before its work begins: bytes of memory, time of the event loop, shares of what all tenants use.
A number in the last column is the status of the answer; "closed" means that there is no one to answer. Limits that an
administrator sets, such as rates and quotas, are in [security.md](security.md#limits).

${sections.join('\n\n')}

This page is generated from \`src/limits.ts\` by \`npm run generate\`.
`;
}

function amount(value, unit) {
  if (unit === 'ms') return `${value / 1000} s`;
  if (unit !== 'bytes') return plainNumber(value);
  return value >= 2 ** 20 ? `${value / 2 ** 20} MiB` : `${value / 1024} KiB`;
}

async function formatted(path, text) {
  const { ignored } = await prettier.getFileInfo(path, { ignorePath: '.prettierignore' });
  return ignored ? text : prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
}

const isCheck = process.argv.includes('--check');
for (const [path, render] of Object.entries(files)) {
  const wanted = await formatted(path, render());
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) continue;
  if (isCheck) {
    process.stderr.write(`${path} is not what the code says; run: npm run generate\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, wanted);
    process.stdout.write(`wrote ${path}\n`);
  }
}
