import pg from 'pg';
import { AppError } from '../../errors.ts';

/** Bytes of the rows of one statement that are kept; a page of 10 000 records has 13 kB for each. */
export const maxRowBytes = 128 * 2 ** 20;

type RowMessage = Readonly<{ length: number }>;
type Driver = { handleDataRow(message: RowMessage): void };

/** A statement whose rows take a bounded part of the memory: those beyond it are thrown away as they come. */
class BoundedQuery extends pg.Query {
  isCut = false;
  #left: number;

  constructor(config: pg.QueryConfig, maxBytes: number) {
    super(config);
    this.#left = maxBytes;
  }

  /** The driver calls this for each row; it is how its own cursors take theirs, and no part of the published type. */
  handleDataRow(message: RowMessage): void {
    this.#left -= message.length;
    if (this.#left < 0) this.isCut = true;
    else (pg.Query.prototype as unknown as Driver).handleDataRow.call(this, message);
  }
}

/**
 * Runs a statement whose rows go out as they are.
 *
 * @throws AppError `reply_too_large` where its rows have more bytes.
 */
export async function queryBounded<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  config: pg.QueryConfig,
  maxBytes = maxRowBytes,
): Promise<pg.QueryResult<Row>> {
  const query = new BoundedQuery(config, maxBytes);
  // The pool takes whatever can be submitted; its type knows only of those that give no result.
  const result = await pool.query<Row>(query as unknown as pg.QueryConfig);
  if (query.isCut) throw replyTooLarge(maxBytes);
  return result;
}

/** The refusal of a reply whose making was given up. */
export function replyTooLarge(maxBytes: number): AppError {
  return new AppError('reply_too_large', `The reply would be larger than ${maxBytes / 2 ** 20} MiB`, {
    hint: 'Ask for smaller pages, for fewer fields, or for a long text under one name only',
    max: maxBytes,
  });
}
