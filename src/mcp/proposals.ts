import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A change that was shown and may be applied. */
export type ProposedWrite = Readonly<{
  document: 'change' | 'delete';
  variables: Readonly<Record<string, unknown>>;
  count: number;
}>;

/** Limits of proposals. */
export const proposalLimits = {
  /** How long one may be applied. */
  milliseconds: 15 * 60_000,
  perKey: 10,
  keys: 500,
  records: 200,
  /** Characters of what is written to each record, as JSON. */
  setCharacters: 16_384,
} as const;

/** Proposals of each key, until they expire; the oldest make room for new ones. */
export class Proposals {
  readonly #byKey = new LRUCache<number, LRUCache<string, ProposedWrite>>({ max: proposalLimits.keys });

  /** Keeps a proposal and answers its id, which nobody can guess. */
  keep(keyId: number, proposal: ProposedWrite): string {
    const own =
      this.#byKey.get(keyId) ?? new LRUCache({ max: proposalLimits.perKey, ttl: proposalLimits.milliseconds });
    this.#byKey.set(keyId, own);
    const id = `prop_${randomBytes(12).toString('base64url')}`;
    own.set(id, proposal);
    return id;
  }

  /** The proposal of a key with this id; null when there is none, or no more. */
  find(keyId: number, id: string): ProposedWrite | null {
    return this.#byKey.get(keyId)?.get(id) ?? null;
  }
}
