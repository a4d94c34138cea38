import type { Socket } from 'node:net';
import { AppError } from '../../lib/errors.ts';
import { bytesWaiting } from './connections.ts';
import type { Limits } from '../limits.ts';

/** Maximum age of a count of waiting bytes, in milliseconds. */
const countMs = 100;

const hint = 'Read the replies, or send fewer requests at a time';

/**
 * Counts reply bytes that clients have not read yet, by tenant. While there are too many, no further request is handled, so
 * that a tenant that reads nothing cannot fill the memory, however many connections it opens.
 */
export class UnreadReplies {
  readonly #limits: Pick<Limits, 'unreadBytes' | 'tenantUnreadBytes'>;
  readonly #tenants = new Map<Socket, number>();
  #waiting: ReadonlyMap<number, number> = new Map();
  #sum = 0;
  #countedAt = 0;

  constructor(limits: Pick<Limits, 'unreadBytes' | 'tenantUnreadBytes'>) {
    this.#limits = limits;
  }

  /**
   * Admits a request whose tenant is known.
   *
   * @throws AppError `rate_limited` if the tenant has too many unread bytes, `unavailable` if all tenants together do.
   */
  admit(socket: Socket, tenantId: number): void {
    if (!this.#tenants.has(socket)) socket.once('close', () => this.#tenants.delete(socket));
    this.#tenants.set(socket, tenantId);
    if (performance.now() - this.#countedAt > countMs) this.#count();
    const own = this.#waiting.get(tenantId) ?? 0;
    if (own > this.#limits.tenantUnreadBytes) {
      throw new AppError('rate_limited', 'This tenant has too many unread reply bytes', { hint });
    }
    // A tenant without unread replies is admitted; replies to others are dropped if they stay unread.
    if (own > 0 && this.#sum > this.#limits.unreadBytes) {
      throw new AppError('unavailable', 'There are too many unread reply bytes', { hint });
    }
  }

  #count(): void {
    const waiting = new Map<number, number>();
    this.#sum = 0;
    for (const [socket, tenantId] of this.#tenants) {
      const bytes = bytesWaiting(socket);
      if (bytes === 0) continue;
      this.#sum += bytes;
      waiting.set(tenantId, (waiting.get(tenantId) ?? 0) + bytes);
    }
    this.#waiting = waiting;
    this.#countedAt = performance.now();
  }
}
