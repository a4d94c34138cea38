import type { Resource } from '../../../catalog/index.ts';
import { resolveFormula } from '../../../search/index.ts';
import type { Caller } from '../../../similarity/index.ts';
import type { SearchQuery } from '../../../search/index.ts';
import { hasScope } from '../../../tenants/index.ts';
import { tenantOf, viewerOf } from '../context.ts';
import type { Context } from '../context.ts';

/** A formula as a caller gives it: none asks for everything, in every language. */
export type FormulaAsked = Readonly<{ q?: string | null | undefined; lang?: 'ml' | 'en' | 'es' | null | undefined }>;

/** What the caller's tenant decides about formulas. */
export function formulaOptions(context: Context): Readonly<{ mayVerify: boolean; timeZone: string | null }> {
  const { searchVerify: mayVerify, timeZone } = viewerOf(context);
  return { mayVerify, timeZone };
}

/**
 * The caller's formula, ready to be answered.
 *
 * @throws AppError `invalid_formula` with the place of its first mistake, `forbidden` where it asks for more than it may.
 */
export function searchQueryOf(context: Context, resource: Resource, { q, lang }: FormulaAsked): Promise<SearchQuery> {
  const options = { resource, lang: lang ?? 'ml', ...formulaOptions(context) };
  return resolveFormula(tenantOf(context), q ?? '', options, context.services, callerOf(context));
}

/** The caller as similarity terms need it. */
export function callerOf(context: Context): Caller {
  const { request } = context;
  return {
    // Asked for where something is looked up: it costs a listener.
    get signal() {
      return request.signal;
    },
    readsImages: hasScope(viewerOf(context), 'imgs:read'),
    readsQueryImages: hasScope(viewerOf(context), 'imgs:query'),
  };
}
