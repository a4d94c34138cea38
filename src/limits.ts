// Everything that a request is limited in. Each value is defined where it acts; docs/limits.md is generated from here.
import { connectionLimits, databaseTimeouts } from './backing/index.ts';
import {
  documentLimits,
  executionMs,
  largeReplies,
  largeReplyCost,
  maxErrors,
  maxReplyCharacters,
} from './graphql/index.ts';
import { jsonFactor } from './http/body-budget.ts';
import { limitTable } from './http/limits.ts';
import { activeMs } from './observability/metrics/index.ts';
import { excerptLength } from './lib/excerpt.ts';
import { liveLimits } from './live/limits.ts';
import { maxElements, maxComparedClosely, waitSeconds } from './operations/index.ts';
import { formulaLimits } from './search/index.ts';
import { decodeSeconds, decodingMemoryBytes, largestMemoryBytes, maxPixels } from './analysis/index.ts';

export type LimitRow = Readonly<{
  what: string;
  value: number;
  unit: 'bytes' | 'ms' | 'number';
  /** What happens beyond it: a status, an error code, or words. */
  beyond: string;
}>;

export type LimitSection = Readonly<{ title: string; text: string; rows: readonly LimitRow[] }>;

const row = (what: string, value: number, unit: LimitRow['unit'], beyond: string | number): LimitRow => ({
  what,
  value,
  unit,
  beyond: String(beyond),
});

const connections: LimitSection = {
  title: 'Requests, connections and their bytes',
  text: `Checked before a body is read. JSON is counted ${jsonFactor} times: its text, its values, and what is made of them.`,
  rows: Object.values(limitTable).map(({ meaning, value, unit, status }) =>
    row(meaning, value, unit === 'bytes' || unit === 'ms' ? unit : 'number', status ?? 'closed'),
  ),
};

const database: LimitSection = {
  title: 'PostgreSQL',
  text: `Tenants take turns. Each one alone has every connection that statements of tenants may use. Others are served too while
one of them has asked for something within ${activeMs / 1000} seconds.`,
  rows: [
    row('Rows of one statement', maxReplyCharacters, 'bytes', '400 `reply_too_large`'),
    row(
      'Searches of one tenant at the same time while others are served too, of 20 connections',
      20 * connectionLimits.searchesBesideOthers,
      'number',
      'they wait for each other',
    ),
    row("A tenant's turn", connectionLimits.waitMs, 'ms', 503),
    row('Statements of one tenant that wait', connectionLimits.queuePerTenant, 'number', '429 or 503'),
    row('A new connection', databaseTimeouts.connectMs, 'ms', 503),
    row('One statement', databaseTimeouts.statementMs, 'ms', 503),
    row('A server that does not answer', databaseTimeouts.answerMs, 'ms', 503),
  ],
};

const documents: LimitSection = {
  title: 'GraphQL documents and replies',
  text: `Fragments count wherever they are spread. REST runs documents of its own, whose replies have the same limits. A large reply
has more than ${largeReplyCost} values.`,
  rows: [
    ...Object.values(documentLimits).map(({ max, of }) =>
      row(capitalized(of), max, 'number', '`document_too_complex`'),
    ),
    row('Execution of a query', executionMs.query, 'ms', 504),
    row('Execution of a mutation, waiting included', executionMs.mutation, 'ms', 504),
    row(
      'Large replies of one tenant that are made or wait for their reader',
      largeReplies.perOwner,
      'number',
      '429, after a wait',
    ),
    row('Those of all tenants', largeReplies.capacity, 'number', '503, after a wait'),
    row(
      `Those of one tenant that are made and sent, for ${largeReplies.sendingMs} ms, while others are served too`,
      largeReplies.besideOthers,
      'number',
      'they wait for each other',
    ),
    row('Waiting for one of them to end', largeReplies.waitMs, 'ms', '429 or 503'),
    row('A reply, as JSON', maxReplyCharacters, 'bytes', '`reply_too_large`'),
  ],
};

const errors: LimitSection = {
  title: 'Errors',
  text: 'What an error does not show, it counts.',
  rows: [
    row(
      'Errors that a reply lists',
      maxErrors,
      'number',
      'counted in `omitted`; `extensions.errorsNotListed` in GraphQL',
    ),
    row('Characters of an input that an error repeats', excerptLength, 'number', 'cut'),
  ],
};

const formulas: LimitSection = {
  title: 'Formulas',
  text: 'The budget of a formula includes what its saved formulas ask, wherever they are named.',
  rows: [
    row('Characters', formulaLimits.codePoints, 'number', '`too_complex`'),
    row('Groups, or saved formulas, inside each other', formulaLimits.depth, 'number', '`too_deep`'),
    row('Terms', formulaLimits.terms, 'number', '`too_complex`'),
    row('Values in a set', formulaLimits.valuesPerSet, 'number', '`too_complex`'),
    row('References to pictures', formulaLimits.references, 'number', '`too_complex`'),
    row('`i====` terms', formulaLimits.verifications, 'number', '`too_complex`'),
    row('Tests of a record', formulaLimits.tests, 'number', '`too_complex`'),
    row('Different saved formulas', formulaLimits.savedFormulas, 'number', '`too_complex`'),
  ],
};

const writes: LimitSection = {
  title: 'Operations and pictures',
  text: 'A picture whose header says that it needs more is refused before it is decoded.',
  rows: [
    row('Elements of one operation', maxElements, 'number', 422),
    row('A blocking write waits', waitSeconds.max * 1000, 'ms', '202, the operation goes on'),
    row('Images among which `POST /duplicates` compares by `i=`', maxComparedClosely, 'number', '422'),
    row('Pixels of a picture', maxPixels, 'number', '`too_large`'),
    row('Memory that decoding one picture takes', largestMemoryBytes, 'bytes', '`too_large`'),
    row('Memory that decoding large pictures takes in all', decodingMemoryBytes, 'bytes', 'tenants take turns'),
    row('Processor time of decoding one picture', decodeSeconds * 1000, 'ms', '`decode_failed`, its process is ended'),
  ],
};

const live: LimitSection = {
  title: 'Subscriptions',
  text: 'Of one process.',
  rows: [
    row('WebSockets of one API key', liveLimits.socketsPerKey, 'number', 'closed with 4429'),
    row('Event streams of one API key', liveLimits.streamsPerKey, 'number', 429),
    row('Operations of one WebSocket', liveLimits.operationsPerSocket, 'number', '`too_many_operations`'),
    row('One message to a WebSocket', liveLimits.messageBytes, 'bytes', 'closed with 1009'),
    row('Characters of one result', liveLimits.resultCharacters, 'number', '`reply_too_large`'),
    row('Bytes that wait for the reader of a WebSocket', liveLimits.bufferedBytes, 'bytes', 'ended'),
    row('A WebSocket without `connection_init`', liveLimits.initMs, 'ms', 'closed with 4408'),
    row('An event stream whose reader takes nothing', liveLimits.stalledMs, 'ms', 'ended'),
  ],
};

/** The sections of docs/limits.md. */
export const limitSections: readonly LimitSection[] = [
  connections,
  database,
  documents,
  errors,
  formulas,
  writes,
  live,
];

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
