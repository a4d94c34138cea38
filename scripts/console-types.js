// Generates console/src/api/documents.ts: the documents that the console sends, with the types of their variables and
// results.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, Kind, parse, print } from 'graphql';

const folder = 'console/src/api/documents';

/** The JSON types of our scalars. */
const scalars = {
  BigInt: 'number',
  DateTime: 'string',
  FacetKey: 'string | boolean',
  FieldValue: 'string | number | boolean | readonly string[]',
  Upload: 'File',
};

/** Suffixes of the type names of an operation. */
const suffixes = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' };

/** The module with the documents of the folder, for a schema as text. */
export async function consoleDocuments(schemaText) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .toSorted()
    .map((name) => ({ location: name, document: parse(readFileSync(join(folder, name), 'utf8')) }));
  const schema = parse(schemaText);
  const types = await codegen({
    filename: 'documents.ts',
    schema,
    schemaAst: buildSchema(schemaText),
    documents: files,
    config: {
      scalars,
      enumType: 'string-literal',
      skipTypename: true,
      onlyOperationTypes: true,
      useTypeImports: true,
      immutableTypes: true,
      avoidOptionals: { field: true },
      namingConvention: 'keep',
    },
    pluginMap: { operations },
    plugins: [{ operations: {} }],
  });
  const definitions = files.flatMap(({ document }) => document.definitions);
  const fragments = new Map(
    definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each]),
  );
  const texts = definitions
    .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    .map((operation) => {
      const { value: name } = operation.name;
      const type = `${name}${suffixes[operation.operation]}`;
      const text = [operation, ...fragmentsOf(operation, fragments)].map(print).join('\n');
      return `export const ${name}: Document<${type}, ${type}Variables> = ${JSON.stringify(text)};`;
    });
  return ["import type { Document } from './graphql.ts';", types, ...texts].join('\n\n');
}

/** The fragments that a definition spreads, directly or through other fragments. */
function fragmentsOf(definition, fragments, found = new Map()) {
  for (const [, name] of print(definition).matchAll(/\.\.\.\s*(\w+)/g)) {
    const fragment = fragments.get(name);
    if (fragment === undefined || found.has(name)) continue;
    found.set(name, fragment);
    fragmentsOf(fragment, fragments, found);
  }
  return [...found.values()];
}
