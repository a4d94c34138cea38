import { exportLimits } from '../limits.ts';
import { readTag } from './tags.ts';
import type { Tag } from './tags.ts';

export const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** A range of a text. */
type Range = Readonly<{ start: number; end: number }>;

/** Positions in a packet: its root element, the end of its RDF, and the requested properties, in order. */
export type Places = Readonly<{ root: Range; rdfEnd: number; found: readonly Range[] }>;

/** Whether a property is requested, by its namespace and local name. */
type IsAsked = (uri: string, name: string) => boolean;

/** An open element. Prefixes are kept only for the outer levels, where names matter. */
type Open = Readonly<{ name: string; start: number; prefixes: Prefixes | null; role: Role }>;
type Prefixes = ReadonlyMap<string, string>;
/** `asked` is a requested property that is an element; it may also be an attribute of its description. */
type Role = 'rdf' | 'description' | 'asked' | null;

/**
 * Depth up to which names matter: `rdf:RDF`, at the root or right below it, then descriptions, then their properties.
 */
const namedLevels = 4;

/**
 * Finds the positions in time linear in the length of the packet. A parser that builds a document takes a second for
 * 64 KiB of small elements.
 *
 * @returns null if it is not XML, contains no RDF, or declares entities.
 * @throws LargeMetadataError if it has too many tags and attributes.
 */
export function scanPacket(xml: string, isAsked: IsAsked): Places | null {
  if (unknownEntity.test(xml)) return null;
  const scan = new Scan(isAsked);
  for (let [at, left] = [0, exportLimits.packetTags]; ;) {
    const start = xml.indexOf('<', at);
    const isInside = scan.isInside();
    if (!isInside && unpadded.test(xml.slice(at, start === -1 ? xml.length : start))) return null;
    if (start === -1) return scan.places();
    const tag = readTag(xml, start, left);
    if (tag === null || !scan.take(tag)) return null;
    left -= 1 + tag.attributes.length;
    at = tag.end;
  }
}

/** A reference to an entity other than the predefined ones and character references. */
const unknownEntity = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/i;

/** Anything but padding outside the root: files pad packets with blanks or zeros. */
const unpadded = /[^\s\0]/;

class Scan {
  readonly #isAsked: IsAsked;
  readonly #open: Open[] = [];
  readonly #found: Range[] = [];
  #root: Range | null = null;
  #rdfEnd: number | null = null;

  constructor(isAsked: IsAsked) {
    this.#isAsked = isAsked;
  }

  isInside(): boolean {
    return this.#open.length > 0;
  }

  places(): Places | null {
    if (this.isInside() || this.#root === null || this.#rdfEnd === null) return null;
    return { root: this.#root, rdfEnd: this.#rdfEnd, found: this.#found };
  }

  /** Processes the next tag; false if the packet is not well-formed. */
  take(tag: Tag): boolean {
    if (tag.kind === 'text') return this.isInside();
    if (tag.kind === 'other') return true;
    if (tag.kind === 'close') return this.#close(tag);
    if (!this.isInside() && this.#root !== null) return false;
    const element = this.#toElement(tag);
    this.#open.push(element);
    if (element.role === 'description') this.#findAttributes(tag, element.prefixes);
    return tag.kind === 'open' || this.#close(tag);
  }

  #close({ name, start, end }: Tag): boolean {
    const element = this.#open.pop();
    if (element?.name !== name) return false;
    if (element.role === 'rdf') this.#rdfEnd = start;
    if (element.role === 'asked') this.#found.push({ start: element.start, end });
    if (!this.isInside()) this.#root = { start: element.start, end };
    return true;
  }

  #toElement(tag: Tag): Open {
    const { name, start } = tag;
    const level = this.#open.length;
    if (level >= namedLevels) return { name, start, prefixes: null, role: null };
    const outer = this.#open.at(-1);
    const prefixes = withDeclared(tag, outer?.prefixes ?? new Map<string, string>());
    return { name, start, prefixes, role: this.#roleOf(tag, level, outer?.role ?? null, prefixes) };
  }

  #roleOf({ name, kind }: Tag, level: number, outer: Role, prefixes: Prefixes): Role {
    const [uri, local] = resolved(name, prefixes);
    if (outer === 'rdf') return uri === rdf ? 'description' : null;
    if (outer === 'description') return this.#isAsked(uri, local) ? 'asked' : null;
    const isRdf = level < 2 && kind === 'open' && this.#rdfEnd === null && uri === rdf && local === 'RDF';
    return isRdf ? 'rdf' : null;
  }

  #findAttributes({ attributes }: Tag, prefixes: Prefixes | null): void {
    if (prefixes === null) return;
    for (const { name, start, end } of attributes) {
      // An attribute without a prefix has no namespace.
      if (name.includes(':') && this.#isAsked(...resolved(name, prefixes))) this.#found.push({ start, end });
    }
  }
}

/** The namespaces inside an element, by prefix; the default namespace has an empty one. */
function withDeclared({ attributes }: Tag, outer: Prefixes): Prefixes {
  const declared = attributes.filter(({ name }) => name === 'xmlns' || name.startsWith('xmlns:'));
  if (declared.length === 0) return outer;
  return new Map([...outer, ...declared.map(({ name, value }) => [name.slice('xmlns:'.length), value] as const)]);
}

/** Splits a qualified name into its namespace and local name. */
function resolved(name: string, prefixes: Prefixes): [uri: string, local: string] {
  const at = name.indexOf(':');
  return [prefixes.get(name.slice(0, Math.max(at, 0))) ?? '', name.slice(at + 1)];
}
