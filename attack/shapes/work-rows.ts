// What was once found to block, fill or starve the service, by what is asked of it; one shape each.
import { readFileSync } from 'node:fs';
import type { Shape } from '../exchange.ts';
import { form, formPart, json, jsonType, multipartType, request } from '../request.ts';
import { batches } from './bodies.ts';
import { documents } from './graphql.ts';
import { ask, query, repeat, toShapes, write } from './row.ts';
import type { Row } from './row.ts';

const rows: Readonly<Record<string, Row>> = {
  'row 3: 10 000 elements with 1 500 wrong keywords each': {
    lane: 'heavy',
    act: (stage) => write(stage, batches['10 000 elements of 1 500 wrong keywords'].make()),
  },
  'row 3: one element with 200 000 wrong values': {
    lane: 'heavy',
    act: (stage) => write(stage, batches['one element of 200 000 wrong keywords'].make()),
  },
  'row 3: 61 kB of bad fields': {
    lane: 'quick',
    act: (stage) => ask(stage, { path: `/imgs?${repeat(6_100, () => 'fields=ab').join('&')}`, key: 'viewer' }),
  },
  'row 6: saved formulas in each other': {
    lane: 'heavy',
    act: (stage) => ask(stage, { path: '/imgs?q=saved:level20', key: 'viewer' }),
  },
  'row 6: one more saved formula': {
    lane: 'heavy',
    async act(stage) {
      const formula = repeat(10, () => 'saved:level20').join(' ');
      const mutation = `mutation ($f: String!) { saveFormula(name: "level21", formula: $f, replace: true) { name } }`;
      const body = json({ query: mutation, variables: { f: formula } });
      await ask(stage, { method: 'POST', path: '/graphql', key: 'editor', type: jsonType, body });
    },
  },
  'row 7: a strict batch with an unknown name of 30 MB, then the operations': {
    lane: 'heavy',
    weight: 0.1,
    async act(stage) {
      const body = Buffer.from(`[{"id":"unknown","${'n'.repeat(30_000_000)}":1}]`);
      for (let i = 0; i < 3; i += 1) {
        await ask(stage, { method: 'POST', path: '/imgs?strict=true', key: 'editor', type: jsonType, body });
      }
      await ask(stage, { path: '/ops/', key: 'viewer' });
    },
  },
  'row 7: failed batches, then the operations': {
    lane: 'heavy',
    weight: 0.2,
    async act(stage) {
      const body = json(repeat(10_000, (i) => ({ id: `none-${i}`, title: 'x' })));
      await ask(stage, { method: 'PATCH', path: '/imgs', key: 'editor', type: jsonType, body });
      await ask(stage, { path: '/ops/?limit=200', key: 'viewer' });
    },
  },
  'row 8: a picture of 83 megapixels': {
    lane: 'heavy',
    async act(stage) {
      const picture = readFileSync(stage.target.pictures.huge);
      const body = form(
        formPart('image', picture, 'huge.png'),
        formPart('colors', 'true'),
        formPart('caption', 'true'),
      );
      await ask(stage, { method: 'POST', path: '/tag/image', key: 'tagger', type: multipartType, body });
    },
  },
  'row 8: 40 pictures of 83 megapixels': {
    lane: 'heavy',
    isLong: true,
    weight: 0.01,
    async act({ target, play }) {
      const body = form(formPart('image', readFileSync(target.pictures.huge), 'huge.png'), formPart('colors', 'true'));
      const parts = { method: 'POST', path: '/tag/image', key: 'tagger', type: multipartType, body } as const;
      await Promise.all(repeat(40, () => play({ parts: request(target, parts), maxMs: 45_000 })));
    },
  },
  'row 9: 95 aliases of 3 000 long captions': {
    lane: 'heavy',
    act: (stage) => query(stage, documents['aliases of a long field'].make()),
  },
  'row 10: 10 documents of 20 counts': {
    lane: 'heavy',
    async act(stage) {
      const body = documents['20 counts'].make();
      await Promise.all(repeat(10, () => query(stage, body)));
    },
  },
  'row 14: a formula of 10 MB': {
    lane: 'heavy',
    act: (stage) => query(stage, documents['a variable of 10 MB'].make()),
  },
};

export const workRows: readonly Shape[] = toShapes(rows);
