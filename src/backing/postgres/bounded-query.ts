import pg from 'pg';
import { AppError } from '../../lib/errors.ts';

/** Maximum size of a statement's rows; a page of 10,000 records leaves 13 kB for each. */
export const maxRowBytes = 128 * 2 ** 20;

type RowMessage = Readonly<{ length: number }>;
type Driver = { handleDataRow(message: RowMessage): void };

/** A statement whose rows may take only a limited amount of memory: any beyond that are discarded as they arrive. */
class BoundedQuery extends pg.Query {
  isCut = false;
  #left: number;

  constructor(config: pg.QueryConfig, maxBytes: number) {
    super(config);
    this.#left = maxBytes;
  }

  /** The driver calls this for each row. Its own cursors rely on it, too, but the published type lacks it. */
  handleDataRow(message: RowMessage): void {
    this.#left -= message.length;
    if (this.#left < 0) this.isCut = true;
    else (pg.Query.prototype as unknown as Driver).handleDataRow.call(this, message);
  }
}

/**
 * Runs a statement whose rows are passed on unchanged.
 *
 * @throws AppError `reply_too_large` if its rows have more than `maxBytes`.
 */
export async function queryBounded<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  config: pg.QueryConfig,
  maxBytes = maxRowBytes,
): Promise<pg.QueryResult<Row>> {
  const query = new BoundedQuery(config, maxBytes);
  // The pool accepts anything that can be submitted; its type only covers what has no result.
  const result = await pool.query<Row>(query as unknown as pg.QueryConfig);
  if (query.isCut) throw replyTooLarge(maxBytes);
  return result;
}

/** The error for a reply that is too large. */
export function replyTooLarge(maxBytes: number): AppError {
  return new AppError('reply_too_large', `The reply would be larger than ${maxBytes / 2 ** 20} MiB`, {
    hint: 'Request smaller pages or fewer fields, or a long text under one name only',
    max: maxBytes,
  });
}
