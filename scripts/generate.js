// Writes what is generated from code and committed because people read it:
//   schema.graphql           the schema as src/graphql prints it
//   docs/configuration.md    the table of environment variables
//   docs/rest.md             the table of endpoints, between its markers
//   docs/http.md             the table of limits in it
// With --check nothing is written; a file that differs is named and the exit code is 1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { lexicographicSortSchema, printSchema } from 'graphql';
import * as prettier from 'prettier';
import { endpoints } from '../dist/rest/index.js';
import { databaseTimeouts } from '../dist/src/backing/unavailable.js';
import { variables } from '../dist/src/config.js';
import { schema } from '../dist/src/graphql/index.js';
import { limitTable } from '../dist/src/http/limits.js';

const files = {
  'schema.graphql': () => `${printSchema(lexicographicSortSchema(schema))}\n`,
  'docs/configuration.md': configuration,
  'docs/rest.md': () => filled('docs/rest.md', 'endpoints', endpointTable()),
  'docs/http.md': http,
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
    const answer = document === undefined ? 'none' : `[${document}](../rest/documents/${document}.graphql)`;
    return `| \`${method}\` | \`${path}\` | ${summary} | ${answer} | \`${scope}\` |`;
  });
  return ['| method | path | purpose | document | scope |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

function configuration() {
  const rows = Object.entries(variables).map(([name, { schema: value, meaning }]) => {
    const { success, data } = value.safeParse(undefined);
    return `| \`${name}\` | ${success ? defaultText(name, data) : ''} | ${meaning} |`;
  });
  return `# Configuration

Environment variables, read once at start; \`.env\` in the current folder is read for what the environment
leaves unset. All faults are printed together. \`DATABASE_URL\`, \`REDIS_URL\`, \`MEILI_KEY\`, \`ADMIN_API_KEY\`
and \`HF_TOKEN\` may also come from a file named by \`NAME_FILE\`.

| variable | default | meaning |
| --- | --- | --- |
${rows.join('\n')}

This page is generated from \`src/config.ts\` by \`npm run generate\`.
`;
}

// Defaults that depend on the machine are said in words.
const words = { DATA_DIR: '`./data`', MEDIA_ROOTS: '`./media`', WORKERS: 'number of cores' };

function defaultText(name, value) {
  if (words[name]) return words[name];
  return value === undefined || value.length === 0 ? 'none' : `\`${value}\``;
}

// The page is written by hand; only its table comes from the code.
function http() {
  const { connectMs, statementMs, answerMs } = databaseTimeouts;
  const rows = [
    ...Object.values(limitTable),
    { meaning: 'A connection to PostgreSQL', value: connectMs, unit: 'ms', status: 503 },
    { meaning: 'A statement of PostgreSQL', value: statementMs, unit: 'ms', status: 503 },
    { meaning: 'A PostgreSQL that says nothing', value: answerMs, unit: 'ms', status: 503 },
  ].map(({ meaning, value, unit, status }) => `| ${meaning} | ${amount(value, unit)} | ${status ?? 'closed'} |`);
  const table = ['| what | at most | beyond |', '| --- | --- | --- |', ...rows].join('\n');
  return filled('docs/http.md', 'limits', table);
}

function amount(value, unit) {
  if (unit === 'ms') return `${value / 1000} s`;
  if (unit !== 'bytes') return value.toLocaleString('en').replaceAll(',', ' ');
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
