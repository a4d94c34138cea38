import { backslash, closeArray, closeObject, comma, openArray, openObject, quote, skipSpace } from './bytes.ts';
import { JsonFault, JsonTooLarge } from './faults.ts';
import type { JsonLimits } from './faults.ts';

/** Parses a whole JSON text. @throws JsonFault, or any other error for the caller of `parseJsonInSlices`. */
export type ParseText = (text: string) => unknown;

const noValue = 'Expecting value';
const noName = 'Expecting property name enclosed in double quotes';
const noComma = "Expecting ',' delimiter";

/** Each nesting level of an assembled container takes memory. CPython gives up near a thousand levels. */
const maxDepth = 1_000;

type Limits = JsonLimits & Readonly<{ fragmentBytes: number }>;

/** A container that is assembled from fragments. */
type Container = {
  readonly target: unknown[] | Record<string, unknown>;
  readonly first: '[' | '{';
  readonly last: ']' | '}';
  /** Whether the container already has members, so that a comma must come first. */
  hasMembers: boolean;
};

/**
 * Assembles a value. One pass over the bytes finds where values start and end; runs of neighboring members are parsed in
 * fragments of `fragmentBytes`, and a larger container is assembled from several fragments.
 */
export class Assembly {
  readonly root: Container['target'];
  readonly #bytes: Buffer;
  readonly #parse: ParseText;
  readonly #limits: Limits;
  /** Outermost first. */
  readonly #containers: Container[] = [];
  #current: Container;
  /** Where the fragment starts, and the position up to which it was scanned. */
  #start: number;
  #at: number;
  #values = 0;
  /** Open brackets within the fragment, and the last comma at each depth. */
  #open: number[] = [];
  #commas: number[] = [-1];

  constructor(bytes: Buffer, start: number, parse: ParseText, limits: Limits) {
    [this.#bytes, this.#parse, this.#limits] = [bytes, parse, limits];
    this.#current = containerAt(bytes, start);
    this.#containers.push(this.#current);
    this.root = this.#current.target;
    this.#start = this.#at = start + 1;
  }

  /** Scans the next fragment; returns true at the end of the text. */
  advance(): boolean {
    const bytes = this.#bytes;
    const { values, valueBytes, fragmentBytes } = this.#limits;
    const isClosing = this.#scan(Math.min(this.#at + fragmentBytes, bytes.length));
    if (this.#values > values) throw new JsonTooLarge('values');
    if (this.#containers.length + this.#open.length > maxDepth) throw new RangeError('nested too deep');
    if (isClosing) return this.#close();
    if (this.#at >= bytes.length) this.#flush(bytes.length, ''); // Fails: a bracket is missing.
    this.#flushWhole(0);
    if (this.#at - this.#start >= fragmentBytes / 2) this.#enterOpen();
    if (this.#at - this.#start > valueBytes) throw new JsonTooLarge('valueBytes');
    return false;
  }

  /** Scans the bytes up to `end`; returns true at the bracket that closes the container. */
  #scan(end: number): boolean {
    const [bytes, open, commas] = [this.#bytes, this.#open, this.#commas];
    let at = this.#at;
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === quote) {
        at = this.#endOfString(at);
      } else if (byte === comma) {
        this.#values += 1;
        commas[open.length] = at;
      } else if (byte === openArray || byte === openObject) {
        this.#values += 1;
        open.push(at);
        commas[open.length] = -1;
      } else if ((byte === closeArray || byte === closeObject) && open.pop() === undefined) {
        this.#at = at;
        return true;
      }
    }
    this.#at = at;
    return false;
  }

  /** Position of the quote that ends a string, or the end of the text. */
  #endOfString(start: number): number {
    const bytes = this.#bytes;
    const end = Math.min(bytes.length, start + this.#limits.valueBytes);
    let at = start + 1;
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at += 1;
    }
    if (at < bytes.length) throw new JsonTooLarge('valueBytes');
    return bytes.length;
  }

  /** Closes the container at its bracket; returns true for the outermost one. */
  #close(): boolean {
    const at = this.#at;
    this.#flush(at, String.fromCharCode(this.#bytes[at] ?? 0));
    this.#containers.pop();
    this.#start = this.#at = at + 1;
    this.#commas = [-1];
    const parent = this.#containers.at(-1);
    if (parent !== undefined) {
      this.#current = parent;
      return false;
    }
    const rest = skipSpace(this.#bytes, at + 1);
    if (rest < this.#bytes.length) throw new JsonFault('Extra data', rest);
    return true;
  }

  /** Parses the complete members of the fragment: those before the last comma at `depth`. */
  #flushWhole(depth: number): void {
    const boundary = this.#commas[depth] ?? -1;
    if (boundary <= this.#start) return;
    this.#flush(boundary, ',');
    this.#start = boundary;
  }

  /** Continues inside the open brackets, which have too many members for one fragment. */
  #enterOpen(): void {
    const [open, commas] = [this.#open, this.#commas];
    for (const [depth, at] of open.entries()) {
      this.#enter(at);
      this.#flushWhole(depth + 1);
    }
    this.#commas = [commas[open.length] ?? -1];
    this.#open = [];
  }

  #enter(at: number): void {
    const { target, first } = this.#current;
    const { text, start } = this.#members(at, '[');
    const child = containerAt(this.#bytes, at);
    if (first === '{') {
      // An empty list replaces the value; anything but a name and a colon before it is a fault.
      const [name = ''] = Object.keys(this.#parseAt(`{${text}[]}`, start - 1) as object);
      setMember(target as Members, name, child.target);
    } else {
      if (text.trim() !== '') this.#parseAt(`[${text}[`, start - 1); // Fails: no comma before the bracket.
      (target as unknown[]).push(child.target);
    }
    this.#current.hasMembers = true;
    this.#containers.push((this.#current = child));
    this.#start = at + 1;
  }

  /** Parses the fragment up to `end`, where the character `next` follows, and adds its members to the container. */
  #flush(end: number, next: string): void {
    const { target, first, last, hasMembers } = this.#current;
    const { text, start } = this.#members(end, next);
    const isBlank = !hasMembers && text.trim() === '';
    const value = this.#parseAt(first + text + (next === ',' && !isBlank ? last : next), start - 1);
    if (Array.isArray(target)) for (const element of value as unknown[]) target.push(element);
    else for (const name of Object.keys(value as object)) setMember(target, name, (value as Members)[name]);
    this.#current.hasMembers = true;
  }

  /** The fragment up to `end`, where `next` follows, without its leading comma; and where it starts. */
  #members(end: number, next: string): { text: string; start: number } {
    const [bytes, { first, last, hasMembers }] = [this.#bytes, this.#current];
    if (!hasMembers) return { text: bytes.toString('utf8', this.#start, end), start: this.#start };
    const at = skipSpace(bytes, this.#start);
    if (at >= end && (next === ',' || next === last)) return { text: '', start: end };
    if (at >= end || bytes[at] !== comma) throw new JsonFault(noComma, Math.min(at, bytes.length));
    const start = skipSpace(bytes, at + 1);
    if (start >= end && next !== '[' && next !== '') throw new JsonFault(first === '[' ? noValue : noName, start);
    return { text: bytes.toString('utf8', at + 1, end), start: at + 1 };
  }

  /** Parses a text whose first byte is at `start`. */
  #parseAt(text: string, start: number): unknown {
    try {
      return this.#parse(text);
    } catch (error) {
      throw error instanceof JsonFault ? new JsonFault(error.message, start + error.at) : error;
    }
  }
}

type Members = Record<string, unknown>;

function containerAt(bytes: Buffer, at: number): Container {
  return bytes[at] === openArray
    ? { target: [], first: '[', last: ']', hasMembers: false }
    : { target: {}, first: '{', last: '}', hasMembers: false };
}

/** Sets a member; one that is named `__proto__` is a member like any other. */
function setMember(target: Members, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
