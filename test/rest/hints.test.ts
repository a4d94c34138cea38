import { expect, it } from 'vitest';
import { toReply } from '../../rest/answer/errors.ts';

const reply = (code: string, more: object = {}) =>
  toReply({ message: 'It failed', extensions: { code, ...more } }, 'r1', { target: '/imgs?sort_by=x' });

it('the hint of an error is sent with every status', () => {
  for (const code of [
    'not_found',
    'too_large',
    'unsupported_media',
    'provider_failed',
    'document_too_complex',
    'timeout',
  ]) {
    expect(reply(code, { hint: 'Do this' }).body).toEqual({ detail: 'It failed', code, hint: 'Do this' });
    expect(JSON.stringify(reply(code).body)).toBe(JSON.stringify({ detail: 'It failed', code }));
  }
});

it('the hint of an argument at fault stands with that argument', () => {
  const place = { type: 'value_error', loc: ['query', 'sort_by'], msg: 'It failed', input: 'x' };
  const argument = { argument: 'sort_by' };
  expect(reply('invalid_argument', { ...argument, hint: 'Do this' }).body).toEqual({
    detail: [{ ...place, ctx: { hint: 'Do this' } }],
  });
  expect(reply('invalid_argument', argument).body).toEqual({ detail: [place] });
});
