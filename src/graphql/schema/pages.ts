import type { ObjectRef } from '@pothos/core';
import { AppError } from '../../lib/errors.ts';
import type { Page, PageAsked } from '../../tenants/index.ts';
import { builder } from './builder.ts';

/** Returns the arguments of a list with numbered pages, and the check of their values. */
export function pagesOf(what: string, { usual = 50, most = 1000 }: Readonly<{ usual?: number; most?: number }> = {}) {
  const args = builder.args((t) => ({
    page: t.int({ defaultValue: 1, required: true, description: 'Number of the page, from 1.' }),
    limit: t.int({ defaultValue: usual, required: true, description: `${what} per page, 1 to ${inWords(most)}.` }),
  }));
  /** @throws AppError `invalid_argument` for a page before the first, or a size out of bounds. */
  const check = ({ page, limit }: PageAsked): void => {
    if (page < 1) throw new AppError('invalid_argument', 'page must be at least 1', { argument: 'page' });
    checkLimit(limit, most);
  };
  return { args, check };
}

type SchemaTypes = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;
type Named = Readonly<{ name: string; description: string; results: string }>;

/** The part of a query by Prisma that reads a page, newest first. */
export function newestFirst({ page, limit }: PageAsked) {
  return { orderBy: { id: 'desc' }, skip: (page - 1) * limit, take: limit } as const;
}

/** Returns the type of the pages of a list. */
export function pageType<Element>(type: ObjectRef<SchemaTypes, Element>, { name, description, results }: Named) {
  return builder.objectRef<Page<Element>>(name).implement({
    description,
    fields: (t) => ({
      results: t.field({ type: [type], description: results, resolve: (page) => [...page.results] }),
      count: t.int({ description: 'Total number.', resolve: ({ count }) => count() }),
    }),
  });
}

/** @throws AppError `invalid_argument` for a size outside 1 to `most`. */
export function checkLimit(limit: number, most: number, argument = 'limit'): void {
  if (limit >= 1 && limit <= most) return;
  throw new AppError('invalid_argument', `${argument} must be between 1 and ${most}`, { argument });
}

/** Formats a number; with five or more digits, puts a space before the last three. */
function inWords(number: number): string {
  return String(number).replace(/(\d{2,})(\d{3})$/, '$1 $2');
}
