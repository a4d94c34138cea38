import { maxStreamedCharacters } from '../graphql/index.ts';

/** Limits of open connections; docs/operations.md shows this table. */
export const liveLimits = {
  /** WebSockets of one API key in one process. */
  socketsPerKey: 100,
  /** Event streams over HTTP of one API key in one process. */
  streamsPerKey: 1000,
  /** Maximum bytes of one WebSocket message; larger writes must use HTTP. */
  messageBytes: 2 ** 20,
  /** Messages that a client may send over one WebSocket at once. */
  messagesAtOnce: 1000,
  /** Messages of one WebSocket per second in the long run. */
  messagesPerSecond: 100,
  /** Time for a WebSocket to authenticate. */
  initMs: 10_000,
  /** Subscriptions, queries and mutations in progress on one WebSocket. */
  operationsPerSocket: 100,
  /** Characters of one result over a WebSocket or as an event, which is written at once; longer ones must use HTTP. */
  resultCharacters: maxStreamedCharacters,
  /** Maximum unread bytes of a WebSocket when another message is sent; with more it is closed. */
  bufferedBytes: 2 ** 24,
  /** How long a client of an event stream may read nothing while data waits. */
  stalledMs: 30_000,
  /** How long the client of a stopped event stream may take to read the rest. */
  goodbyeMs: 2_000,
  /** How often a WebSocket is pinged; one that has not answered by the next ping is closed. */
  pingMs: 12_000,
  /** How often a comment is sent to keep a silent event stream open. */
  heartbeatMs: 15_000,
  /** How often the keys of open connections are checked for validity. */
  accessMs: 500,
} as const;

export type LiveLimits = Readonly<Record<keyof typeof liveLimits, number>>;
