import { onDuplicateRules as duplicateRules, searchLanguages, sortOrders, writeLanguages } from './contract.ts';
import type { Choices } from './contract.ts';
import type { ExampleId, Parameter } from './endpoint.ts';
import { boolean, integer, listOf, oneOf, string } from './types.ts';

export const flag = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  type: boolean,
  default: false,
  description,
});

export const writeFlags: readonly Parameter[] = [
  flag('wait', 'Wait for completion, at most 30 seconds or the time in `Prefer: wait=N`.'),
  flag('urgent', 'Enqueue at the head of the queue.'),
  flag('strict', 'All or nothing: if one element fails, nothing is written.'),
  flag('dry_run', 'Write nothing: the operation reports what the write would do.'),
];

/** Identifies a write that the caller may have to send again. */
export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  as: 'idempotencyKey',
  in: 'header',
  type: string,
  default: null,
  description:
    'A key for this write: if it is sent again within 24 hours, the stored reply is returned and nothing is written again.',
  pattern: '^[ -~]{0,255}$',
};

/** Writes only if the record is still at the version that the caller read. */
export const ifMatch: Parameter = {
  name: 'If-Match',
  as: 'ifMatch',
  in: 'header',
  type: string,
  default: null,
  mayBeEmpty: true, // A client that lost the tag must not overwrite what others wrote.
  description: 'For one record: its `ETag` as it was read, or `*` for any; 412 if it has changed or does not exist.',
};

/** Writes only what does not exist yet, even if several callers try at the same time. */
export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  as: 'ifNoneMatch',
  in: 'header',
  type: string,
  default: null,
  description: 'For one record: `*` writes it only if there is none with its id; 412 if it exists.',
  pattern: '^\\*?$',
};

export const upsert = flag('upsert', 'Create missing records.');

export const respectLocks = flag(
  'respect_locks',
  'Keep the values of fields that `locked_fields` of the record names, and the locks themselves.',
);

export const writeLang: Parameter = {
  name: 'lang',
  in: 'query',
  type: oneOf('LangWrite', writeLanguages),
  default: 'es',
  description: "Language of the record's texts.",
};

export const onDuplicate: Parameter = {
  name: 'on_duplicate',
  in: 'query',
  type: oneOf('OnDuplicate', duplicateRules),
  default: null,
  description:
    'What happens to a picture that already exists (`i==`): keep, flag (`duplicate_of`) or reject it; default: the rule of the tenant.',
};

export const pathId = (name: string, description: string, as: string, example: ExampleId): Parameter => ({
  name,
  as,
  in: 'path',
  type: string,
  description,
  example,
});

export const search = (description: string): Parameter => ({
  name: 'q',
  in: 'query',
  type: string,
  default: '',
  description,
  examples: {
    everything: '',
    words: 'sunset beach -people',
    fields: 'country:Italy date:1900..1930',
    flags: 'is:landscape has:caption',
  },
});

/** Selects the records of a write by a formula instead of a list of records. */
export const formulaOf = (many: string): readonly Parameter[] => [
  {
    name: 'q',
    in: 'query',
    type: string,
    default: null,
    description:
      `Formula: writes the ${many} that it finds when the request arrives, at most 10 000; \`*\` is all. ` +
      'The body is then an object, not a list.',
  },
  {
    ...searchLang,
    name: 'q_lang',
    description: 'Language of the words in `q`; `ml` for all.',
  },
];

export const searchLang: Parameter = {
  name: 'lang',
  in: 'query',
  type: oneOf('LangSearch', searchLanguages),
  default: 'ml',
  description: 'Language of the words in the formula; `ml` for all.',
};

export const page: Parameter = {
  name: 'page',
  in: 'query',
  type: integer({ ge: 1 }),
  default: 1,
  description: 'Page, from 1.',
};

export const limit = (le: number): Parameter => ({
  name: 'limit',
  in: 'query',
  type: integer({ ge: 1, le }),
  default: 50,
  description: 'Results per page.',
});

/** Mentions the values that a parameter accepts beyond the contract. */
export const withOthers = (description: string, also: readonly string[]): string =>
  [description, ...also.map((name) => `Also \`${name}\`.`)].join(' ');

export const sortBy = (name: string, { contract, also }: Choices, description: string): Parameter => ({
  name: 'sort_by',
  in: 'query',
  type: oneOf(name, contract, also),
  default: '',
  description: withOthers(description, also),
});

export const sortOrder: Parameter = {
  name: 'sort_order',
  in: 'query',
  type: oneOf('SortOrder', sortOrders),
  default: 'desc',
  description: 'Direction of sorting.',
};

export const fields = (
  name: string,
  values: readonly string[],
  standard: readonly string[],
  also: readonly string[] = [],
): Parameter => ({
  name: 'fields',
  in: 'query',
  type: listOf(oneOf(name, values, also)),
  default: standard,
  description: withOthers('Fields to return; repeatable.', also),
});

/**
 * Where to continue a stream of events: a reconnecting browser sends the header; other clients may use the query.
 *
 * @param byDefault the number if neither is sent; null for events from now on.
 */
export function lastEvent(byDefault: number | null): readonly Parameter[] {
  return [
    {
      name: 'Last-Event-ID',
      as: 'after',
      in: 'header',
      type: integer({ ge: 0 }),
      default: null,
      description: `Only events after this number${byDefault === null ? '; by default those from now on' : ''}.`,
    },
    {
      name: 'last_event_id',
      as: 'after',
      in: 'query',
      type: integer({ ge: 0 }),
      default: byDefault,
      description: 'As `Last-Event-ID`, for clients that cannot set the header.',
    },
  ];
}
