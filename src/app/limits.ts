// All limits of requests. Each value is defined where it applies; docs/limits.md is generated from here.
import { connectionLimits, databaseTimeouts, replicaLimits } from '../backing/index.ts';
import {
  documentLimits,
  executionMs,
  largeReplies,
  largeReplyCost,
  maxErrors,
  maxListLength,
  maxReplyCharacters,
} from '../graphql/index.ts';
import { jsonFactor } from '../http/request/body-budget.ts';
import { limitTable } from '../http/limits.ts';
import { activeMs } from '../lib/active-tenants.ts';
import { excerptLength } from '../lib/excerpt.ts';
import { nameLength } from '../lib/given-name.ts';
import { pieceLimits } from '../lib/piece-budget.ts';
import { liveLimits } from '../live/index.ts';
import { proposalLimits, toolLimits } from '../mcp/index.ts';
import { maxElements, maxComparedClosely, maxSetBytes, waitSeconds } from '../operations/index.ts';
import { exportHours, exportLimits, parallelDownloads, parallelExports } from '../exports/index.ts';
import { unstoredBytes, unusedHours, uploadLimits } from '../uploads/index.ts';
import { collectionLimits } from '../catalog/index.ts';
import { notificationLimits } from '../notifications/index.ts';
import { formulaLimits, savedLimits, standingLimits } from '../search/index.ts';
import { attemptLimits, parallelAttempts, retrySeconds, webhookLimits } from '../webhooks/index.ts';
import { decodeMemoryBytes, decodeSeconds, maxPixels } from '../analysis/index.ts';

type LimitRow = Readonly<{
  what: string;
  value: number;
  unit: 'bytes' | 'ms' | 'number';
  /** What happens beyond it: a status, an error code, or a description. */
  beyond: string;
}>;

type LimitSection = Readonly<{ title: string; text: string; rows: readonly LimitRow[] }>;

const row = (what: string, value: number, unit: LimitRow['unit'], beyond: string | number): LimitRow => ({
  what,
  value,
  unit,
  beyond: String(beyond),
});

const connections: LimitSection = {
  title: 'Requests and connections',
  text: `JSON counts ${jsonFactor} times in memory: its text, its values and the objects made from them.`,
  rows: [
    ...Object.values(limitTable).map(({ meaning, value, unit, status }) =>
      row(meaning, value, unit === 'bytes' || unit === 'ms' ? unit : 'number', status ?? 'closed'),
    ),
    row('Pieces of a body, of any size', pieceLimits.free, 'number', '400, or `source_unreachable`'),
    row('Mean size of further pieces', pieceLimits.meanBytes, 'bytes', '400, or `source_unreachable`'),
  ],
};

const database: LimitSection = {
  title: 'PostgreSQL',
  text: `A tenant that is alone may use all connections. Tenants are active for ${activeMs / 1000} seconds after a request.`,
  rows: [
    row('Rows of one statement', maxReplyCharacters, 'bytes', '400 `reply_too_large`'),
    row(
      'Parallel searches of one tenant per 20 connections, while several tenants are active',
      20 * connectionLimits.searchesBesideOthers,
      'number',
      'queued',
    ),
    row('Waiting for a connection', connectionLimits.waitMs, 'ms', 503),
    row('Waiting statements of one tenant', connectionLimits.queuePerTenant, 'number', '429 or 503'),
    row('Opening a connection', databaseTimeouts.connectMs, 'ms', 503),
    row('One statement', databaseTimeouts.statementMs, 'ms', 503),
    row('Timeout of a server that does not answer', databaseTimeouts.answerMs, 'ms', 503),
    row('A read that waits for a replica', replicaLimits.waitMs, 'ms', 'read from the primary'),
  ],
};

const documents: LimitSection = {
  title: 'GraphQL documents and replies',
  text: `Fragments count each time they are spread. REST replies have the same limits. A large reply has more than
${largeReplyCost} values.`,
  rows: [
    ...Object.values(documentLimits).map(({ max, of }) =>
      row(capitalized(of), max, 'number', '`document_too_complex`'),
    ),
    row('Elements of a list among the variables', maxListLength, 'number', '`invalid_argument`'),
    row('Execution of a query', executionMs.query, 'ms', 504),
    row('Execution of a mutation, including its wait', executionMs.mutation, 'ms', 504),
    row('Large replies of one tenant, built or unread', largeReplies.perOwner, 'number', '429, after a wait'),
    row('Large replies of all tenants', largeReplies.capacity, 'number', '503, after a wait'),
    row(
      `Large replies of one tenant in ${largeReplies.sendingMs} ms, while several tenants are active`,
      largeReplies.besideOthers,
      'number',
      'queued',
    ),
    row('Timeout for a large reply', largeReplies.waitMs, 'ms', '429 or 503'),
    row('A reply, as JSON', maxReplyCharacters, 'bytes', '`reply_too_large`'),
  ],
};

const errors: LimitSection = {
  title: 'Errors',
  text: 'Further errors are counted.',
  rows: [
    row(
      'Errors listed in a reply',
      maxErrors,
      'number',
      'counted in `omitted`; `extensions.errorsNotListed` in GraphQL',
    ),
    row('Characters of an input repeated in an error', excerptLength, 'number', 'cut'),
  ],
};

const formulas: LimitSection = {
  title: 'Formulas',
  text: 'A saved formula counts each time it is used.',
  rows: [
    row('Characters', formulaLimits.codePoints, 'number', '`too_complex`'),
    row('Nested groups or saved formulas', formulaLimits.depth, 'number', '`too_deep`'),
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
  text: 'A picture whose header exceeds a limit is refused before it is decoded.',
  rows: [
    row('Elements of one operation', maxElements, 'number', 422),
    row('JSON written to what a formula finds', maxSetBytes, 'bytes', 413),
    row('Wait of a blocking write', waitSeconds.max * 1000, 'ms', '202, the operation continues'),
    row('Images that `POST /duplicates` compares by `i=`', maxComparedClosely, 'number', '422'),
    row('Pixels of a picture', maxPixels, 'number', '`too_large`'),
    row('Memory for decoding one picture, `DECODE_MEMORY`', decodeMemoryBytes, 'bytes', '`too_large`'),
    row('Memory for decoding large pictures, in total', decodeMemoryBytes, 'bytes', 'tenants take turns'),
    row('CPU time for decoding one picture', decodeSeconds * 1000, 'ms', '`decode_failed`, its process is killed'),
  ],
};

const uploads: LimitSection = {
  title: 'Uploads',
  text: `Files that nothing names, and stalled uploads, are removed after ${unusedHours} hours.`,
  rows: [
    row('One file', uploadLimits.bytes, 'bytes', 413),
    row('Files of one tenant that no record has named', uploadLimits.unused, 'number', '507 `quota_exceeded`'),
    row('Their bytes, announced or arrived', uploadLimits.unusedBytes, 'bytes', '507 `quota_exceeded`'),
    row('Characters of a file name', uploadLimits.nameCharacters, 'number', 422),
    row('Pieces of one file', uploadLimits.parts, 'number', 413),
    row('Bytes of a file that a killed process loses', unstoredBytes, 'bytes', 'sent again by the client'),
  ],
};

const exports: LimitSection = {
  title: 'Exports',
  text: `Files of exports are removed ${exportHours} hours after the export has ended.`,
  rows: [
    row('Records of one export', exportLimits.records, 'number', 422),
    row('Files of one tenant together', exportLimits.tenantBytes, 'bytes', '`too_large`, no file is kept'),
    row('Files of all tenants together', exportLimits.bytes, 'bytes', '`too_large`, no file is kept'),
    row('XMP packet of a picture in a ZIP', exportLimits.packetBytes, 'bytes', 'unchanged, with a sidecar'),
    row('Tags and attributes of the packet', exportLimits.packetTags, 'number', 'unchanged, with a sidecar'),
    row('Segments or chunks of the picture', exportLimits.fileParts, 'number', 'unchanged, with a sidecar'),
    row('Exports that one process makes at a time', parallelExports.capacity, 'number', 'others wait'),
    row('Those of one tenant', parallelExports.perOwner, 'number', 'others wait'),
    row('Files that one process sends at a time', parallelDownloads.capacity, 'number', 503),
    row('Those of one tenant', parallelDownloads.perOwner, 'number', 503),
  ],
};

const collections: LimitSection = {
  title: 'Collections and saved formulas',
  text: 'For each tenant.',
  rows: [
    row('Collections', collectionLimits.collections, 'number', '`quota_exceeded`'),
    row('Images, or videos, of one collection', collectionLimits.records, 'number', '`quota_exceeded`'),
    row('Records that one change of a collection names', maxElements, 'number', '`invalid_argument`'),
    row('Saved formulas', savedLimits.formulas, 'number', '`invalid_argument`'),
    row('Formulas that watch', standingLimits.formulas, 'number', '`quota_exceeded`'),
    row('Formulas that watch and compare pictures', standingLimits.similar, 'number', '`quota_exceeded`'),
    row(
      'Images, or videos, that a formula matches when it begins to watch',
      standingLimits.matches,
      'number',
      '`invalid_argument`',
    ),
    row('Notifications', notificationLimits.rowsPerTenant, 'number', 'the oldest are removed'),
    row('Days that notifications are kept', notificationLimits.days, 'number', 'removed'),
    row('Characters of a name', nameLength, 'number', '`invalid_argument`'),
  ],
};

const mcp: LimitSection = {
  title: 'Model Context Protocol',
  text: 'Every message is a request, with the limits of requests.',
  rows: [
    row('Values of a message', toolLimits.values, 'number', 413),
    row('Records of one answer', toolLimits.records, 'number', 'refused'),
    row('Previews of one answer', toolLimits.previews, 'number', 'refused'),
    row('Characters of a picture in base64 for `tag_image`', toolLimits.pictureCharacters, 'number', 'refused'),
    row('Images of one proposal', proposalLimits.records, 'number', 'refused'),
    row('Characters of what a proposal sets, as JSON', proposalLimits.setCharacters, 'number', 'refused'),
    row('Proposals of one API key', proposalLimits.perKey, 'number', 'the oldest is dropped'),
    row('Proposals of one tenant', proposalLimits.perTenant, 'number', 'the oldest is dropped'),
    row('Lifetime of a proposal', proposalLimits.milliseconds, 'ms', 'proposed again'),
  ],
};

const live: LimitSection = {
  title: 'Subscriptions',
  text: 'For each process.',
  rows: [
    row('WebSockets of one API key', liveLimits.socketsPerKey, 'number', 'closed with 4429'),
    row('Event streams of one API key', liveLimits.streamsPerKey, 'number', 429),
    row('Operations of one WebSocket', liveLimits.operationsPerSocket, 'number', '`too_many_operations`'),
    row('One message to a WebSocket', liveLimits.messageBytes, 'bytes', 'closed with 1009'),
    row('Messages to a WebSocket at once', liveLimits.messagesAtOnce, 'number', 'closed with 4429'),
    row('Messages to a WebSocket per second', liveLimits.messagesPerSecond, 'number', 'closed with 4429'),
    row('Characters of one result', liveLimits.resultCharacters, 'number', '`reply_too_large`'),
    row('Unread bytes of a WebSocket', liveLimits.bufferedBytes, 'bytes', 'ended'),
    row('A WebSocket without `connection_init`', liveLimits.initMs, 'ms', 'closed with 4408'),
    row('Timeout of an event stream whose client does not read', liveLimits.stalledMs, 'ms', 'ended'),
  ],
};

const webhooks: LimitSection = {
  title: 'Webhooks',
  text: 'See also [retries](webhooks.md#messages).',
  rows: [
    row('Webhooks of one tenant', webhookLimits.endpoints, 'number', '`quota_exceeded`'),
    row('Formulas that one webhook names', webhookLimits.formulas, 'number', '`invalid_argument`'),
    row('Characters of an address', webhookLimits.urlCharacters, 'number', '`invalid_argument`'),
    row('Messages of one webhook that wait', webhookLimits.pending, 'number', 'the rest waits in the log'),
    row('Messages of one webhook that were given up', webhookLimits.dead, 'number', 'the oldest are removed'),
    row('Attempts for one message', retrySeconds.length + 1, 'number', 'given up'),
    row('One attempt', attemptLimits.totalMs, 'ms', 'tried again'),
    row('Bytes of an answer', attemptLimits.answerBytes, 'bytes', 'not read'),
    row('Attempts of one process at a time', parallelAttempts.capacity, 'number', 'others wait'),
    row('Those of one tenant', parallelAttempts.perTenant, 'number', 'others wait'),
    row('Those of one webhook', parallelAttempts.perEndpoint, 'number', 'others wait'),
    row('Notifications of one digest', webhookLimits.digest, 'number', 'the next digest'),
    row('Messages that one request sends again', webhookLimits.replayed, 'number', '`invalid_argument`'),
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
  uploads,
  collections,
  exports,
  mcp,
  webhooks,
  live,
];

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
