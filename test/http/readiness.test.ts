import { expect, it } from 'vitest';
import type { Probe } from '../../src/backing/index.ts';
import type { Logger } from '../../src/observability/logger.ts';
import { createAsk, readiness } from '../../src/app/readiness.ts';

type Line = readonly [level: string, fields: Readonly<Record<string, unknown>>, text: string];

/** A logger whose lines are kept. */
function keeping(): { lines: Line[]; logger: Logger } {
  const lines: Line[] = [];
  const at = (level: string) => (fields: Line[1], text: string) => void lines.push([level, fields, text]);
  return { lines, logger: { error: at('error'), warn: at('warn'), info: at('info') } as unknown as Logger };
}

it('who goes away is logged once with the reason, and once that it is back; the reply names no reason', async () => {
  const { lines, logger } = keeping();
  let fault: Error | null = null;
  const check = () => (fault === null ? Promise.resolve() : Promise.reject(fault));
  const probes: Probe[] = [
    { name: 'postgres', isNeeded: true, check },
    { name: 'redis', isNeeded: false, check },
  ];
  const ask = createAsk(probes, logger);
  expect(await readiness(ask, false)).toMatchObject({ status: 200, body: { postgres: 'ok', redis: 'ok' } });
  expect(lines).toEqual([]);
  fault = new Error('the request failed', { cause: new Error('connect ECONNREFUSED 10.0.0.7:5432') });
  for (let i = 0; i < 3; i += 1) {
    const reply = await readiness(ask, false);
    expect(reply).toMatchObject({ status: 503, body: { postgres: 'unreachable', redis: 'unreachable' } });
    expect(JSON.stringify(reply)).not.toContain('10.0.0.7');
  }
  const reason = 'connect ECONNREFUSED 10.0.0.7:5432';
  fault = null;
  await ask();
  await ask();
  expect(lines).toEqual([
    ['error', { service: 'postgres', isNeeded: true, reason }, 'a service is unavailable'],
    ['warn', { service: 'redis', isNeeded: false, reason }, 'a service is unavailable'],
    ['info', { service: 'postgres' }, 'a service is available again'],
    ['info', { service: 'redis' }, 'a service is available again'],
  ]);
});
