import { it } from 'vitest';
import { openWorld, worlds } from './world.ts';
import type { SharedWorld, World } from './world.ts';

/** Opens the service of this process, or enters it again; nobody applies its writes until a worker is started. */
type OpenShared = () => Promise<World>;

/** Enters the service that the files of this process share, whose writes are applied, or are not without a `worker`. */
type EnterWorld = (options?: { worker?: boolean }) => Promise<SharedWorld>;

/**
 * Tests and hooks that need nothing but a tenant. A service and a database of their own would cost each file a sixth of a
 * second of processor time. What counts over tenants, watches the database, or ends what it started opens its own.
 */
export const withWorld = it.extend<{
  $worker: { openShared: OpenShared; openIdle: OpenShared };
  $file: { enterWorld: EnterWorld };
}>({
  openShared: [async ({}, use) => share(use), { scope: 'worker' }], // oxlint-disable-line no-empty-pattern -- a fixture names here what it needs
  openIdle: [async ({}, use) => share(use), { scope: 'worker' }], // oxlint-disable-line no-empty-pattern -- as above
  enterWorld: [
    async ({ openShared, openIdle }, use) => {
      const workers = new Map<World, ReturnType<World['startWorker']>>();
      await use(async ({ worker = true } = {}) => {
        const world = await (worker ? openShared() : openIdle());
        if (worker && !workers.has(world)) workers.set(world, world.startWorker());
        return withNames(world);
      });
      // A worker looks for work every second, also while other files count statements or stop the clock.
      for (const worker of workers.values()) await worker.close();
    },
    { scope: 'file' },
  ],
});

async function share(use: (open: OpenShared) => Promise<void>): Promise<void> {
  const opened = new Map<boolean, Promise<World>>();
  await use(() => {
    const { hasMeilisearch } = worlds;
    const world = opened.get(hasMeilisearch) ?? openWorld({ worker: false });
    opened.set(hasMeilisearch, world);
    return world;
  });
  for (const world of opened.values()) await (await world).close();
}

let entered = 0;

/** The world, with tenants that no one else has who entered it. */
function withNames(world: World): SharedWorld {
  const { url, media, backing, access, picture } = world;
  const place = (entered += 1);
  const named = new Set<string>();
  return {
    url,
    media,
    backing,
    access,
    picture,
    client({ tenant = `tenant-${named.size + 1}`, ...options } = {}) {
      const name = named.has(tenant) ? tenant : `${tenant}-${place}`;
      named.add(name);
      return world.client({ ...options, tenant: name });
    },
  };
}
