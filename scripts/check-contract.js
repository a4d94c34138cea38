// Compares schema.graphql and docs/openapi.json with those of the last release (test/fixtures/released). If changes
// break its clients, prints them and exits with code 1. With --release, the current files become those of the
// release: do that when a version is released, and empty scripts/contract/accepted.js.
import { copyFileSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { accepted } from './contract/accepted.js';
import { openApiChanges } from './contract/openapi-changes.js';

const released = 'test/fixtures/released';
const contracts = [
  { name: 'schema.graphql', current: 'schema.graphql', compare: graphqlChanges },
  {
    name: 'openapi.json',
    current: 'docs/openapi.json',
    compare: (before, after) => openApiChanges(JSON.parse(before), JSON.parse(after)),
  },
];

if (process.argv.includes('--release')) {
  for (const { name, current } of contracts) copyFileSync(current, `${released}/${name}`);
} else {
  const faults = await findFaults();
  process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function findFaults() {
  const faults = [];
  const unused = new Set(Object.keys(accepted));
  for (const { name, current, compare } of contracts) {
    for (const change of await compare(readFileSync(`${released}/${name}`, 'utf8'), readFileSync(current, 'utf8'))) {
      if (!unused.delete(change)) faults.push(`${current} breaks clients of the last release: ${change}`);
    }
  }
  return [...faults, ...[...unused].map((change) => `scripts/contract/accepted.js: nothing needs "${change}"`)];
}

async function graphqlChanges(before, after) {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}
