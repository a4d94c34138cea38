import type { Random } from '../chaos/random.ts';

/** How the bytes of a request are paced. */
export const speeds = [
  'at once',
  'in small pieces',
  'byte by byte',
  'stalled at the start',
  'stalled in the middle',
] as const;
export type Speed = (typeof speeds)[number];

/** What is done with the reply. */
export const readers = ['all', 'slow', 'none'] as const;
export type Reader = (typeof readers)[number];

/** How the connection ends. */
export const endings = [
  'read',
  'end early',
  'half closed',
  'reset at once',
  'reset soon',
  'reset at the reply',
  'kept',
] as const;
export type Ending = (typeof endings)[number];

/** One connection and what is done with it: data only, so that each part can be exchanged for another. */
export type Exchange = Readonly<{
  /** What is sent, in order; texts are Latin-1, a number is a pause in milliseconds. Made piece by piece where it is large. */
  parts: Iterable<Buffer | string | number>;
  /** Replies to wait for. */
  replies?: number;
  /** Ends the head of its reply: HEAD has no body. */
  isHead?: boolean;
  speed?: Speed;
  reader?: Reader;
  ending?: Ending;
  /** How long a connection that is stalled, not read or kept stays open, in milliseconds. */
  holdMs?: number;
  /** When an exchange that gets no answer is given up, in milliseconds. */
  maxMs?: number;
}>;

/** What became of an exchange. */
export type Outcome = Readonly<{
  statuses: readonly number[];
  /** The beginnings of their bodies. */
  bodies: readonly string[];
  /** Whether every reply that came has come to its end. */
  isWhole: boolean;
  sent: number;
  received: number;
  ms: number;
  /** True when an answer was waited for and did not come in time; a slow reader is given more while it reads. */
  isOverdue: boolean;
  /** True when there was nobody to connect to. */
  isRefused: boolean;
  /** What an answer must never be; null when there is nothing. */
  fault: string | null;
}>;

/** Whom and what shapes may name. */
export type Target = Readonly<{
  host: string;
  port: number;
  keys: Readonly<Record<KeyName, string>>;
  /** The value of `ADMIN_API_KEY`, which belongs to the first tenant; null where there is none. */
  environmentKey: string | null;
  /** A finished operation of the attacker. */
  operation: string;
  /** Files with pictures: name to path. */
  pictures: Readonly<Record<PictureName, string>>;
}>;

export type KeyName = 'viewer' | 'tagger' | 'editor' | 'admin' | 'videos';
export type PictureName = 'small' | 'huge';

/** What a shape acts with. `play` never throws. */
export type Stage = Readonly<{
  target: Target;
  random: Random;
  play(exchange: Exchange): Promise<Outcome>;
}>;

/** Where an exchange waits its turn: most answer at once, some hold a connection, some cost much by themselves. */
export type Lane = 'quick' | 'slow' | 'heavy';

/** A kind of hostile exchange. */
export type Shape = Readonly<{
  name: string;
  lane: Lane;
  /** How often it is chosen, against the others. */
  weight: number;
  /** Statuses that its answers may have, where only these are promised. */
  promised?: readonly number[];
  /** Takes too long to be a part of the short form. */
  isLong?: true;
  act(stage: Stage): Promise<void>;
}>;
