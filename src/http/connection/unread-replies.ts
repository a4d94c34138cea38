import type { Socket } from 'node:net';
import { AppError } from '../../lib/errors.ts';
import { bytesWaiting } from './connections.ts';
import type { Limits } from '../limits.ts';

/** How old a count of waiting bytes may be. */
const countMs = 100;

const hint = 'Read the replies, or send fewer requests at a time';

/**
 * Bytes of replies that clients have not read yet, by tenant. While there are too many, no further request is handled: a
 * tenant that reads nothing cannot fill the memory, on any number of connections.
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
   * @throws AppError `rate_limited` if too much is unread by the tenant, `unavailable` if by all tenants.
   */
  admit(socket: Socket, tenantId: number): void {
    if (!this.#tenants.has(socket)) socket.once('close', () => this.#tenants.delete(socket));
    this.#tenants.set(socket, tenantId);
    if (performance.now() - this.#countedAt > countMs) this.#count();
    const own = this.#waiting.get(tenantId) ?? 0;
    if (own > this.#limits.tenantUnreadBytes) {
      throw new AppError('rate_limited', 'This tenant has too many unread reply bytes', { hint });
    }
    // A tenant that reads its replies is admitted: replies of others are dropped if they stay unread.
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
