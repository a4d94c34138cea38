import { it } from 'vitest';
import { openWorld, worlds } from './world.ts';
import type { SharedWorld, World } from './world.ts';

/** Enters the service that the files of this process share, whose writes are applied, or are not without a `worker`. */
type EnterWorld = (options?: { worker?: boolean }) => Promise<SharedWorld>;

/**
 * Tests and hooks that need nothing but a tenant. A service and a database of their own would cost each file a quarter of a
 * second of processor time. What counts over tenants, watches the database, or ends what it started opens its own.
 */
export const withWorld = it.extend<{ $worker: { enterWorld: EnterWorld } }>({
  enterWorld: [
    // oxlint-disable-next-line no-empty-pattern -- a fixture names here what it needs
    async ({}, use) => {
      const opened = new Map<string, Promise<World>>();
      let entered = 0;
      await use(async ({ worker = true } = {}) => {
        const kind = `${worker} ${worlds.hasMeilisearch}`;
        const world = opened.get(kind) ?? openWorld({ worker });
        opened.set(kind, world);
        return withNames(await world, (entered += 1));
      });
      for (const world of opened.values()) await (await world).close();
    },
    { scope: 'worker' },
  ],
});

/** The world, with tenants that no one else has who entered it. */
function withNames(world: World, entered: number): SharedWorld {
  const { url, media, backing, access, picture } = world;
  const named = new Set<string>();
  return {
    url,
    media,
    backing,
    access,
    picture,
    client({ tenant = `tenant-${named.size + 1}`, ...options } = {}) {
      const name = named.has(tenant) ? tenant : `${tenant}-${entered}`;
      named.add(name);
      return world.client({ ...options, tenant: name });
    },
  };
}
