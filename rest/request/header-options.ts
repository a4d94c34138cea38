import { trimWhere } from '../../src/lib/trim.ts';

/** A parsed header such as `form-data; name="image"`: its first word in lower case, and its options. */
type OptionsHeader = Readonly<{ word: string; options: ReadonlyMap<string, string> }>;

/**
 * Parses a header with options as python-multipart does, because legacy clients rely on its results: if a name occurs
 * twice, the last option counts; extended options (`filename*=`) are ignored, since forms do not use them.
 */
export function parseOptionsHeader(header: string): OptionsHeader {
  const [word = '', ...segments] = splitOutsideQuotes(header);
  const options = new Map<string, string>();
  for (const segment of segments) {
    const equals = segment.indexOf('=');
    const name = equals === -1 ? segment : trim(segment.slice(0, equals)).toLowerCase();
    if (name.includes('*')) continue;
    const value = equals === -1 ? '' : unquote(trim(segment.slice(equals + 1)));
    options.set(name, name === 'filename' ? withoutFolders(value) : value);
  }
  return { word: word.toLowerCase(), options };
}

/** Splits at semicolons that are not in quotes. */
function splitOutsideQuotes(header: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < header.length; at += 1) {
    const sign = header[at];
    if (sign === '"' && header[at - 1] !== '\\') isQuoted = !isQuoted;
    if (sign !== ';' || isQuoted) continue;
    parts.push(trim(header.slice(start, at)));
    start = at + 1;
  }
  parts.push(trim(header.slice(start)));
  return parts;
}

function trim(text: string): string {
  return trimWhere(text, (character) => character === ' ' || character === '\t');
}

function unquote(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replaceAll('\\\\', '\\').replaceAll('\\"', '"');
}

/** Some browsers send the full Windows path of a file. */
function withoutFolders(name: string): string {
  const isPath = name.slice(1, 3) === ':\\' || name.startsWith('\\\\');
  return isPath ? name.slice(name.lastIndexOf('\\') + 1) : name;
}
