import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kind, parse, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../rest/index.ts';
import { argumentPlace } from '../../rest/answer/places.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

/** The arguments of the root field of a document that its variables fill. */
function argumentsOf(name: string): string[] {
  const document = parse(readFileSync(join(packageRoot, 'rest/documents', `${name}.graphql`), 'utf8'));
  const names: string[] = [];
  let depth = 0;
  visit(document, {
    Field: {
      enter(node) {
        depth += 1;
        if (depth > 1) return;
        for (const each of node.arguments ?? []) if (each.value.kind === Kind.VARIABLE) names.push(each.name.value);
      },
      leave: () => void (depth -= 1),
    },
  });
  return names;
}

/** One record and a batch share a document, and only a batch takes these. */
const ofBatch = ['q', 'qLang', 'set', 'unknownFields'];
const rows = endpoints.flatMap((endpoint) =>
  argumentsOf(endpoint.document)
    .filter((name) => !(endpoint.path.includes('{') && ofBatch.includes(name)))
    .map((name) => [endpoint.method, endpoint.path, name, endpoint] as const),
);

describe('the place of a fault', () => {
  it.each(rows)('%s %s has one for the argument %s of its document, by the names of REST', (_, __, name, endpoint) => {
    const [place, own, ...more] = argumentPlace(endpoint, name) ?? [];
    const known = endpoint.parameters.map((each) => `${each.in} ${each.name}`);
    const { body } = endpoint;
    const fields = body?.kind === 'form' ? body.fields : body?.type.kind === 'object' ? body.type.fields : [];
    const all = [...known, 'header Prefer', ...fields.map((each) => `body ${each.name}`), ...(body ? ['body'] : [])];
    expect(all).toContain([place, own, ...more].filter((part) => part !== undefined).join(' '));
  });

  it('is every parameter of every path', () => {
    const used = endpoints.flatMap((endpoint) =>
      argumentsOf(endpoint.document).map((name) => argumentPlace(endpoint, name)),
    );
    const inPaths = endpoints.flatMap(({ parameters }) => parameters.filter((each) => each.in === 'path'));
    const found = new Set(used.flatMap((place) => (place?.[0] === 'path' ? [place[1]] : [])));
    expect(found).toEqual(new Set(inPaths.map(({ name }) => name)));
  });
});

describe('over HTTP', () => {
  let world: SharedWorld;
  let client: Client;
  withWorld.beforeAll(async ({ enterWorld }) => {
    world = await enterWorld({ worker: false });
    client = await world.client();
  });

  const at = (body: { detail: { loc: string[]; input: unknown }[] }) =>
    body.detail.map(({ loc, input }) => [loc, input]);

  it('a pair of one image is reported at its second id', async () => {
    const { status, body } = await client.rest('PUT', '/verdicts/a%20b/a%20b', { verdict: 'same' });
    expect([status, at(body)]).toEqual([422, [[['path', 'second_id'], 'a b']]]);
  });

  it('an invalid key is reported at its header', async () => {
    const { status, body } = await client.rest('DELETE', '/imgs/a', undefined, { 'Idempotency-Key': 'a'.repeat(300) });
    expect([status, at(body)]).toEqual([422, [[['header', 'Idempotency-Key'], `${'a'.repeat(256)} …`]]]);
  });

  it('an invalid cursor is reported as it was sent', async () => {
    const { status, body } = await client.rest('GET', '/vids?cursor=x%20y');
    expect([status, at(body)]).toEqual([422, [[['query', 'cursor'], 'x y']]]);
  });

  it('an invalid address is reported at its field', async () => {
    const { status, body } = await client.rest('POST', '/tag/image', 'image_url=nowhere', {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect([status, at(body)]).toEqual([422, [[['body', 'image_url'], 'nowhere']]]);
  });

  it.each([
    [{ q: 'contry:es' }, 'q', 'contry:es'],
    [{ q: '', sort_by: 'titel' }, 'sort_by', 'titel'],
    [{ q: '', sort_by: 'similarity' }, 'sort_by', 'similarity'],
    [{ q: '', fields: ['titel'] }, 'fields', ['titel']],
  ])('what is at fault in the body %j is reported there, as it was sent', async (body, field, input) => {
    const reply = await client.rest('POST', '/exports/imgs', { format: 'csv', ...body });
    expect([reply.status, at(reply.body)]).toEqual([422, [[['body', field], input]]]);
  });

  it('a formula at fault in the query is reported there, if the request has a body too', async () => {
    const { status, body } = await client.rest('PATCH', '/imgs?q=contry:es', { title: 'a' });
    expect([status, at(body)]).toEqual([422, [[['query', 'q'], 'contry:es']]]);
  });
});
