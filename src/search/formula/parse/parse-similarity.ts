import type { ReferenceBox, ReferenceScheme, SimilarityOperator } from '../../../similarity/index.ts';
import type { Reference, SimilarityTerm } from '../ast.ts';
import { fail } from '../errors.ts';
import type { Span } from '../errors.ts';
import { formulaLimits } from '../limits.ts';
import type { ParserState } from './parse-tree.ts';
import type { Scanner } from './scanner.ts';

const operators: readonly SimilarityOperator[] = ['~', '~~', '~~~', '=', '==', '===', '===='];
const schemes: readonly ReferenceScheme[] = ['id', 'hash', 'url', 'text'];

/** sim-term = "i" , sim-op , reference-part , { "@" , option } */
export function readSimilarityTerm(reading: ParserState): SimilarityTerm {
  const { scanner } = reading;
  const start = scanner.at;
  scanner.at += 1;
  const operator = readOperator(scanner);
  if (operator === '====' && (reading.verifications += 1) > formulaLimits.verifications) {
    const hint = 'Verification is slow: ask for one i==== at a time.';
    fail('too_complex', scanner.since(start), 'A second i====', hint);
  }
  const isList = scanner.peek() === '(';
  const references = isList ? readList(reading, operator) : [readOne(reading, operator)];
  if (!isList && scanner.peek() === ',') refuseComma(scanner);
  const { minScore, box } = readOptions(scanner, references);
  return { kind: 'similarity', operator, references, minScore, box, span: scanner.since(start) };
}

function readOperator(scanner: Scanner): SimilarityOperator {
  const start = scanner.at;
  while (['~', '=', ':', '<', '>', '!'].includes(scanner.peek())) scanner.at += 1;
  const span = scanner.since(start);
  const operator = operators.find((each) => each === scanner.text(span));
  if (operator !== undefined) return operator;
  const hint = 'Similar: i~ (theme), i~~ (subject), i~~~ (scene). Duplicates: i=, i==, i===, i====.';
  return fail('bad_similarity_operator', span, `Unknown operator: i${scanner.text(span)}`, hint, operators);
}

/** "(" { [ "-" ] reference } ")" */
function readList(reading: ParserState, operator: SimilarityOperator): Reference[] {
  const { scanner } = reading;
  const open = scanner.ahead();
  if (operator.startsWith('=')) {
    fail('one_reference_only', open, `i${operator} takes one reference`, `Write (i${operator}a OR i${operator}b).`);
  }
  scanner.at += 1;
  const references: Reference[] = [];
  for (;;) {
    scanner.skipSpace();
    if (scanner.peek() === ',') refuseComma(scanner);
    if (scanner.isAtEnd && scanner.isUnfinished) break;
    if (scanner.isAtEnd) fail('unclosed_paren', open, "This '(' is never closed", "Add a closing ')'.", [')']);
    if (scanner.take(')')) break;
    const start = scanner.at;
    const isNegative = scanner.take('-');
    references.push({ ...readOne(reading, operator), isNegative, span: scanner.since(start) });
  }
  const list = scanner.since(open.start);
  if (references.length === 0) refuseNone(open.end);
  if (references.every(({ isNegative }) => isNegative)) {
    fail(
      'no_positive_reference',
      list,
      'Every reference is negative',
      'Add at least one image or text without a minus.',
    );
  }
  return references;
}

function refuseComma(scanner: Scanner): never {
  const hint =
    'Put several references in parentheses, separated by spaces: i~(1 2). Quote one that contains a comma: i~id:"1,2".';
  return fail('comma_after_reference', scanner.ahead(), 'A comma after a reference', hint);
}

function refuseNone(at: number): never {
  const hint = 'Write an image id, a query image (qh_…) or a quoted text: i~12345, i~"a red car".';
  return fail('expected_reference', { start: at, end: at }, 'Expected a reference', hint);
}

/** reference = phrase | [ scheme ":" ] ref-token | scheme ":" phrase */
function readOne(reading: ParserState, operator: SimilarityOperator): Reference {
  const { scanner } = reading;
  const start = scanner.at;
  const scheme = schemes.find((each) => scanner.take(`${each}:`)) ?? null;
  const isPhrase = scanner.isQuote();
  const value = isPhrase ? scanner.phrase().text : readToken(scanner, scheme);
  const span = scanner.since(start);
  if (value === '') refuseNone(scanner.at);
  reading.references += 1;
  if (reading.references > formulaLimits.references) {
    fail('too_complex', span, `More than ${formulaLimits.references} references`, 'Use fewer references.');
  }
  const isText = isPhrase && !isLikeId(value);
  const meant = scheme ?? (isText ? 'text' : value.startsWith('qh_') ? 'hash' : 'id');
  if (meant === 'text' && operator.startsWith('=')) {
    const hint = 'Duplicates are found by an image; for an id with spaces write i=id:"…". For texts use i~.';
    fail('image_reference_required', span, `i${operator} needs an image, not a text`, hint, ['id:', 'hash:', 'url:']);
  }
  return { scheme: meant, value, isNegative: false, span };
}

/**
 * Whether a quoted text is a single word with a character that occurs in file ids but not in words: nobody searches
 * for the text `originals:p02.jpg`. A scheme makes it explicit: `text:"a:b"`, `id:"a b"`.
 */
export function isLikeId(quoted: string): boolean {
  return /^\S+$/u.test(quoted) && /^qh_|[:/\\]|\.[a-z0-9]{2,5}$/i.test(quoted);
}

/** Reads word characters up to the options; a URL may also contain colons, equals signs and tildes. */
function readToken(scanner: Scanner, scheme: ReferenceScheme | null): string {
  const extra = scheme === 'url' ? [':', '=', '~'] : [];
  let token = '';
  while (scanner.peek() !== '@' && (scanner.isWordSign() || extra.includes(scanner.peek()))) token += scanner.sign();
  return token;
}

type Options = { minScore: number | null; box: ReferenceBox | null };

function readOptions(scanner: Scanner, references: readonly Reference[]): Options {
  const options: Options = { minScore: null, box: null };
  while (scanner.take('@')) {
    const start = scanner.at;
    const isBox = scanner.take('box:');
    while (/^[\d.]$/.test(scanner.peek()) || (isBox && scanner.peek() === ',')) scanner.at += 1;
    const isWhole = !scanner.isWordSign() || scanner.peek() === '@';
    while (scanner.isWordSign() && scanner.peek() !== '@') scanner.at += 1;
    const span = scanner.since(start);
    const text = scanner.text(span);
    const isRepeated = isBox ? options.box !== null : options.minScore !== null;
    if (!isWhole || isRepeated) refuseOption(span, text);
    if (isBox) options.box = toBox(span, text, references);
    else options.minScore = toScore(span, text);
  }
  return options;
}

const percent = /^\d{1,3}(?:\.\d+)?$/;

function toBox(span: Span, text: string, references: readonly Reference[]): ReferenceBox {
  const parts = text.slice('box:'.length).split(',');
  const [x = 0, y = 0, width = 0, height = 0] = parts.map(Number);
  const isInside = width > 0 && height > 0 && x + width <= 100 && y + height <= 100;
  const isOneImage = references.length === 1 && references[0]?.scheme !== 'text';
  if (parts.length !== 4 || !parts.every((part) => percent.test(part)) || !isInside || !isOneImage) {
    refuseOption(span, text);
  }
  return [x, y, width, height];
}

function toScore(span: Span, text: string): number {
  return /^(?:0|1|0?\.\d+|1\.0+)$/.test(text) ? Number(text) : refuseOption(span, text);
}

function refuseOption(span: Span, text: string): never {
  const hint =
    'Options are a minimum score from 0 to 1 (@0.7) and, for one image, a box in percent (@box:10,20,50,40).';
  return fail('bad_similarity_option', span, `Unknown option: '${text}'`, hint, ['0.7', 'box:x,y,width,height']);
}
