// node scripts/count-tests.js REPORT.json ATTACK.json: counts the tests of a vitest run, first of those files that
// each prove a whole kind of behavior, then of all. The checks of a short attack are included in the total.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';

const proofs = {
  'recorded answers replayed': 'test/rest/conformance.test.ts',
  'random REST requests': 'test/rest/fuzz.test.ts',
  'audits of GraphQL over HTTP': 'test/graphql/over-http.test.ts',
  'random GraphQL documents': 'test/graphql/random-documents.test.ts',
  'cells of the access matrix': 'test/access/matrix.test.ts',
  'processes killed at random': 'test/chaos/chaos.test.ts',
};

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));

function count(results) {
  const all = results.flatMap(({ assertionResults }) => assertionResults);
  const of = (status) => all.filter((each) => each.status === status).length;
  return `${of('passed')} passed, ${of('failed')} failed`;
}

for (const [name, file] of Object.entries(proofs)) {
  const results = report.testResults.filter((each) => relative(process.cwd(), each.name) === file);
  process.stdout.write(`${name}: ${results.length === 0 ? 'not run' : count(results)} (${file})\n`);
}
/** An attack that did not finish has written nothing, and counts as one failure. */
function readAttack(path) {
  const text = path === undefined ? '{"checks":[]}' : readFileSync(path, 'utf8');
  const { checks } = text === '' ? { checks: [{ passed: false }] } : JSON.parse(text);
  return {
    passed: checks.filter(({ passed }) => passed).length,
    failed: checks.filter(({ passed }) => !passed).length,
  };
}

const attack = readAttack(process.argv[3]);
process.stdout.write(
  `hostile exchanges: ${attack.passed} passed, ${attack.failed} failed (npm run attack -- --short)\n`,
);
const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites } = report;
const failed = Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0) + attack.failed;
process.stdout.write(`${numPassedTests + attack.passed} passed, ${failed} failed, ${numPendingTests} skipped\n`);
