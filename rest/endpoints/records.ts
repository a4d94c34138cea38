import { created, finished, pageOf, pending, recordAnswer } from './answers.ts';
import type { EndpointAnswer } from './answers.ts';
import { changeNameOf } from '../../src/catalog/fields.ts';
import { facetModeNames } from './contract.ts';
import type { Input, Parameter, ServedEndpoint } from './endpoint.ts';
import { isObject } from '../../src/lib/is-object.ts';
import type { Formulas } from '../../src/lib/http-api.ts';
import type { Reply } from '../../src/lib/http-contract.ts';
import { datetime, listOf, oneOf, string } from './types.ts';
import type { ReadObject } from '../compat/values.ts';
import type { Choices } from './contract.ts';
import { fields, flag, limit, page, pathId, search, searchLang, sortBy, sortOrder, withOthers } from './parameters.ts';
import { found, toInt32, withVersion, writeReply } from './replies.ts';
import { batchWrites, singleWrites } from './writes.ts';
import type { RecordWriteKind, WriteRequest, WrittenResource } from './writes.ts';

/** Everything that the endpoints of a kind of record need. */
type RecordEndpoints = WrittenResource &
  Readonly<{
    /** Its type in the schema. */
    type: 'Image' | 'Video';
    readScope: string;
    readFields: readonly string[];
    /** Fields beyond the contract that can be requested. */
    additiveFields: readonly string[];
    defaultFields: readonly string[];
    sorts: Choices;
    sortDescription: string;
    facets: Choices;
  }>;

/** The endpoints of a kind of record, which are the same for images and videos. */
export function recordEndpoints(kind: RecordEndpoints): readonly ServedEndpoint[] {
  const write = writeEndpoint(kind);
  return [one(kind), ...singleWrites(kind).map(write), list(kind), ...batchWrites(kind).map(write)];
}

/** A record in the form that the schema takes, with the names of unknown fields next to its fields. */
function toRecord({ values, unknownFields }: ReadObject): Readonly<Record<string, unknown>> {
  return unknownFields.length === 0 ? values : { ...values, unknownFields };
}

const hasUnknown = ({ unknownFields }: ReadObject): boolean => unknownFields.length > 0;

/** A patch in the form that the schema takes, where changes to a list have a name of their own. */
function toPatch(object: ReadObject): Readonly<Record<string, unknown>> {
  const record = toRecord(object);
  if (!Object.values(record).some(isObject)) return record;
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [isObject(value) ? changeNameOf(name) : name, value]),
  );
}

export function writeOptions({ values, preferWait }: Input): Record<string, unknown> {
  const { wait, urgent, strict, dry_run: dryRun, 'Idempotency-Key': idempotencyKey } = values;
  const { on_duplicate: onDuplicate, respect_locks: respectLocks } = values;
  const { 'If-Match': ifMatch = null, 'If-None-Match': ifNoneMatch = null } = values;
  return {
    ...(onDuplicate !== undefined && { onDuplicate }),
    ...(respectLocks !== undefined && { respectLocks }),
    wait,
    urgent,
    strict,
    dryRun,
    idempotencyKey,
    ...(ifMatch !== null && { ifMatch }),
    ...(ifNoneMatch !== null && { ifNoneMatch }),
    waitSeconds: preferWait,
  };
}

const writeAnswers: Readonly<Record<RecordWriteKind, readonly EndpointAnswer[]>> = {
  create: [finished, created, pending],
  replace: [finished, created, pending],
  update: [finished, pending],
  delete: [finished, pending],
};

/** Returns some of a document's variables. */
type Variables = () => Readonly<Record<string, unknown>>;

/** How the schema answers each kind of write. */
function writeEndpoint({ idParameter, one, many }: RecordEndpoints): (request: WriteRequest) => ServedEndpoint {
  const toRecords = ({ body, values }: Input, read = toRecord): Readonly<Record<string, unknown>>[] => {
    const id = values[idParameter];
    return id === undefined ? (body as ReadObject[]).map(read) : [{ ...read(body as ReadObject), id }];
  };
  const toIds = ({ body, values }: Input): Readonly<Record<string, unknown>> => {
    const id = values[idParameter];
    if (id !== undefined) return { ids: [id] };
    const elements = body as ReadObject[];
    return {
      ids: elements.map((element) => element.values['id']),
      ...(elements.some(hasUnknown) && { unknownFields: elements.map((element) => element.unknownFields) }),
    };
  };
  /** The target of a write: the listed elements, or whatever a formula finds. */
  const target = ({ values: { q = null, q_lang: qLang } }: Input, elements: Variables, set?: Variables) =>
    q === null ? elements() : { q, qLang, ...set?.() };
  const variables: Readonly<Record<RecordWriteKind, (input: Input) => Record<string, unknown>>> = {
    create: (input) => ({ [many]: toRecords(input), lang: input.values['lang'] }),
    replace: (input) => ({ [many]: toRecords(input), lang: input.values['lang'], upsert: input.values['upsert'] }),
    // The record keeps its language unless the request names one.
    update: (input) => ({
      ...target(
        input,
        () => ({ [many]: toRecords(input, toPatch) }),
        () => ({ set: toPatch(input.body as ReadObject) }),
      ),
      lang: input.given.has('lang') ? input.values['lang'] : null,
    }),
    delete: (input) => target(input, () => toIds(input)),
  };
  return ({ kind, ...request }) => ({
    ...request,
    document: `${kind}-${one}s`,
    answers: writeAnswers[kind],
    variables: (input) => ({ ...variables[kind](input), ...writeOptions(input) }),
    reply: writeReply,
  });
}

function one({
  type,
  path,
  idParameter,
  one: name,
  readScope,
  readFields,
  additiveFields,
  defaultFields,
  exampleId,
}: RecordEndpoints): ServedEndpoint {
  return {
    method: 'GET',
    path: `${path}/{${idParameter}}`,
    summary: `One ${name}`,
    scope: readScope,
    document: `get-${name}`,
    answers: [recordAnswer(name)],
    parameters: [
      pathId(idParameter, `Identifier of the ${name}.`, 'id', exampleId),
      fields(`${type}Field`, readFields, defaultFields, additiveFields),
      {
        name: 'at',
        in: 'query',
        type: datetime,
        default: null,
        description: `A moment: the ${name} as it was then, as far back as the history is kept.`,
      },
    ],
    defaultFields,
    recordType: type,
    variables: ({ values }) => ({ id: values[idParameter], at: values['at'] }),
    reply: (data) => withVersion(found(data, name, `${type} not found`)),
  };
}

function listParameters(kind: RecordEndpoints): readonly Parameter[] {
  return [
    search(`Formula; empty for every ${kind.one}.`),
    page,
    limit(10_000),
    sortBy(`${kind.type}Sort`, kind.sorts, kind.sortDescription),
    sortOrder,
    fields(`${kind.type}Field`, kind.readFields, kind.defaultFields, kind.additiveFields),
    {
      name: 'facets',
      in: 'query',
      type: listOf(oneOf(`${kind.type}Facet`, kind.facets.contract, kind.facets.also)),
      default: [],
      description: withOthers('Fields whose values are counted; repeatable.', kind.facets.also),
    },
    flag('count', 'Include the total hit count.'),
    {
      name: 'facets_mode',
      in: 'query',
      type: oneOf('FacetMode', facetModeNames),
      default: 'conjunctive',
      description: '`disjunctive` counts the values of a field without the conditions on that field.',
    },
    searchLang,
    {
      name: 'cursor',
      in: 'query',
      type: string,
      default: null,
      description: 'Cursor of the next page, for pages of any depth; empty to start paging by cursor.',
    },
  ];
}

function listVariables({ values }: Input, formulas: Formulas): Record<string, unknown> {
  const facets = values['facets'] as readonly string[];
  return {
    q: values['q'],
    lang: values['lang'],
    page: toInt32(values['page']),
    limit: values['limit'],
    sortBy: values['sort_by'] || null,
    sortOrder: values['sort_order'],
    cursor: values['cursor'] || null,
    count: values['count'],
    facets,
    facetsMode: values['facets_mode'],
    withFacets: facets.length > 0,
    withCursor: values['cursor'] !== null,
    withMatch: formulas.mayAskSimilarity(String(values['q'])),
  };
}

type Facet = Readonly<{ name: string; values: unknown }>;
type Found = { similarity?: unknown; match?: unknown };

/**
 * Omits similarity and match where they were not requested. They are set to undefined, which JSON leaves out: copying
 * each result without them would cost as much as the record.
 */
function leaveOutMatch(results: readonly Found[]): void {
  for (const result of results) {
    if (result.similarity === null) result.similarity = undefined;
    if (result.match === null) result.match = undefined;
  }
}

function list(kind: RecordEndpoints): ServedEndpoint {
  const { type, path, many, readScope, defaultFields } = kind;
  return {
    method: 'GET',
    path,
    summary: `Search ${many}`,
    scope: readScope,
    document: `list-${many}`,
    answers: [pageOf(many, `Found${type}`, `${type}Page`)],
    parameters: listParameters(kind),
    defaultFields,
    recordType: type,
    variables: listVariables,
    reply: (data, { values }): Reply => {
      const { results, count = null, facets = [], cursor } = data[many] as Record<string, unknown>;
      leaveOutMatch(results as Found[]);
      const byName = Object.fromEntries((facets as Facet[]).map((facet) => [facet.name, facet.values]));
      return { status: 200, body: { results, count, facets: byName, ...(values['cursor'] !== null && { cursor }) } };
    },
  };
}
