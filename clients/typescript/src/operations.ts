import { OperationFailed } from './errors.ts';
import { follow } from './events.ts';
import type { components } from './generated/rest.ts';
import { newIdempotencyKey } from './transport.ts';
import type { Query, Transport } from './transport.ts';

type Schemas = components['schemas'];

/** A finished or running operation. */
export type Operation = Schemas['Operation_Out'];

/** What an operation has done so far. */
export type OperationEvent = Readonly<{
  operation_id: number;
  sequence: number;
  type: 'queued' | 'started' | 'progress' | 'finished' | 'aborted';
  at: string;
  num_total: number;
  num_good: number;
  num_bad: number;
  num_to_analyze: number;
  num_analyzed: number;
  num_analysis_bad: number;
}>;

export type Cancelable = Readonly<{ signal?: AbortSignal }>;

/** Options of all writes. */
export type WriteOptions = Cancelable &
  Readonly<{
    /** Waits for the write to finish, for at most 30 seconds or the given number. */
    wait?: boolean | number;
    urgent?: boolean;
    /** All or nothing. */
    strict?: boolean;
    /** Store nothing; the operation reports what would change. */
    dryRun?: boolean;
    /** Replaces the generated key: a write that is sent twice with the same key is applied once. */
    idempotencyKey?: string;
  }>;

export type WaitOptions = Cancelable &
  Readonly<{ /** Whether failed elements are not an error. */ allowFailures?: boolean }>;
export type UndoOptions = WriteOptions & Readonly<{ onConflict?: Schemas['OnConflict'] }>;

/** A write that the service has accepted. */
export class Write {
  readonly #operations: Operations;
  /** The number of its operation. */
  readonly id: number;
  /** The operation, if the reply contained it. */
  readonly operation: Operation | null;

  constructor(operations: Operations, reply: Schemas['WriteReply']) {
    this.#operations = operations;
    this.id = reply.operation_id;
    this.operation = 'is_finished' in reply ? reply : null;
  }

  /** Waits until the write is done. @throws OperationFailed if elements failed */
  wait(options: WaitOptions = {}): Promise<Operation> {
    return this.operation?.is_finished === true
      ? Promise.resolve().then(() => judged(this.operation as Operation, options))
      : this.#operations.wait(this.id, options);
  }

  /** Its events from the first to the last. */
  follow(options?: Cancelable): AsyncGenerator<OperationEvent, void> {
    return this.#operations.follow(this.id, options);
  }

  abort(options?: Cancelable): Promise<Operation> {
    return this.#operations.abort(this.id, options);
  }

  /** Undoes what it changed. */
  undo(options?: UndoOptions): Promise<Write> {
    return this.#operations.undo(this.id, options);
  }
}

/** Everything that was written. */
export class Operations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(id: number, { signal }: Cancelable = {}): Promise<Operation> {
    return this.#transport.json(`/ops/${id}`, { signal });
  }

  /** Newest first. */
  list({ signal, ...query }: Query & Cancelable = {}): Promise<Operation[]> {
    return this.#transport.json('/ops', { query, signal });
  }

  /** What an operation did to each record, a page at a time. */
  changes(id: number, { signal, ...query }: Query & Cancelable = {}): Promise<Schemas['ElementChangePage']> {
    return this.#transport.json(`/ops/${id}/changes`, { query, signal });
  }

  /** Waits until an operation is done, including its analysis. @throws OperationFailed if elements failed */
  async wait(id: number, options: WaitOptions = {}): Promise<Operation> {
    for await (const _ of this.follow(id, options));
    return judged(await this.get(id, options), options);
  }

  /** The events of an operation up to its last, reconnecting if the connection breaks. */
  follow(id: number, { signal }: Cancelable = {}): AsyncGenerator<OperationEvent, void> {
    return follow<OperationEvent>(this.#transport, {
      path: `/ops/${id}/events`,
      after: '0',
      isLast: ({ type }) => type === 'finished' || type === 'aborted',
      signal,
    });
  }

  /** Aborts an operation after the elements in progress. */
  abort(id: number, { signal }: Cancelable = {}): Promise<Operation> {
    return this.#transport.json(`/ops/${id}`, { method: 'DELETE', signal, isRepeatable: true });
  }

  /** Undoes what an operation changed; fields changed since are skipped, or treated as `onConflict` says. */
  undo(id: number, { onConflict, ...options }: UndoOptions = {}): Promise<Write> {
    return this.write('POST', `/ops/${id}/undo`, { query: { on_conflict: onConflict } }, options);
  }

  /** Sends a write with an idempotency key. */
  async write(
    method: string,
    path: string,
    { query, json, headers }: Readonly<{ query?: Query; json?: unknown; headers?: Record<string, string> }>,
    { wait, urgent, strict, dryRun, idempotencyKey, signal }: WriteOptions = {},
  ): Promise<Write> {
    const isWaiting = wait !== undefined && wait !== false;
    const reply = await this.#transport.json<Schemas['WriteReply']>(path, {
      method,
      query: { ...query, wait: isWaiting || undefined, urgent, strict, dry_run: dryRun },
      json,
      headers: {
        'Idempotency-Key': idempotencyKey ?? newIdempotencyKey(),
        ...(typeof wait === 'number' && { Prefer: `wait=${Math.ceil(wait)}` }),
        ...headers,
      },
      signal,
    });
    return new Write(this, reply);
  }
}

function judged(operation: Operation, { allowFailures = false }: WaitOptions): Operation {
  if (!allowFailures && (operation.is_aborted || operation.num_bad > 0)) throw new OperationFailed(operation);
  return operation;
}
