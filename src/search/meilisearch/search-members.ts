import type { FederatedMultiSearchParams, MultiSearchQuery, SearchResponse } from 'meilisearch';
import { MeilisearchRefusal } from '../../backing/index.ts';
import type { MeilisearchClient, MeilisearchMember } from '../../backing/index.ts';
import { fractions, maxFacetValues } from './attributes.ts';

type Document = { id: number };
type Counts = Readonly<Record<string, number>>;

/** `total` is exact when no page is requested. */
export type MeilisearchAnswer = Readonly<{
  rowIds: readonly number[];
  total: number;
  facets: Readonly<Record<string, Counts>>;
  /** Per facet, how many records may have a value that is not listed; 0 if all values are. */
  unlisted: Readonly<Record<string, number>>;
}>;

/** The members that share an index. */
export type IndexMembers = Readonly<{ uid: string; members: readonly MeilisearchMember[] }>;

/** A search; `part` is the page, or null to count. */
export type MemberSearch = Omit<MultiSearchQuery, 'indexUid' | 'facets'> &
  Readonly<{ facets?: string[]; part: Readonly<{ offset: number; limit: number }> | null }>;

/** Queries an index on all members that share it. */
export async function searchMembers(
  index: IndexMembers,
  searches: readonly MemberSearch[],
): Promise<MeilisearchAnswer[]> {
  const [only, ...others] = index.members;
  if (only !== undefined && others.length === 0) return askDirectly(index.uid, only, searches);
  return Promise.all(
    searches.map((search) => (search.facets === undefined ? askFederation(index, search) : askEach(index, search))),
  );
}

async function askDirectly(
  indexUid: string,
  { reader }: MeilisearchMember,
  searches: readonly MemberSearch[],
): Promise<MeilisearchAnswer[]> {
  const queries = searches.map(({ part, ...search }): MultiSearchQuery => ({
    indexUid,
    ...search,
    ...(part ?? countOnly),
  }));
  const { results } = await reader.multiSearch<{ queries: MultiSearchQuery[] }, Document>({ queries });
  return (results as SearchResponse<Document>[]).map(toAnswer);
}

const countOnly = { page: 1, hitsPerPage: 0 } as const;

/** Pages of a federation and errors of its remotes, both missing from the client's types. */
type Federation = FederatedMultiSearchParams['federation'] & { page?: number; hitsPerPage?: number };
type FederatedAnswer = SearchResponse<Document> &
  Readonly<{ remoteErrors?: Readonly<Record<string, Readonly<{ code?: string; message?: string }>>> }>;

let asked = 0;

/** Queries all members through one of them, which takes turns: it merges their hits and adds up their totals. */
async function askFederation({ uid, members }: IndexMembers, search: MemberSearch): Promise<MeilisearchAnswer> {
  const entry = members[(asked += 1) % members.length] as MeilisearchMember;
  const { part, ...query } = search;
  const federation: Federation = part ?? countOnly;
  // Meilisearch may change the last digit of a fraction when it reads JSON. If hits are sorted by one, the member
  // that is asked queries itself as a remote, too, so that equal fractions stay equal.
  const isAllRemote = query.sort?.some((each) => fractions.has(each.split(':')[0] ?? '')) === true;
  const queries = members.map((member) => ({
    indexUid: uid,
    ...query,
    federationOptions: { weight: 1, ...((isAllRemote || member !== entry) && { remote: member.remote }) },
  }));
  const answer: FederatedAnswer = await entry.reader.multiSearch<FederatedMultiSearchParams, Document>({
    federation,
    queries,
  });
  assertComplete(answer, members);
  return toAnswer(answer);
}

/** Fails if a member did not answer: an answer without its part is useless. */
function assertComplete({ remoteErrors = {} }: FederatedAnswer, members: readonly MeilisearchMember[]): void {
  const [fault] = Object.entries(remoteErrors);
  if (fault === undefined) return;
  const [remote, { code = '', message = '' }] = fault;
  const text = `${members.find((member) => member.remote === remote)?.name ?? remote}: ${message}`;
  if (code === 'remote_bad_request') throw new MeilisearchRefusal(400, code, text);
  if (code === 'remote_invalid_api_key') throw new MeilisearchRefusal(403, code, text);
  throw new Error(text);
}

/**
 * Queries each member directly and adds up the facets. A federation could merge them as well (`mergeFacets`), but a
 * member lists at most `maxFacetValues` values, and only its own list tells which it left out, and so which sums are
 * exact.
 */
async function askEach({ uid, members }: IndexMembers, search: MemberSearch): Promise<MeilisearchAnswer> {
  const answers = await Promise.all(members.map((member) => askDirectly(uid, member, [search])));
  return mergeCounts(answers.flat());
}

/** Adds up the counts of one search on different members; those that are listed are exact. */
export function mergeCounts(answers: readonly MeilisearchAnswer[]): MeilisearchAnswer {
  const facets: Record<string, Counts> = {};
  const unlisted: Record<string, number> = {};
  for (const name of new Set(answers.flatMap((answer) => Object.keys(answer.facets)))) {
    const { counts, most } = mergeFacet(
      answers.map((answer) => [answer.facets[name] ?? {}, answer.unlisted[name] ?? 0]),
    );
    facets[name] = counts;
    unlisted[name] = most;
  }
  return { rowIds: [], total: answers.reduce((sum, { total }) => sum + total, 0), facets, unlisted };
}

/** Lists a value if each member either lists it or lists all its values; any other value has at most `most` records. */
function mergeFacet(lists: readonly (readonly [Counts, number])[]): { counts: Counts; most: number } {
  const sums = new Map<string, { sum: number; doubt: number }>();
  for (const value of new Set(lists.flatMap(([counts]) => Object.keys(counts)))) {
    const parts = lists.map(([counts, unlisted]) =>
      Object.hasOwn(counts, value) ? { sum: counts[value] ?? 0, doubt: 0 } : { sum: 0, doubt: unlisted },
    );
    sums.set(value, {
      sum: parts.reduce((total, { sum }) => total + sum, 0),
      doubt: parts.reduce((total, { doubt }) => total + doubt, 0),
    });
  }
  const all = [...sums];
  const exact = all.filter(([, { doubt }]) => doubt === 0).map(([value, { sum }]) => [value, sum] as const);
  const mostOfDoubtful = all.reduce(
    (most, [, { sum, doubt }]) => (doubt === 0 ? most : Math.max(most, sum + doubt)),
    0,
  );
  const mostOfUnknown = lists.reduce((sum, [, unlisted]) => sum + unlisted, 0);
  return { counts: Object.fromEntries(exact), most: Math.max(mostOfDoubtful, mostOfUnknown) };
}

function toAnswer({
  hits,
  totalHits,
  estimatedTotalHits,
  facetDistribution = {},
}: SearchResponse<Document>): MeilisearchAnswer {
  const unlisted = Object.entries(facetDistribution).map(([name, counts]) => [name, unlistedOf(counts)] as const);
  return {
    rowIds: hits.map(({ id }) => id),
    total: totalHits ?? estimatedTotalHits ?? 0,
    facets: facetDistribution,
    unlisted: Object.fromEntries(unlisted),
  };
}

/**
 * If there are more values than Meilisearch lists, each of the others has at most as many records as the rarest
 * listed one.
 */
function unlistedOf(counts: Counts): number {
  const all = Object.values(counts);
  return all.length < maxFacetValues ? 0 : Math.min(...all);
}

/** Tells the members about each other, so that each can query all of them. Can be repeated safely. */
export async function joinMembers({ members }: MeilisearchClient): Promise<void> {
  if (members.length === 1) return;
  const remotes = Object.fromEntries(
    members.map(({ remote, url, key = null }) => [remote, { url, searchApiKey: key }] as const),
  );
  await Promise.all(
    members.map(async ({ writer }) => {
      await writer.updateExperimentalFeatures({ network: true });
      await writer.updateNetwork({ remotes });
    }),
  );
}
