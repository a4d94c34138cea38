import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  client = await world.client();
  for (const name of ['recent', 'Covers of May']) {
    await client.graphql(`mutation { saveFormula(name: "${name}", formula: "created_at:-30d..") { name } }`);
  }
});

const page = readFileSync(join(packageRoot, 'docs', 'formula.md'), 'utf8');
const [, table = ''] = /\| write [\s\S]*?\n((?:\|.*\n)+)/.exec(page) ?? [];
const cells = table.split('\n').flatMap((row) => /^\| (`.*?`) +\|/.exec(row)?.[1] ?? []);
/** Formulas in the text about them, as `country:(es fr)`; names and calls are none. */
const inText = [...page.matchAll(/`((?:\w+:)?\([^`]*\)|saved:"[^`]*"|created_at:[^`]*)`/g)].map(
  (match) => match[1] ?? '',
);
const formulas = [...cells.map((cell) => cell.slice(1, -1).replaceAll('\\|', '|')), ...inText];

describe('the page about formulas', () => {
  it('has examples', () => {
    expect(cells.length).toBeGreaterThan(10);
    expect(inText).toContain('country:(es fr)');
  });

  it.each(formulas)('says nothing that does not run: %s', async (q) => {
    const { status, body } = await client.rest('GET', `/imgs?${new URLSearchParams({ q, count: 'true' })}`);
    expect([status, body.count]).toEqual([200, 0]);
    expect((await client.rest('GET', `/imgs/explain?${new URLSearchParams({ q })}`)).status).toBe(200);
  });

  it('shows the mistake as documented', async () => {
    const [, shown = ''] = /```text\n([\s\S]*?)```/.exec(page) ?? [];
    const { body } = await client.rest('GET', '/imgs?q=beach+contry:es');
    const { msg, ctx } = body.detail[0];
    expect(shown).toBe(`${msg} — ${ctx.hint}\n${ctx.pointer}\n`);
  });
});
