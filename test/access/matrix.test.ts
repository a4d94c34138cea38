import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest/index.ts';
import { schema } from '../../src/graphql/index.ts';
import { guardRootFields, scopeOfField } from '../../src/graphql/schema/root-fields.ts';
import { revokeApiKey, roles } from '../../src/tenants/index.ts';
import type { Role, Scope } from '../../src/tenants/index.ts';
import { clipInto } from '../support/clips.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { acts, fieldRows, lowestRole, nothing, restRows } from './rows.ts';
import type { FieldRow, Ids, RestRow } from './rows.ts';
import { everyNth, sizeOf } from '../support/effort.ts';

let world: World;
let admin: Client;
let ours: Ids;
let stranger: Client;
/** Has never named anything: what its lists hold is not its own echo. */
let bystander: Client;
/** What must never be seen by another tenant. */
let secrets: readonly string[];
let before: unknown;
let cells = 0;

/** The header of a caller: undefined sends none. */
type Caller = Readonly<{ key: () => string | undefined; refusal?: 'Not authenticated' | 'Invalid API key' }>;
type Holder = Caller & Readonly<{ role: Role; scopes?: readonly Scope[]; label: () => string }>;

const keys = new Map<string, string>();
const keyOf = (name: string) => () => keys.get(name);

const refused: Readonly<Record<string, Caller & { refusal: string }>> = {
  'no key': { key: () => undefined, refusal: 'Not authenticated' },
  'an empty key': { key: () => '', refusal: 'Not authenticated' },
  'a wrong key': { key: () => 'vt_wrong', refusal: 'Invalid API key' },
  'an expired key': { key: keyOf('expired'), refusal: 'Invalid API key' },
  'a revoked key': { key: keyOf('revoked'), refusal: 'Invalid API key' },
};

const narrowings: readonly (readonly [role: Role, scopes: readonly Scope[]])[] = [
  ['editor', ['imgs:read']],
  ['editor', ['me:read', 'imgs:write']],
  ['admin', ['keys:manage']],
  ['admin', ['ops:read', 'ops:abort', 'audit:read']],
];

const holders: Readonly<Record<string, Omit<Holder, 'refusal'>>> = Object.fromEntries(
  [...roles.map((role) => [role, undefined] as const), ...narrowings].map(([role, scopes]) => {
    const name =
      scopes === undefined ? `a key of role ${role}` : `a key of role ${role} narrowed to ${scopes.join(', ')}`;
    return [name, { key: keyOf(name), role, ...(scopes && { scopes }), label: () => `${role} of ours` }];
  }),
);

const isNarrowed = ([, { scopes }]: readonly [string, { scopes?: readonly Scope[] }]) => scopes !== undefined;
const narrowed = Object.fromEntries(Object.entries(holders).filter(isNarrowed));
const ofRoles = Object.fromEntries(Object.entries(holders).filter((entry) => !isNarrowed(entry)));

/** Callers who ask at a place: all of them, or by `npm test` those whose turn it is there, so that each asks at many. */
function callersOf<C>(callers: Readonly<Record<string, C>>, place: number): Readonly<Record<string, C>> {
  return Object.fromEntries(everyNth(2, place, Object.entries(callers)));
}

/** What no key of our tenants may do, because it concerns all tenants: only keys of the first one may. */
const ofFirstTenant: readonly Scope[] = ['service:manage'];

function may({ role, scopes }: Pick<Holder, 'role' | 'scopes'>, scope: Scope): boolean {
  if (ofFirstTenant.includes(scope)) return false;
  const byRole = roles.indexOf(role) >= roles.indexOf(lowestRole[scope]);
  return byRole && (scopes === undefined || scopes.includes(scope));
}

/** The words of a 403. */
function refusalOf({ role, label }: Pick<Holder, 'role' | 'label'>, scope: Scope): string {
  const byRole = roles.indexOf(role) < roles.indexOf(lowestRole[scope]);
  return `${byRole ? `Role '${role}'` : `Key '${label()}'`} may not ${acts[scope]}`;
}

type Answer = Readonly<{ status: number; headers: Headers; text: string; body: any }>; // oxlint-disable-line no-explicit-any -- what tests look into

/** What an answer says; of a stream of events, which may never end, the first. */
async function readText(answer: Response): Promise<string> {
  if (!(answer.headers.get('content-type') ?? '').includes('text/event-stream')) return answer.text();
  let text = '';
  for await (const part of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += part;
    const event = /^data: ?(\{.*)\n/m.exec(text)?.[1];
    if (event !== undefined) return event; // Leaving the loop closes the connection.
  }
  return text;
}

async function ask(
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  accept = '*/*',
): Promise<Answer> {
  const answer = await fetch(world.url + path, {
    method,
    headers: {
      Accept: accept,
      ...(key !== undefined && { 'API-Key': key }),
      ...(body !== undefined && !(body instanceof FormData) && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const text = await readText(answer);
  const isBytes = answer.headers.get('content-type')?.startsWith('image/') === true;
  const parsed = text === '' || isBytes ? undefined : JSON.parse(text);
  return { status: answer.status, headers: answer.headers, text, body: parsed };
}

function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

function askRest(key: string | undefined, place: string, row: RestRow, ids: Ids, wait = false): Promise<Answer> {
  const [method = ''] = place.split(' ');
  const asked = row.path(ids);
  const path = row.writes && wait ? `${asked}${asked.includes('?') ? '&' : '?'}wait=true` : asked;
  return ask(key, method, path, row.form === undefined ? row.body?.(ids) : formOf(row.form));
}

function askField(key: string | undefined, place: string, row: FieldRow, ids: Ids, wait = false): Promise<Answer> {
  const operation = (place.split('.')[0] ?? '').toLowerCase();
  const fields = `{ ${row.field(ids).replace('WAIT', String(wait))} }`;
  if (row.upload !== undefined) {
    const operations = JSON.stringify({ query: `mutation ($file: Upload!) ${fields}`, variables: { file: null } });
    const map = JSON.stringify({ part: ['variables.file'] });
    return ask(key, 'POST', '/graphql', formOf({ operations, map, part: row.upload }));
  }
  const query = `${operation} ${fields}`;
  return ask(key, 'POST', '/graphql', { query }, operation === 'subscription' ? 'text/event-stream' : '*/*');
}

/** What changes from one answer to the next although nothing else does. */
const volatile = /^(operation_?id|id|(created|started|finished|updated)_?at|secret|(idle|exec)_?ms|request_?id)$/i;

/** An answer with what is bound to change taken out: ids that were asked for, times, new numbers. */
function comparable({ status, text, body }: Answer, ids: Ids): unknown {
  if (text === '') return [status, null];
  const named = JSON.stringify(body, (name, value: unknown) => (volatile.test(name) ? '…' : value))
    .replaceAll(ids.image, 'IMAGE')
    .replaceAll(String(ids.operation), 'OPERATION')
    .replaceAll(ids.key, 'KEY')
    .replaceAll(ids.formula, 'FORMULA')
    .replaceAll(ids.webhook, 'WEBHOOK')
    .replaceAll(/operation \d+/g, 'operation …');
  return [status, JSON.parse(named)];
}

/** Everything of our tenant that a stranger could have changed. */
async function snapshot(): Promise<unknown> {
  const image = await admin.rest('GET', `/imgs/${ours.image}?fields=title&fields=width`);
  const operation = await admin.rest('GET', `/ops/${ours.operation}`);
  const { data } = await admin.graphql('{ apiKeys(limit: 1000) { results { id revokedAt expiresAt } } }');
  const key = data.apiKeys.results.find(({ id }: { id: string }) => id === ours.key);
  const video = await admin.rest('GET', `/vids/${ours.image}?fields=title&fields=width`);
  const saved = await admin.graphql('{ savedFormulas { results { name formula } } }');
  const formula = saved.data.savedFormulas.results.find(({ name }: { name: string }) => name === ours.formula);
  const { data: kept } = await admin.graphql(`{ collection(name: "${ours.formula}") { name images } }`);
  const { body: webhook } = await admin.rest('GET', `/webhooks/${ours.webhook}`);
  return { image: image.body, video: video.body, operation: operation.body, key, formula, kept, webhook };
}

async function keyIdOf(client: Client): Promise<string> {
  const prefix = client.key.slice(0, 11);
  return String((await world.backing.database.prisma.apiKey.findFirstOrThrow({ where: { prefix } })).id);
}

beforeAll(async () => {
  world = await openWorld();
  // Numbers that nothing else in an answer looks like.
  const { pool } = world.backing.database;
  await pool.query(`SELECT setval('operation_id_seq', 700000000), setval('api_key_id_seq', 600000000),
     setval('webhook_id_seq', 500000000)`);
  admin = await world.client({ tenant: 'ours' });
  stranger = await world.client({ tenant: 'theirs' });
  bystander = await world.client({ tenant: 'other' });
  const spare = await world.client({ tenant: 'ours', role: 'viewer' });
  await world.picture('p.png', { width: 7, height: 5 });
  const image = 'picture-of-ours';
  await admin.write('POST', `/imgs/${image}`, { src_path: 'p.png', title: 'ours' });
  await admin.write('POST', `/vids/${image}`, { src_path: await clipInto(world.media, 'c.webm'), title: 'ours' });
  const [{ operation_id: operation }] = (await admin.rest('GET', '/ops')).body;
  // As long as the name of a missing record: an error message contains the length.
  const formula = 'covers-of-our-own';
  await admin.graphql(`mutation { saveFormula(name: "${formula}", formula: "title:ours") { name } }`);
  await admin.graphql(`mutation { createCollection(name: "${formula}") { name } }`);
  const added = await admin.rest('POST', '/webhooks', {
    url: 'https://example.com/hook-of-ours',
    kinds: ['duplicate.found'],
  });
  const { id: webhook } = added.body.webhook;
  await admin.rest('PATCH', `/webhooks/${webhook}`, { is_enabled: false });
  ours = { image, operation, key: await keyIdOf(spare), formula, webhook };
  secrets = [image, formula, admin.key.slice(0, 11), spare.key.slice(0, 11), 'of-ours', 'of ours', '"ours"'];
  for (const [name, { role, scopes }] of Object.entries(holders)) {
    keys.set(name, (await world.client({ tenant: 'ours', role, ...(scopes && { scopes }) })).key);
  }
  keys.set('expired', (await world.client({ tenant: 'ours', expiresAt: new Date(Date.now() - 1000) })).key);
  const revoked = await world.client({ tenant: 'ours' });
  keys.set('revoked', revoked.key);
  await revokeApiKey(world.backing.database, revoked.key.slice(0, 11));
  before = await snapshot();
});
afterAll(async () => {
  await world.close();
  process.stdout.write(`access matrix: ${cells} cells\n`);
});

const rootFields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {}).map((field) => ({ place: `${type?.name}.${field.name}`, field })),
);

describe('the tables', () => {
  it('have a row for every endpoint of REST', () => {
    const places = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(restRows).toSorted()).toEqual(places.toSorted());
  });

  it('have a row with its scope for every field at the root of the schema', () => {
    const declared = Object.fromEntries(rootFields.map(({ place, field }) => [place, scopeOfField(field.extensions)]));
    expect(Object.fromEntries(Object.entries(fieldRows).map(([place, { scope }]) => [place, scope]))).toEqual(declared);
  });

  it.each([
    ['no authScopes', {}],
    ['an unknown scope', { authScopes: { scope: 'imgs:all' } }],
    ['authScopes without a scope', { authScopes: {} }],
  ])('are not needed for a field with %s: no schema is made with it', (_, pothosOptions) => {
    const fields = { open: { type: GraphQLString, resolve: () => 'x', extensions: { pothosOptions } } };
    const unsafe = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
    expect(() => guardRootFields(unsafe)).toThrow('Query.open asks for no scope');
  });
});

/** The answers of every caller of a table to one place, asked at the same time. */
function answersOf<C extends Caller>(
  callers: Readonly<Record<string, C>>,
  asked: (key: string | undefined, caller: C) => Promise<Answer>,
): Promise<(Answer & Readonly<{ name: string; caller: C }>)[]> {
  cells += Object.keys(callers).length;
  return Promise.all(
    Object.entries(callers).map(async ([name, caller]) => ({ ...(await asked(caller.key(), caller)), name, caller })),
  );
}

describe('REST', () => {
  it.each(Object.entries(restRows))('%s is refused without a valid key', async (place, row) => {
    const callers = callersOf(refused, Object.keys(restRows).indexOf(place));
    for (const { name, caller, status, headers, body } of await answersOf(callers, (key) =>
      askRest(key, place, row, ours),
    ))
      expect([name, status, body, headers.get('www-authenticate')]).toEqual([
        name,
        401,
        { detail: caller.refusal },
        'APIKey',
      ]);
  });

  it.each(Object.entries(restRows))('%s answers every key by its scopes', async (place, row) => {
    const callers = { ...ofRoles, ...callersOf(narrowed, Object.keys(restRows).indexOf(place)) };
    const things = row.writes ? nothing : ours;
    for (const { name, caller, status, body } of await answersOf(callers, (key) => askRest(key, place, row, things))) {
      const refusal = { detail: refusalOf(caller, row.scope), code: 'forbidden', required_scope: row.scope };
      const expected = may(caller, row.scope) ? [row.status, null] : [403, refusal];
      expect([name, status, status === 403 ? body : null]).toEqual([name, ...expected]);
    }
  });

  it.each(Object.entries(restRows))("%s knows nothing of another tenant's things", async (place, row) => {
    const namesNothing = row.path(ours) === row.path(nothing) && row.body === undefined;
    const theirs = await askRest((namesNothing ? bystander : stranger).key, place, row, ours, true);
    const none = await askRest(stranger.key, place, row, nothing, true);
    // A list has nothing to compare by: two of its answers may differ, but neither shows what is ours.
    const expected = namesNothing ? comparable(theirs, ours) : comparable(none, nothing);
    expect(comparable(theirs, ours)).toEqual(expected);
    expect(secrets.filter((secret) => namesNothing && theirs.text.includes(secret))).toEqual([]);
    // 501 is an endpoint whose engine is not there yet, for whatever id.
    expect([500, 502, 503, 504]).not.toContain(theirs.status);
    cells += 1;
  });
});

describe('GraphQL', () => {
  it.each(Object.entries(fieldRows))('%s is refused without a valid key', async (place, row) => {
    const callers = callersOf(refused, Object.keys(fieldRows).indexOf(place));
    for (const { name, caller, status, body } of await answersOf(callers, (key) => askField(key, place, row, ours))) {
      const code = caller.refusal === 'Not authenticated' ? 'unauthenticated' : 'invalid_key';
      expect(body.errors, name).toMatchObject([{ message: caller.refusal, extensions: { code } }]);
      expect([name, status, body.data]).toEqual([name, 401, undefined]);
    }
  });

  it.each(Object.entries(fieldRows))('%s answers every key by its scopes', async (place, row) => {
    const callers = { ...ofRoles, ...callersOf(narrowed, Object.keys(fieldRows).indexOf(place)) };
    const things = row.writes ? nothing : ours;
    // Twice: a document that is known takes another way.
    for (let times = 0; times < sizeOf(1, 2); times += 1) {
      for (const { name, caller, body } of await answersOf(callers, (key) => askField(key, place, row, things))) {
        const extensions = { code: 'forbidden', requiredScope: row.scope };
        const refusal = [{ message: refusalOf(caller, row.scope), extensions }];
        expect(body.errors ?? [], name).toMatchObject(may(caller, row.scope) ? (row.errors ?? []) : refusal);
      }
    }
  });

  it.each(Object.entries(fieldRows))("%s knows nothing of another tenant's things", async (place, row) => {
    const namesNothing = row.field(ours) === row.field(nothing);
    const theirs = await askField((namesNothing ? bystander : stranger).key, place, row, ours, true);
    const none = await askField(stranger.key, place, row, nothing, true);
    // A list has nothing to compare by: two of its answers may differ, but neither shows what is ours.
    const expected = namesNothing ? comparable(theirs, ours) : comparable(none, nothing);
    expect(comparable(theirs, ours)).toEqual(expected);
    expect(secrets.filter((secret) => namesNothing && theirs.text.includes(secret))).toEqual([]);
    // 501 is an endpoint whose engine is not there yet, for whatever id.
    expect([500, 502, 503, 504]).not.toContain(theirs.status);
    cells += 1;
  });
});

it('a stream of events is refused and given as other answers are', async () => {
  const stream = (key?: string) => ask(key, 'POST', '/graphql', { query: '{ me { tenant } }' }, 'text/event-stream');
  expect((await stream()).body.errors).toMatchObject([{ extensions: { code: 'unauthenticated' } }]);
  expect((await stream('vt_wrong')).body.errors).toMatchObject([{ extensions: { code: 'invalid_key' } }]);
  expect((await stream(admin.key)).body).toEqual({ data: { me: { tenant: 'ours' } } });
});

it('after all of it our tenant has what it had', async () => {
  expect(await snapshot()).toEqual(before);
});
