import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { schemaName } from '../endpoints/contract.ts';

const folder = fileURLToPath(new URL('../documents/', import.meta.url));

const texts = new Map<string, string>();

/** The text of a document and of the fragments that it spreads, except for the one with the requested fields. */
export function readDocument(name: string): string {
  let text = texts.get(name);
  if (text === undefined) texts.set(name, (text = withFragments(readFileSync(`${folder}${name}.graphql`, 'utf8'))));
  return text;
}

const fragmentNames = readdirSync(`${folder}fragments`).map((file) => file.replace(/\.graphql$/, ''));

function withFragments(text: string): string {
  const missing = fragmentNames.filter(
    (name) => new RegExp(`\\.\\.\\.\\s*${name}\\b`).test(text) && !text.includes(`fragment ${name} `),
  );
  const added = missing.map((name) => readFileSync(`${folder}fragments/${name}.graphql`, 'utf8'));
  return added.length === 0 ? text : withFragments([text, ...added].join('\n'));
}

/**
 * Documents by the fields they select, in the order requested. A small cache is enough: clients repeat their
 * requests.
 */
const withFields = new LRUCache<string, string>({ max: 200 });

/**
 * The text of a document that selects these fields. Always the same string object, so its hash is computed only once.
 */
export function documentWith(name: string, type: string, fields: readonly string[]): string {
  const key = `${name} ${fields.join(' ')}`;
  let text = withFields.get(key);
  if (text === undefined) {
    text = `${readDocument(name)}\n${fieldsFragment(type, fields)}`;
    withFields.set(key, text);
  }
  return text;
}

/** The fragment that selects contract fields under their contract names, in the same order for every request. */
function fieldsFragment(type: string, fields: readonly string[]): string {
  const selections = [...new Set(fields)]
    .toSorted()
    .map((name) => (schemaName(name) === name ? name : `${name}: ${schemaName(name)}`));
  return `fragment RequestedFields on ${type} {\n  ${selections.join('\n  ')}\n}\n`;
}
