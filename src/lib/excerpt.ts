/** Maximum characters of an input that an error repeats. */
export const excerptLength = 256;

const ellipsis = ' …';

/** The start of a text for an error or a message; texts of up to `max` characters are kept whole. */
export function excerpt(text: string, max = excerptLength): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}${ellipsis}`;
}

/**
 * The part of a JSON value that an error repeats: the value itself if its JSON is short, else the start of the text or of
 * its JSON. Reads no more of the value than it repeats.
 */
export function excerptOf(value: unknown, max = excerptLength): unknown {
  if (typeof value === 'string') return excerpt(value, max);
  if (typeof value === 'bigint') return String(value).length > max ? excerpt(String(value), max) : value;
  if (typeof value !== 'object' || value === null) return value;
  const text = new Excerpt(max).of(value);
  return text.length <= max ? value : excerpt(text, max);
}

/** Writes JSON up to a maximum length and drops the rest. */
class Excerpt {
  readonly #length: number;
  #text = '';

  constructor(length: number) {
    this.#length = length;
  }

  of(value: unknown): string {
    this.#write(value);
    return this.#text;
  }

  get #isFull(): boolean {
    return this.#text.length > this.#length;
  }

  #write(value: unknown): void {
    if (this.#isFull) return;
    if (typeof value === 'string') this.#text += JSON.stringify(value.slice(0, this.#length + 1));
    else if (typeof value !== 'object' || value === null) this.#text += String(value);
    else if (Array.isArray(value)) this.#writeAll('[', value.values(), ']', (element) => this.#write(element));
    else if ('toJSON' in value && typeof value.toJSON === 'function') this.#write(value.toJSON());
    else this.#writeAll('{', keysOf(value), '}', (name) => this.#member(name, value as Record<string, unknown>));
  }

  #member(name: string, value: Record<string, unknown>): void {
    this.#write(name);
    this.#text += ':';
    this.#write(value[name]);
  }

  #writeAll<T>(first: string, parts: Iterable<T>, last: string, write: (part: T) => void): void {
    this.#text += first;
    let isFirst = true;
    for (const part of parts) {
      if (this.#isFull) return;
      if (!isFirst) this.#text += ',';
      isFirst = false;
      write(part);
    }
    this.#text += last;
  }
}

/** Yields one name at a time, so that an object with a million members is not listed for the first few. */
function* keysOf(value: object): Generator<string> {
  for (const name in value) if (Object.hasOwn(value, name)) yield name;
}

/** Both ends of a text: messages of libraries often name the error after the value that caused it. */
export function excerptOfEnds(text: string): string {
  if (text.length <= 2 * excerptLength) return text;
  return `${excerpt(text)} ${text.slice(-excerptLength).toWellFormed()}`;
}

/** Depth below which values are left out. */
const maxLevels = 6;
/** Maximum elements of a list that are shown. */
const maxElements = 100;

/** A copy of a plain JSON value with texts of at most `max` characters and lists of at most a hundred elements. */
export function excerptOfValue(value: unknown, max = 2 * excerptLength, levels = maxLevels): unknown {
  if (typeof value === 'string') return excerpt(value, max);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.slice(0, maxElements).map((each) => excerptOfValue(each, max, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, excerptOfValue(each, max, levels - 1)]));
}
