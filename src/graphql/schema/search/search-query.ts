import type { Resource } from '../../../catalog/index.ts';
import { resolveFormula } from '../../../search/index.ts';
import type { Caller } from '../../../similarity/index.ts';
import type { SearchQuery } from '../../../search/index.ts';
import { hasScope } from '../../../tenants/index.ts';
import { tenantOf, viewerOf } from '../context.ts';
import type { Context } from '../context.ts';

/** A formula as given by a caller; without one, it matches everything. The default language is all of them. */
export type FormulaAsked = Readonly<{ q?: string | null | undefined; lang?: 'ml' | 'en' | 'es' | null | undefined }>;

/** Returns the formula settings of the caller's tenant. */
export function formulaOptions(context: Context): Readonly<{ mayVerify: boolean; timeZone: string | null }> {
  const { searchVerify: mayVerify, timeZone } = viewerOf(context);
  return { mayVerify, timeZone };
}

/**
 * Returns the search query of the caller's formula.
 *
 * @throws AppError `invalid_formula` with the position of its first mistake, `forbidden` if it requires more rights than the
 * caller has.
 */
export function searchQueryOf(context: Context, resource: Resource, { q, lang }: FormulaAsked): Promise<SearchQuery> {
  const options = { resource, lang: lang ?? 'ml', ...formulaOptions(context) };
  return resolveFormula(tenantOf(context), q ?? '', options, context.services, callerOf(context));
}

/** Returns the caller in the form that similarity terms need. */
export function callerOf(context: Context): Caller {
  const { request } = context;
  return {
    // Created only when something is looked up, because it costs a listener.
    get signal() {
      return request.signal;
    },
    readsImages: hasScope(viewerOf(context), 'imgs:read'),
    readsQueryImages: hasScope(viewerOf(context), 'imgs:query'),
  };
}
