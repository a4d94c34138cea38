import { VitrineError } from './errors.ts';
import type { ErrorCode } from './errors.ts';
import type { Formula } from './formula.ts';
import { Formulas } from './formulas.ts';
import type { components } from './generated/rest.ts';
import { Operations } from './operations.ts';
import type { Cancelable, Write, WriteOptions } from './operations.ts';
import { Records } from './records.ts';
import { Transport } from './transport.ts';
import type { VitrineOptions } from './transport.ts';
import { Uploads } from './uploads.ts';

type Schemas = components['schemas'];

export type TagOptions = Cancelable &
  Readonly<Partial<Omit<Schemas['Body_tag_image_tag_image_post'], 'image' | 'image_url'>>>;

/** A client of one service with one API key. */
export class Vitrine {
  readonly #transport: Transport;
  readonly images: Records<'image'>;
  readonly videos: Records<'video'>;
  readonly formulas: Formulas;
  readonly operations: Operations;
  readonly uploads: Uploads;

  constructor(options: VitrineOptions) {
    this.#transport = new Transport(options);
    this.operations = new Operations(this.#transport);
    this.images = new Records('image', this.#transport, this.operations);
    this.videos = new Records('video', this.#transport, this.operations);
    this.formulas = new Formulas(this.#transport, (...asked) => this.graphql(...asked));
    this.uploads = new Uploads(this.#transport);
  }

  /** Who the key belongs to, and what it may do. */
  me({ signal }: Cancelable = {}): Promise<Schemas['Me']> {
    return this.#transport.json('/me', { signal });
  }

  /** Analyzes a picture, given as a file or by its address, without storing it. */
  tag(picture: Blob | string, { signal, ...options }: TagOptions = {}): Promise<Schemas['TagImageResponse']> {
    const form = new FormData();
    if (typeof picture === 'string') form.set('image_url', picture);
    else form.set('image', picture, 'picture');
    for (const [name, value] of Object.entries(options)) if (value !== undefined) form.set(name, String(value));
    return this.#transport.json('/tag/image', { method: 'POST', body: form, signal, isRepeatable: true });
  }

  /** Uploads a picture to search by: `f.similarTo(hash)`, `f.copyOf(hash)`. */
  queryImage(picture: Blob, { signal }: Cancelable = {}): Promise<Schemas['QueryImage']> {
    const form = new FormData();
    form.set('image', picture, 'picture');
    return this.#transport.json('/query_imgs', { method: 'POST', body: form, signal, isRepeatable: true });
  }

  /** What a formula means, what each part finds, and what would find more. */
  explain(
    formula: string | Formula,
    {
      signal,
      ...query
    }: Cancelable & Readonly<{ lang?: Schemas['LangSearch']; language?: Schemas['LangExplanation'] }> = {},
  ): Promise<Schemas['FormulaExplanation']> {
    return this.#transport.json('/imgs/explain', { query: { q: String(formula), ...query }, signal });
  }

  /** Searches for groups of duplicates among what a formula finds. */
  findDuplicates(
    formula: string | Formula = '',
    { tier, ...options }: WriteOptions & Readonly<{ tier?: Schemas['GroupTier'] }> = {},
  ): Promise<Write> {
    return this.operations.write('POST', '/duplicates', { query: { q: String(formula), tier } }, options);
  }

  /** The groups of duplicates that were found, a page at a time. */
  duplicates({ signal, ...query }: Cancelable & Readonly<{ page?: number; limit?: number; q?: string }> = {}): Promise<
    Schemas['DuplicatePage']
  > {
    return this.#transport.json('/duplicates', { query, signal });
  }

  /**
   * Runs a GraphQL document and returns its data. A mutation is retried only with an idempotency key.
   *
   * @throws VitrineError with the first error of the reply
   */
  async graphql<Data, Variables extends object = Record<string, unknown>>(
    query: string,
    variables?: Variables,
    { signal, idempotencyKey }: Cancelable & Readonly<{ idempotencyKey?: string }> = {},
  ): Promise<Data> {
    const { data, errors } = await this.#transport.json<GraphQLReply<Data>>('/graphql', {
      method: 'POST',
      json: { query, variables },
      headers: idempotencyKey === undefined ? undefined : { 'Idempotency-Key': idempotencyKey },
      signal,
    });
    const [error] = errors ?? [];
    if (error === undefined) return data;
    const { code, retryAfter, ...details } = error.extensions;
    throw new VitrineError(code as ErrorCode, error.message, {
      status: 200,
      retryAfter: retryAfter as number,
      details,
    });
  }
}

type GraphQLReply<Data> = Readonly<{
  data: Data;
  errors?: readonly Readonly<{ message: string; extensions: Readonly<Record<string, unknown>> }>[];
}>;
