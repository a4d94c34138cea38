import { pino, destination } from 'pino';
import type { Logger } from 'pino';

export type { Logger };

type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Structured log, one JSON object per line, on standard error: standard output is for people. */
export function createLogger(level: LogLevel): Logger {
  return pino({ level, base: null }, destination({ fd: 2, sync: false }));
}
