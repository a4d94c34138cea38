import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { exchange } from '../support/raw.ts';
import type { RawReply } from '../support/raw.ts';
import { withWorld } from '../support/shared-world.ts';
import type { SharedWorld } from '../support/world.ts';

/** Requests and the answers of a real FastAPI application, one a line; they stand beside the project. */
const file = join(packageRoot, '../shared/spec/conformance/public.jsonl');

type Part = Readonly<{
  name: string;
  filename?: string;
  content_type?: string;
  text?: string;
  content_base64?: string;
}>;
type Recorded = Readonly<{ status: number; headers: Record<string, string>; body: unknown; location?: string }>;
type Line = Readonly<{
  id: string;
  kind: string;
  request: Readonly<{
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string | null;
    body_base64?: string;
    multipart?: readonly Part[];
  }>;
  response: Recorded;
  outcome: 'error' | 'accepted' | 'service';
  version_dependent?: unknown;
  assumption?: string;
  header_assumption?: readonly string[];
  artifact?: boolean;
}>;

const isHere = existsSync(file);
const lines: Line[] = isHere
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter((text) => text.trim() !== '')
      .map((text) => JSON.parse(text) as Line)
  : [];

let world: SharedWorld;
let key: string;

withWorld.beforeAll(async ({ enterWorld }) => {
  if (!isHere) return;
  world = await enterWorld({ worker: false });
  key = (await world.client()).key;
});

const boundary = 'golden-boundary-7f3a';

function bodyOf({ body, body_base64: base64, multipart }: Line['request']): Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  if (multipart === undefined) return body === undefined || body === null ? undefined : Buffer.from(body);
  const parts = multipart.flatMap((part) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"`,
    part.filename === undefined ? '' : `; filename="${part.filename}"`,
    part.content_type === undefined ? '' : `\r\nContent-Type: ${part.content_type}`,
    '\r\n\r\n',
    part.content_base64 === undefined ? (part.text ?? '') : Buffer.from(part.content_base64, 'base64'),
    '\r\n',
  ]);
  return Buffer.concat([...parts, `--${boundary}--\r\n`].map((each) => Buffer.from(each)));
}

/** Sends a request byte by byte as it was recorded: no client library would send all of them. */
async function send(request: Line['request'], path = request.path): Promise<RawReply> {
  const content = bodyOf(request);
  const headers = { ...request.headers };
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  if (request.multipart !== undefined && !isTyped)
    headers['Content-Type'] = `multipart/form-data; boundary=${boundary}`;
  if (content !== undefined || ['POST', 'PUT', 'PATCH'].includes(request.method)) {
    headers['Content-Length'] = String(content?.length ?? 0);
  }
  const head = [
    `${request.method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value.replace('{api_key}', key)}`),
    // No worker runs here, so that writes which wait would do so for 30 seconds.
    'Prefer: wait=0',
    'Connection: close',
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content ?? Buffer.alloc(0)]);
  const [reply] = await exchange(world.url, bytes);
  if (reply === undefined) throw new Error('no reply');
  return reply;
}

/** The reply to compare: JSON numbers as text, since an integer may have more digits than a number. */
const exactly = (text: string): unknown =>
  text === '' ? null : JSON.parse(text.replace(/(?<=[:[,]\s*)-?\d{16,}(?=\s*[,\]}])/g, '"$&"'));

/** The contract says that places are strings. */
function withStringPlaces(body: unknown): unknown {
  const detail = (body as { detail?: unknown } | null)?.detail;
  if (!Array.isArray(detail)) return body;
  return { ...(body as object), detail: detail.map((each) => ({ ...each, loc: each.loc.map(String) })) };
}

function facts({ status, headers, body }: Recorded, without: readonly string[] = []) {
  const chosen = ['content-type', 'allow', 'www-authenticate'].filter((name) => !without.includes(name));
  return { status, body: withStringPlaces(body), headers: chosen.map((name) => headers[name]) };
}

const read = ({ status, headers, body }: RawReply): Recorded => ({ status, headers, body: exactly(body) });
const isNotServed = ({ body }: RawReply) => body.includes('"code":"not_implemented"');
const methodsOf = (allow: string | undefined) => (allow ?? '').split(', ');

/** Classes of lines that spec/decisions.md overrules: which, why, and what is answered instead. */
type Overruled = Readonly<{
  reason: string;
  when: (line: Line) => boolean;
  holds: (reply: RawReply, line: Line) => void | Promise<void>;
}>;

const overruled: readonly Overruled[] = [
  {
    reason: 'nothing of a body is parsed before the key is known',
    when: ({ id }) => ['order-missing-key-and-malformed-json', 'order-wrong-key-and-invalid-utf8'].includes(id),
    holds({ status, headers }) {
      expect([status, headers['www-authenticate']]).toEqual([401, 'APIKey']);
    },
  },
  {
    reason: 'is about Python, not about the service: anything below 500 will do',
    when: ({ artifact }) => artifact === true,
    holds({ status }) {
      expect(status).toBeLessThan(500);
    },
  },
  {
    reason: 'asks for a path with and without its slash at the end: both answer alike, without a redirect',
    when: ({ response }) => response.status === 307,
    async holds(reply, { request, response }) {
      const other = await send(request, response.location?.replace('{base_url}', '') ?? '');
      expect([reply.status, reply.body]).toEqual([other.status, other.body]);
      expect(reply.status).not.toBe(307);
    },
  },
  {
    reason: 'asks with OPTIONS, which is answered 204 with every method of the path',
    when: ({ request, response }) => request.method === 'OPTIONS' && response.status === 405,
    holds({ status, headers, body }) {
      expect([status, body]).toEqual([204, '']);
      expect(methodsOf(headers['allow'])).toContain('OPTIONS');
    },
  },
  {
    reason: 'asks with HEAD, which works wherever GET does',
    when: ({ request, response }) => request.method === 'HEAD' && response.status === 405,
    async holds(reply, { request }) {
      const get = await send({ ...request, method: 'GET' });
      expect([reply.status, reply.headers['content-type']]).toEqual([get.status, get.headers['content-type']]);
      expect(reply.body).toBe('');
    },
  },
  {
    reason: 'writes a batch of videos, an additive route',
    when: ({ request, response }) => request.path === '/vids' && response.status === 405,
    holds({ status }) {
      expect(status).toBe(422);
    },
  },
  {
    reason: 'uses a method that the path does not have: `Allow` lists every method that it has',
    when: ({ response }) => response.status === 405,
    holds(reply, { response }) {
      expect(facts(read(reply), ['allow'])).toEqual(facts(response, ['allow']));
      expect(methodsOf(reply.headers['allow'])).toEqual(
        expect.arrayContaining([...methodsOf(response.headers['allow']), 'OPTIONS']),
      );
    },
  },
  {
    reason: 'gives none or both of image and image_url: the words and the code are ours',
    when: ({ assumption, response }) => assumption !== undefined && response.status === 400,
    holds(reply) {
      const detail = 'Provide exactly one of image or image_url';
      expect([reply.status, exactly(reply.body)]).toEqual([
        400,
        { detail, code: 'invalid_input_combination', status: 400 },
      ]);
    },
  },
  {
    reason: 'sends JSON without a content type, which is read as JSON',
    when: ({ id, version_dependent: older }) => id.startsWith('ctype-') && older !== undefined,
    holds({ status }) {
      expect(status).toBe(202);
    },
  },
  {
    reason: 'sorts by similarity without a similarity term, which has nothing to sort by',
    when: ({ outcome, request }) => outcome === 'accepted' && /sort_by=sim/.test(request.path),
    holds(reply) {
      expect(reply.status).toBe(422);
      expect(exactly(reply.body)).toMatchObject({ detail: [{ type: 'sort_requires_similarity' }] });
    },
  },
  {
    reason: 'has a mistake in its formula, which the recorded application does not read',
    when: ({ id }) => ['unknown-equals-in-value', 'unknown-q-nul'].includes(id),
    holds(reply) {
      expect(reply.status).toBe(422);
      expect(exactly(reply.body)).toMatchObject({
        detail: [{ loc: ['query', 'q'], ctx: { position: expect.any(Number) } }],
      });
    },
  },
  {
    reason: 'sends something that is no picture, or an address where none is, to be tagged or searched by',
    when: ({ outcome, request }) => outcome === 'accepted' && /^\/(?:tag\/image|query_imgs)/.test(request.path),
    holds(reply) {
      expect(reply.status).toBe(422);
      const place = ['body', expect.stringMatching(/^image(?:_url)?$/)];
      const type = expect.stringMatching(/^(?:decode_failed|source_unreachable)$/);
      expect(exactly(reply.body)).toMatchObject({ detail: [{ type, loc: place }] });
    },
  },
  {
    reason: 'is let through by the recorded application, whose replies are constants',
    when: ({ outcome }) => outcome === 'accepted',
    holds(reply) {
      if (!isNotServed(reply)) expect([200, 201, 202, 404]).toContain(reply.status);
    },
  },
  {
    reason: 'is for the service to judge',
    when: ({ outcome }) => outcome === 'service',
    holds(reply) {
      if (!isNotServed(reply)) expect(reply.status).toBeLessThan(500);
    },
  },
];

describe.skipIf(!isHere)('a recorded request', () => {
  const classOf = (line: Line) => overruled.find(({ when }) => when(line));
  const followed = lines.filter((line) => classOf(line) === undefined).map((line) => [line.id, line] as const);

  it.each(followed)('is answered as it was: %s', async (_, { request, response, header_assumption: assumed }) => {
    const reply = await send(request);
    const recorded = { ...response, body: exactly(JSON.stringify(response.body)) };
    expect(facts(read(reply), assumed)).toEqual(facts(withExactBody(recorded, request), assumed));
  });

  describe.each(overruled)('that $reason', (each) => {
    const own = lines.filter((line) => classOf(line) === each).map((line) => [line.id, line] as const);
    it.each(own)('%s', async (_, line) => {
      await expect(Promise.resolve(each.holds(await send(line.request), line))).resolves.toBeUndefined();
    });
  });
});

/** A recorded body has lost digits of its long integers in JSON.parse; the request still has them. */
function withExactBody(recorded: Recorded, { body }: Line['request']): Recorded {
  const long = /(?<=[:[,]\s*)-?\d{16,}(?=\s*[,\]}])/.exec(body ?? '')?.[0];
  const text = JSON.stringify(recorded.body);
  if (long === undefined || text === undefined) return recorded;
  return { ...recorded, body: JSON.parse(text.replace(/"-?\d{16,}"|(?<=[:[,])-?\d(?:\.\d+)?e\+\d+/g, `"${long}"`)) };
}
