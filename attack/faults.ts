import type { Reply } from './replies.ts';

/** Statuses from 500 on that are documented: not served yet, and away for a while, which says when to come again. */
const documented: Readonly<Record<number, 'plain' | 'with Retry-After'>> = {
  501: 'plain',
  503: 'with Retry-After',
  504: 'with Retry-After',
};

/** What no reply may be, whatever was asked; null when all is well. */
export function faultOf(replies: readonly Reply[]): string | null {
  for (const { status, headers, start } of replies) {
    const rule = documented[status];
    if (status >= 500 && rule === undefined) return `status ${status}: ${start.slice(0, 200)}`;
    if (rule === 'with Retry-After' && !/\r\nretry-after: /i.test(headers)) return `${status} without Retry-After`;
    if (start.includes('"code":"internal"')) return `an internal error: ${start.slice(0, 200)}`;
  }
  return null;
}
