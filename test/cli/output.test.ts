import { expect, it } from 'vitest';
import { table } from '../../src/cli/output.ts';

it('a table has as many rows as there are, with columns as wide as their widest cell', () => {
  const rows = Array.from({ length: 200_000 }, (_, k) => [String(k), 'x']);
  const lines = table(['N', 'X'], rows).split('\n');
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([200_001, 'N       X', '0       x', '199999  x']);
});
