import { LargeMetadataError } from './container.ts';

/** An attribute, including the whitespace before it. */
type Attribute = Readonly<{ name: string; value: string; start: number; end: number }>;

/** A tag, or markup in its place: a CDATA section is `text`; comments and processing instructions are `other`. */
export type Tag = Readonly<{
  kind: 'open' | 'empty' | 'close' | 'text' | 'other';
  name: string;
  attributes: readonly Attribute[];
  start: number;
  end: number;
}>;

// Sticky and unambiguous, so that matching takes time linear in what it reads.
const nameAt = /[\p{L}_:][\p{L}\p{M}\p{N}.:_-]*/uy;
const attributeAt = /\s+([\p{L}_:][\p{L}\p{M}\p{N}.:_-]*)\s*=\s*(?:"([^<"]*)"|'([^<']*)')/uy;
const endAt = /\s*(\/?)>/y;

/** Markup that is neither an opening nor a closing tag, by its delimiters. */
const others = [
  { kind: 'other', begin: '<!--', end: '-->' },
  { kind: 'other', begin: '<?', end: '?>' },
  { kind: 'text', begin: '<![CDATA[', end: ']]>' },
] as const;

/**
 * Reads the tag that begins at `start`; null if it is malformed, or a declaration.
 *
 * @throws LargeMetadataError if the tag and its attributes count more than `left`, which is what remains of the
 * limit.
 */
export function readTag(xml: string, start: number, left: number): Tag | null {
  if (left === 0) throw new LargeMetadataError('the packet has too many tags');
  const second = xml.charAt(start + 1);
  if (second === '!' || second === '?') return readOther(xml, start);
  return second === '/' ? readClosing(xml, start) : readOpening(xml, start, left);
}

function readClosing(xml: string, start: number): Tag | null {
  const name = matchAt(nameAt, xml, start + 2)?.[0];
  const end = name === undefined ? null : matchAt(endAt, xml, nameAt.lastIndex);
  if (name === undefined || end === null || end[1] === '/') return null;
  return { kind: 'close', name, attributes: [], start, end: endAt.lastIndex };
}

function readOpening(xml: string, start: number, left: number): Tag | null {
  const name = matchAt(nameAt, xml, start + 1)?.[0];
  if (name === undefined) return null;
  const attributes = readAttributes(xml, nameAt.lastIndex, left - 1);
  if (attributes === null) return null;
  const end = matchAt(endAt, xml, attributes.at(-1)?.end ?? nameAt.lastIndex);
  return end && { kind: end[1] === '/' ? 'empty' : 'open', name, attributes, start, end: endAt.lastIndex };
}

function readOther(xml: string, start: number): Tag | null {
  const other = others.find(({ begin }) => xml.startsWith(begin, start));
  const end = other === undefined ? -1 : xml.indexOf(other.end, start + other.begin.length);
  if (other === undefined || end === -1) return null;
  return { kind: other.kind, name: '', attributes: [], start, end: end + other.end.length };
}

/** The attributes from a position on; null if one occurs twice. */
function readAttributes(xml: string, from: number, left: number): Attribute[] | null {
  const attributes: Attribute[] = [];
  const names = new Set<string>();
  for (let start = from; ;) {
    const found = matchAt(attributeAt, xml, start);
    if (found === null) return attributes;
    if (attributes.length === left) throw new LargeMetadataError('the packet has too many attributes');
    const [, name = '', double, single] = found;
    if (names.size === names.add(name).size) return null;
    attributes.push({ name, value: double ?? single ?? '', start, end: attributeAt.lastIndex });
    start = attributeAt.lastIndex;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
