import type { TenantDb } from '../tenants/index.ts';
import { countRecords } from './count.ts';
import { countByEngine, facetsByEngine } from './engine/count.ts';
import { engineOr } from './engine/engine.ts';
import type { Route } from './engine/engine.ts';
import { listByEngine } from './engine/list.ts';
import { countFacets } from './facets.ts';
import type { Facet, FacetMode } from './facets.ts';
import { listRecords } from './list-records.ts';
import type { ListOptions, RecordPage } from './list-records.ts';
import type { Question } from './question.ts';

/** A page, by the engine of the route where it answers as PostgreSQL would. */
export async function answerList(
  db: TenantDb,
  question: Question,
  options: ListOptions,
  route?: Route,
): Promise<RecordPage> {
  return engineOr(
    route,
    'results',
    async (engine) => {
      const results = await listByEngine(db, engine, question, options);
      return typeof results === 'string' ? results : { results, cursor: null, question };
    },
    () => listRecords(db, question, options),
  );
}

/** How many records answer, exactly. */
export async function answerCount(db: TenantDb, question: Question, route?: Route): Promise<number> {
  return engineOr(
    route,
    'count',
    (engine) => countByEngine(db, engine, question),
    () => countRecords(db, question),
  );
}

/** The values of each facet over all records that answer the question, most frequent first. */
export async function answerFacets(
  db: TenantDb,
  question: Question,
  names: readonly string[],
  mode: FacetMode,
  route?: Route,
): Promise<Facet[]> {
  const bySql = (own: readonly string[]) => countFacets(db, question, own, mode);
  if (route === undefined) return bySql(names);
  const wanted = [...new Set(names)];
  const told = await facetsByEngine(db, route.engine, question, wanted, mode);
  const found = new Map<string, Facet>();
  const left: string[] = [];
  for (const [at, name] of wanted.entries()) {
    const facet = typeof told === 'string' ? told : told[at];
    if (typeof facet === 'object') {
      found.set(name, facet);
      route.tell(`facets.${name}`, { engine: 'meilisearch', reason: null });
    } else {
      left.push(name);
      route.tell(`facets.${name}`, { engine: 'postgresql', reason: facet ?? 'values' });
    }
  }
  for (const facet of left.length === 0 ? [] : await bySql(left)) found.set(facet.name, facet);
  return wanted.flatMap((name) => found.get(name) ?? []);
}
