import type { Formula } from './formula.ts';
import type { components } from './generated/rest.ts';
import type { Cancelable, Operations, Write, WriteOptions } from './operations.ts';
import type { Query, Transport } from './transport.ts';

type Schemas = components['schemas'];

/** The types in which images and videos differ. */
type Kinds = {
  image: {
    record: Schemas['FoundImage'];
    field: Schemas['ImageField'];
    sort: Schemas['ImageSort'];
    facet: Schemas['ImageFacet'];
    create: Schemas['ImageCreateItem'];
    patch: Schemas['ImageUpdateItem'];
    idField: 'image_id';
  };
  video: {
    record: Schemas['FoundVideo'];
    field: Schemas['VideoField'];
    sort: Schemas['VideoSort'];
    facet: Schemas['VideoFacet'];
    create: Schemas['VideoWriteItem'];
    patch: Schemas['VideoWriteItem'];
    idField: 'video_id';
  };
};
export type Kind = keyof Kinds;

/** A record with the requested fields; after a similarity search, also its similarity. */
export type Found<K extends Kind, F extends Kinds[K]['field']> = Required<
  Pick<Kinds[K]['record'], Extract<F, keyof Kinds[K]['record']>>
> &
  Pick<Kinds[K]['record'], Extract<'similarity' | 'match', keyof Kinds[K]['record']>>;

export type SearchOptions<K extends Kind, F extends Kinds[K]['field']> = Cancelable &
  Readonly<{
    /** Fields of each record; the id and the title by default. */
    fields?: readonly F[];
    /** By default, best matches first. */
    sort?: Kinds[K]['sort'];
    order?: Schemas['SortOrder'];
    /** Language of the words in the formula. */
    lang?: Schemas['LangSearch'];
    /** Records per request; 200 by default. */
    pageSize?: number;
    /** Fields whose values are counted. */
    facets?: readonly Kinds[K]['facet'][];
    /** Whether facets leave out the conditions on their own field. */
    facetsMode?: Schemas['FacetMode'];
  }>;

export type Page<R> = Readonly<{
  results: readonly R[];
  count: number | null;
  facets: Readonly<Record<string, readonly Schemas['FacetValue'][]>>;
  cursor?: string | null;
}>;

export type RecordWriteOptions = WriteOptions &
  Readonly<{
    /** Language of the texts. */
    lang?: Schemas['LangWrite'];
    onDuplicate?: Schemas['OnDuplicate'];
    respectLocks?: boolean;
    /** Replacing creates missing records. */
    upsert?: boolean;
    /** For one record: its `ETag`; written only if it has not changed. */
    ifMatch?: string;
  }>;

/** What to export, and how. */
export type ExportOptions<K extends Kind> = WriteOptions &
  Readonly<{
    format: Schemas['ExportFormat'];
    /** Fields, after the id. By default those that an import reads back. */
    fields?: readonly Kinds[K]['field'][];
    sort?: Kinds[K]['sort'];
    order?: Schemas['SortOrder'];
    /** Language of the words in the formula. */
    lang?: Schemas['LangSearch'];
  }>;

const paths = { image: '/imgs', video: '/vids' } as const;

/** The images or the videos of the catalog. */
export class Records<K extends Kind> {
  readonly #transport: Transport;
  readonly #operations: Operations;
  readonly #kind: K;
  readonly #path: string;

  constructor(kind: K, transport: Transport, operations: Operations) {
    this.#kind = kind;
    this.#path = paths[kind];
    this.#transport = transport;
    this.#operations = operations;
  }

  /** One record. @throws VitrineError `not_found` */
  get<F extends Kinds[K]['field'] = never>(
    id: string,
    { fields, at, signal }: Cancelable & Readonly<{ fields?: readonly F[]; at?: string }> = {},
  ): Promise<[F] extends [never] ? Kinds[K]['record'] : Found<K, F>> {
    const query = fields === undefined && at === undefined ? undefined : { fields, at };
    return this.#transport.json(this.#pathOf(id), { query, signal });
  }

  /** Everything that a formula finds, page after page by cursor. */
  async *search<F extends Kinds[K]['field'] = Kinds[K]['idField'] | 'title'>(
    formula: string | Formula = '',
    options: SearchOptions<K, F> = {},
  ): AsyncGenerator<Found<K, F>, void> {
    for await (const { results } of this.pages(formula, options)) yield* results;
  }

  /** The pages of a search; the first one has the requested facets. */
  async *pages<F extends Kinds[K]['field'] = Kinds[K]['idField'] | 'title'>(
    formula: string | Formula = '',
    options: SearchOptions<K, F> = {},
  ): AsyncGenerator<Page<Found<K, F>>, void> {
    let cursor: string | null = '';
    do {
      const query: Query = { ...this.#query(formula, options), cursor, ...(cursor !== '' && { facets: undefined }) };
      const page: Page<Found<K, F>> = await this.#transport.json(this.#path, { query, signal: options.signal });
      yield page;
      cursor = page.cursor ?? null;
    } while (cursor !== null);
  }

  /** How many records a formula finds, exactly. */
  async count(formula: string | Formula = '', { signal }: Cancelable = {}): Promise<number> {
    const query = { q: String(formula), limit: 1, count: true, fields: [`${this.#kind}_id`] };
    const { count } = await this.#transport.json<Page<unknown>>(this.#path, { query, signal });
    return count ?? 0;
  }

  /**
   * Exports what a formula finds and returns the file, whose body can be read as text, bytes or a stream.
   *
   * @throws OperationFailed if records could not be exported
   */
  async export(
    formula: string | Formula,
    { format, fields, sort, order, lang, ...options }: ExportOptions<K>,
  ): Promise<Response> {
    const json = { q: String(formula), format, fields, lang, sort_by: sort, sort_order: order };
    const write = await this.#operations.write('POST', `/exports${this.#path}`, { json }, options);
    await write.wait(options);
    const { signal } = options;
    const { url } = await this.#transport.json<Schemas['ExportFile']>(`/exports/${write.id}`, { signal });
    return this.#transport.send(url, { headers: { Accept: '*/*' }, isKeyless: true, signal });
  }

  /** Stores a new record, or a list of them. */
  create(
    records: Kinds[K]['create'] | readonly Kinds[K]['create'][],
    options: RecordWriteOptions = {},
  ): Promise<Write> {
    return this.#write('POST', records, options);
  }

  /** Replaces a record, or each of a list: omitted fields become null. */
  replace(
    records: Kinds[K]['create'] | readonly Kinds[K]['create'][],
    options: RecordWriteOptions = {},
  ): Promise<Write> {
    return this.#write('PUT', records, options);
  }

  /** Changes the given fields of a record, or of each of a list; null clears a field. */
  patch(records: Kinds[K]['patch'] | readonly Kinds[K]['patch'][], options: RecordWriteOptions = {}): Promise<Write> {
    return this.#write('PATCH', records, options);
  }

  /** Writes the same values to all records that a formula finds, at most 10 000. */
  patchWhere(
    formula: string | Formula,
    set: Omit<Kinds[K]['patch'], 'id' | 'src' | 'src_path'>,
    options: RecordWriteOptions = {},
  ): Promise<Write> {
    const query = { ...writeQuery(options), q: String(formula) };
    return this.#operations.write('PATCH', this.#path, { query, json: set }, options);
  }

  /** Deletes a record, or a list of them, by id. */
  delete(
    ids: string | readonly string[],
    options: WriteOptions & Pick<RecordWriteOptions, 'ifMatch'> = {},
  ): Promise<Write> {
    const { ifMatch } = options;
    if (typeof ids === 'string')
      return this.#operations.write(
        'DELETE',
        this.#pathOf(ids),
        ifMatch === undefined ? {} : { headers: { 'If-Match': ifMatch } },
        options,
      );
    return this.#operations.write('POST', `${this.#path}/delete`, { json: ids.map((id) => ({ id })) }, options);
  }

  /** Deletes all records that a formula finds, at most 10 000. */
  deleteWhere(formula: string | Formula, options: WriteOptions = {}): Promise<Write> {
    return this.#operations.write('DELETE', this.#path, { query: { q: String(formula) } }, options);
  }

  /** Changes of a record, newest first. */
  history(id: string, { signal, ...query }: Query & Cancelable = {}): Promise<Schemas['RecordChangePage']> {
    return this.#transport.json(`${this.#pathOf(id)}/history`, { query, signal });
  }

  #pathOf(id: string): string {
    return `${this.#path}/${encodeURIComponent(id)}`;
  }

  #query(formula: string | Formula, options: SearchOptions<K, Kinds[K]['field']>): Query {
    const { fields, sort, order, lang, pageSize = 200, facets, facetsMode } = options;
    return {
      q: String(formula),
      fields: fields ?? [`${this.#kind}_id`, 'title'],
      sort_by: sort,
      sort_order: order,
      lang,
      limit: pageSize,
      facets,
      facets_mode: facetsMode,
    };
  }

  #write(method: string, records: object, options: RecordWriteOptions): Promise<Write> {
    const query = writeQuery(options);
    if (Array.isArray(records)) return this.#operations.write(method, this.#path, { query, json: records }, options);
    const { id, ...json } = records as { id: string };
    const headers = options.ifMatch === undefined ? undefined : { 'If-Match': options.ifMatch };
    return this.#operations.write(method, this.#pathOf(id), { query, json, ...(headers && { headers }) }, options);
  }
}

function writeQuery({ lang, onDuplicate, respectLocks, upsert }: RecordWriteOptions): Query {
  return { lang, on_duplicate: onDuplicate, respect_locks: respectLocks, upsert };
}
