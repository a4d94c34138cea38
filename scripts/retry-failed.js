// node scripts/retry-failed.js REPORT.json: runs the test files that failed in a report once more, one at a time with
// nothing else running, updates the report, and names the tests that failed only next to others. A bug fails both
// times; a time limit that a busy machine missed does not.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';

/** If more files failed than this, the load of the machine was not the reason. */
const mostFiles = 8;
const timeout = 900_000;

const [path] = process.argv.slice(2);
const report = JSON.parse(readFileSync(path, 'utf8'));
const failed = report.testResults.filter(({ status }) => status !== 'passed');
const files = failed.map(({ name }) => relative(process.cwd(), name));
if (files.length === 0 || files.length > mostFiles) process.exit(1);

process.stdout.write(`\nOnce more, alone: ${files.join(' ')}\n`);
const again = runAgain();
for (const former of failed) {
  const latter = again.testResults.find(({ name }) => name === former.name);
  if (latter === undefined) continue;
  for (const { status, fullName } of latter.assertionResults) {
    const hadFailed = former.assertionResults.some((each) => each.fullName === fullName && each.status === 'failed');
    if (status === 'passed' && hadFailed)
      process.stdout.write(`failed beside other tests, passed alone: ${fullName}\n`);
  }
  report.testResults[report.testResults.indexOf(former)] = latter;
}
writeFileSync(path, JSON.stringify(countAnew(report)));
process.exit(report.success ? 0 : 1);

function runAgain() {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-retry-'));
  const output = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  const options = ['run', '--mode', 'full', '--maxWorkers=1', ...reporters, ...files];
  spawnSync('npx', ['vitest', ...options], { stdio: 'inherit', timeout });
  try {
    return JSON.parse(readFileSync(output, 'utf8'));
  } catch {
    return { testResults: [] }; // The run did not finish.
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Recomputes the totals of a report from its files. */
function countAnew(report) {
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const of = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
  report.numPassedTests = of('passed');
  report.numFailedTests = of('failed');
  report.numFailedTestSuites = report.testResults.filter(({ status }) => status !== 'passed').length;
  report.success = report.numFailedTests === 0 && report.numFailedTestSuites === 0;
  return report;
}
