import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { rotateLog } from '../../../src/backing/embedded/postgres-log.ts';
import { cleanUp, newFolder } from '../../support/program.ts';

afterAll(cleanUp);

it('the log of the embedded PostgreSQL is rotated when it is too large; one earlier log is kept', () => {
  const path = join(newFolder(), 'postgres.log');
  rotateLog(path, 10);
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, 'a few words');
  rotateLog(path, 100);
  expect(existsSync(`${path}.1`)).toBe(false);
  rotateLog(path, 10);
  expect([readFileSync(path, 'utf8'), readFileSync(`${path}.1`, 'utf8')]).toEqual(['', 'a few words']);
  appendFileSync(path, 'some other words');
  rotateLog(path, 10);
  expect([readFileSync(path, 'utf8'), readFileSync(`${path}.1`, 'utf8')]).toEqual(['', 'some other words']);
});
