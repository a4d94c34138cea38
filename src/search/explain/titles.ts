import { canBeId } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import { leavesOf } from '../formula/tree.ts';
import type { Titles } from './similarity-words.ts';

/** Titles are cut to this length, because they appear in the middle of a sentence. */
const mostCharacters = 60;

const imageTitles = tenantStatement(
  'titles-of-references',
  `SELECT image_id AS id, title FROM image WHERE tenant_id = $1 AND image_id = ANY($2::text[]) AND title <> ''`,
);
const videoTitles = tenantStatement(
  'titles-of-video-references',
  `SELECT video_id AS id, title FROM video WHERE tenant_id = $1 AND video_id = ANY($2::text[]) AND title <> ''`,
);

/** Returns the titles of the records that a formula refers to; runs no query if there are none. */
export async function findTitles(db: TenantDb, condition: Condition | null, resource: Resource): Promise<Titles> {
  const tests = condition === null ? [] : leavesOf<Test>(condition);
  const references = tests.flatMap((test) => (test.kind === 'similarity' ? test.references : []));
  const ids = references.flatMap(({ scheme, value }) => (scheme === 'id' && canBeId(value) ? [value] : []));
  if (ids.length === 0) return new Map();
  const statements = resource === 'video' ? [imageTitles, videoTitles] : [imageTitles];
  const titles = new Map<string, string>();
  for (const statement of statements) {
    const { rows } = await db.query<{ id: string; title: string }>(statement, [ids]);
    for (const { id, title } of rows) titles.set(id, shortened(title));
  }
  return titles;
}

function shortened(title: string): string {
  const characters = [...title];
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters - 1).join('')}…` : title;
}
