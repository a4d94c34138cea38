import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../src/storage/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { openUploads } from '../../src/uploads/uploads.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
let db: TenantDb;

beforeAll(async () => {
  world = await openWorld({ worker: false });
  await world.client({ tenant: 'ours' });
  const { database } = world.backing;
  const { rows } = await database.pool.query<{ id: number }>(`SELECT id FROM tenant WHERE name = 'ours'`);
  db = forTenant(database, rows[0]?.id ?? 0);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.backing.database.pool.query('DELETE FROM upload');
});

/** A store in memory; `beforeWrite` and `beforeRemove` may delay or refuse. */
function memoryStore({
  beforeWrite = async () => {},
  beforeRemove = async () => {},
}: Readonly<{
  beforeWrite?: (bytes: string) => Promise<void>;
  beforeRemove?: (name: string) => Promise<void>;
}> = {}) {
  const files = new Map<string, Buffer>();
  const store: FileStore = {
    read: async (name, range) => files.get(name)?.subarray(range?.start, range?.end) ?? null,
    async write(name, bytes) {
      const whole = Buffer.isBuffer(bytes) ? bytes : Buffer.concat(bytes);
      await beforeWrite(whole.toString());
      files.set(name, whole);
    },
    async remove(name) {
      await beforeRemove(name);
      files.delete(name);
    },
    close: async () => {},
  };
  return { files, store };
}

const announced = { name: 'a.bin', length: 8, isSent: false } as const;
const hourMs = 3_600_000;
const nextWeek = () => new Date(Date.now() + 200 * hourMs);

async function* piecesOf(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

describe('two requests that send different bytes of one upload at the same time', () => {
  it('do not overwrite each other: what was listed stays, the other is refused', async () => {
    let [begun, goOn] = [() => {}, () => {}];
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const { files, store } = memoryStore({
      async beforeWrite(bytes) {
        if (bytes !== 'slow') return;
        begun();
        await mayGoOn;
      },
    });
    const uploads = openUploads(world.backing.database, store);
    const upload = await uploads.create(db, announced);
    const find = async () => (await uploads.find(db, upload.id)) ?? expect.fail();
    const slow = uploads.append(db, await find(), 0, piecesOf('slow')).catch((error: unknown) => error);
    await hasBegun;
    await uploads.append(db, await find(), 0, piecesOf('fast'));
    goOn();
    expect(await slow).toMatchObject({ code: 'upload_conflict' });
    const kept = await uploads.finish(db, await uploads.append(db, await find(), 4, piecesOf('+end')));
    const file = await uploads.open(db.tenantId, kept.srcPath);
    expect((await file?.read(0, 8))?.toString()).toBe('fast+end');
    await uploads.removeExpired(nextWeek());
    expect([...files.keys()]).toEqual([]);
  });
});

describe('the parts of an upload', () => {
  it('are all removed, also those of requests that ended before they were listed', async () => {
    const { files, store } = memoryStore();
    const dying: FileStore = {
      ...store,
      async write(name, bytes) {
        await store.write(name, bytes);
        throw new Error('the process ends');
      },
    };
    const { database } = world.backing;
    const [uploads, ending] = [openUploads(database, store), openUploads(database, dying)];
    const upload = await uploads.create(db, announced);
    const find = async () => (await uploads.find(db, upload.id)) ?? expect.fail();
    const append = (by: typeof uploads, offset: number, text: string) =>
      find().then((found) => by.append(db, found, offset, piecesOf(text)));
    await expect(append(ending, 0, 'aa')).rejects.toThrow('the process ends');
    await append(uploads, 0, 'bb');
    await append(uploads, 2, 'cc');
    await expect(append(ending, 4, 'd')).rejects.toThrow('the process ends');
    await expect(append(ending, 4, 'ee')).rejects.toThrow('the process ends');
    expect(files.size).toBe(5);
    expect(await uploads.removeExpired(nextWeek())).toBe(1);
    expect([...files.keys()]).toEqual([]);
  });

  it('of a file that the tenant has already are removed, although the process ended before it did so', async () => {
    let isEnding = false;
    const { files, store } = memoryStore({
      async beforeRemove() {
        if (isEnding) throw new Error('the process ends');
      },
    });
    const uploads = openUploads(world.backing.database, store);
    const send = async () => {
      const upload = await uploads.create(db, { ...announced, length: null });
      const half = await uploads.append(db, upload, 0, piecesOf('the '));
      return uploads.finish(db, await uploads.append(db, half, 4, piecesOf('same')));
    };
    await send();
    const kept = [...files.keys()];
    isEnding = true;
    await expect(send()).rejects.toThrow('the process ends');
    isEnding = false;
    await world.backing.database.pool.query(
      `UPDATE upload SET expires_at = now() - interval '1 s' WHERE state = 'removing'`,
    );
    expect(await uploads.removeExpired()).toBe(1);
    expect([...files.keys()]).toEqual(kept);
  });
});

describe('expired uploads', () => {
  const expired = (state: string, count: number) =>
    world.backing.database.pool.query(
      `INSERT INTO upload (id, tenant_id, state, media_type, received, parts, checksum, expires_at)
       SELECT gen_random_uuid(), $1, $2::upload_state, 'image/png', 1, '{1}',
              CASE WHEN $2 = 'kept' THEN sha256(n::text::bytea) END, now() - interval '2 days' + n * interval '1 second'
       FROM generate_series(1, $3) n`,
      [db.tenantId, state, count],
    );
  const left = async () => {
    const text = 'SELECT count(*)::int AS n FROM upload';
    return (await world.backing.database.pool.query<{ n: number }>(text)).rows[0]?.n;
  };

  it.each(['kept', 'receiving'])('that are %s are removed in one round, however many there are', async (state) => {
    await expired(state, 2_300);
    const { store } = memoryStore();
    expect(await openUploads(world.backing.database, store).removeExpired()).toBe(2_300);
    expect(await left()).toBe(0);
  });

  it('behind files that cannot be removed are removed', async () => {
    await expired('receiving', 100);
    const text = 'SELECT id::text FROM upload ORDER BY expires_at LIMIT 20';
    const { rows } = await world.backing.database.pool.query<{ id: string }>(text);
    const stuck = rows.map(({ id }) => id);
    const { store } = memoryStore({
      async beforeRemove(name) {
        if (stuck.some((id) => name.includes(id))) throw new Error('the file is locked');
      },
    });
    await expect(openUploads(world.backing.database, store).removeExpired()).rejects.toThrow('the file is locked');
    expect(await left()).toBe(20);
  });
});
