/** Characters of an input that an error shows of it. */
export const excerptLength = 256;

const ellipsis = ' …';

/** The beginning of a text that is repeated in an error or a message; a text of `max` characters is whole. */
export function excerpt(text: string, max = excerptLength): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}${ellipsis}`;
}

/**
 * What an error repeats of a JSON value: the value itself when its JSON is short, else the beginning
 * of its text, or of its JSON. Reads no more of it than it repeats.
 */
export function excerptOf(value: unknown, max = excerptLength): unknown {
  if (typeof value === 'string') return excerpt(value, max);
  if (typeof value === 'bigint') return String(value).length > max ? excerpt(String(value), max) : value;
  if (typeof value !== 'object' || value === null) return value;
  const text = new Excerpt(max).of(value);
  return text.length <= max ? value : excerpt(text, max);
}

/** Writes JSON up to a maximum length and ignores the rest. */
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

/** One name after the other: an object of a million members is not listed for the first few. */
function* keysOf(value: object): Generator<string> {
  for (const name in value) if (Object.hasOwn(value, name)) yield name;
}

/** Both ends of a text: messages of libraries say what is wrong after the value that is. */
export function excerptOfEnds(text: string, max = 2 * excerptLength): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 2);
  return `${excerpt(text, max - tail)} ${text.slice(-tail).toWellFormed()}`;
}

/** Levels of a value below which nothing of it is shown. */
const maxLevels = 6;
/** Elements of a list that are shown. */
const maxElements = 100;

/** A value of plain JSON whose texts and lists are no longer than `max` characters and a hundred elements. */
export function excerptOfValue(value: unknown, max = 2 * excerptLength, levels = maxLevels): unknown {
  if (typeof value === 'string') return excerpt(value, max);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.slice(0, maxElements).map((each) => excerptOfValue(each, max, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, excerptOfValue(each, max, levels - 1)]));
}
