import type { Leaf, Node, Text, Tree } from '../ast.ts';
import { fail } from '../errors.ts';
import { formulaLimits, maxUnits } from '../limits.ts';
import { readFieldTerm } from './parse-field.ts';
import { readSimilarityTerm } from './parse-similarity.ts';
import { readGroup, readTree } from './parse-tree.ts';
import type { ParserState } from './parse-tree.ts';
import { endOfWildcard, refuseWildcard, unexpected } from './refuse.ts';
import { Scanner } from './scanner.ts';

/*
 * formula    = [ ws ] , [ or-expr ] , [ ws ] ;                       (* empty = everything *)
 * or-expr    = and-expr , { or-op , and-expr } ;
 * and-expr   = not-expr , { [ and-op ] , not-expr } ;                (* white space = AND *)
 * not-expr   = [ not-op ] , primary ;                                (* no double negation *)
 * or-op      = "OR" | "||" | "|" ;
 * and-op     = "AND" | "&&" | "&" ;                                  (* single & only between spaces *)
 * not-op     = "NOT" ws | "-" | "!" ;                                (* - and ! only right before a term *)
 * primary    = "(" or-expr ")" | sim-term | field-term | flag-term | saved-term | phrase | prefix | word | "*" ;
 *
 * field-term = field , cmp , [ ws ] , ( value-set | field-group ) ;
 * field      = letter , { letter | digit | "_" | "." } ;             (* case-insensitive; never "i" *)
 * cmp        = ":" [ "<" | "<=" | ">" | ">=" ] | "=" | "!=" | "<" | "<=" | ">" | ">=" ;
 * value-set  = value , { "," , value } ;                             (* OR; no space around the comma *)
 * field-group= "(" or-expr over value-sets ")" ;
 * value      = range | prefix | "*" | word | phrase ;                (* * = exists *)
 * range      = bound ".." bound | bound ".." [ "*" ] | [ "*" ] ".." bound ;
 * flag-term  = flag-operator , ":" , word ;                         (* flag-operators.ts: has, no, is *)
 * saved-term = "saved" ":" ( word | phrase ) ;
 *
 * sim-term   = "i" , sim-op , reference-part , { "@" , option } ;    (* no white space inside *)
 * sim-op     = "~" | "~~" | "~~~" | "=" | "==" | "===" | "====" ;
 * reference-part = reference | "(" { [ "-" ] reference } ")" ;
 * reference  = phrase | [ scheme ":" ] ref-token | scheme ":" phrase ;
 * option     = score | "box:" pct "," pct "," pct "," pct ;
 *
 * phrase     = '"' { any - ( '"' | "\" ) | "\" any } '"' ;           (* “ ” are read as " *)
 * word       = word-char , { word-char } ;   prefix = word "*" ;
 * word-char  = any - ( ws | "," | "(" | ")" | '"' | "|" | "*" | "<" | ">" | "=" | "~" | ":"¹ ) | "\" any ;
 * ¹ ":" is allowed inside a word that starts with a digit (16:9, 10:30).
 *
 * The checker interprets literals, because it knows the fields.
 */

type ParseOptions = Readonly<{
  /** For text that is still being typed: its end closes open groups and quotes. */
  isUnfinished?: boolean;
}>;

/**
 * Parses a formula. Only the syntax is checked.
 *
 * @param leaves receives each term as soon as it is parsed, so that terms before a mistake are known.
 * @returns null for an empty formula.
 * @throws FormulaError for the first mistake, and nothing else.
 */
export function parseFormula(formula: string, leaves: Leaf[] = [], options: ParseOptions = {}): Node | null {
  refuseLong(formula);
  const scanner = new Scanner(formula, options.isUnfinished);
  refuseUnreadable(scanner);
  const reading: ParserState = { scanner, depth: 0, terms: 0, references: 0, verifications: 0 };
  scanner.skipSpace();
  if (scanner.isAtEnd) return null;
  refuseUnbalanced(scanner);
  const root = readTree(reading, () => readPrimary(reading, leaves), isBare);
  refuseUnbalanced(scanner);
  return root;
}

function refuseUnbalanced(scanner: Scanner): void {
  if (scanner.peek() !== ')') return;
  const hint = "Remove it, or open a group with '(' before.";
  fail('unbalanced_paren', scanner.ahead(), "This ')' closes nothing", hint, ['(']);
}

/**
 * Refuses a text that is far too long, without even reading it.
 *
 * @throws FormulaError `too_complex`
 */
export function refuseLong({ length }: string): void {
  if (length > maxUnits) refuseLength(formulaLimits.codePoints + 1);
}

function refuseLength(length: number): never {
  const { codePoints } = formulaLimits;
  const hint = 'Shorten it, or save parts of it under names.';
  fail('too_complex', { start: codePoints, end: length }, `The formula is longer than ${codePoints} characters`, hint);
}

/** Refuses characters that no text in the catalog contains, and texts that are too long. */
function refuseUnreadable(scanner: Scanner): void {
  const { length } = scanner;
  const all = [...scanner.text({ start: 0, end: length })];
  const start = all.findIndex((sign) => !sign.isWellFormed() || (/^\p{Cc}$/u.test(sign) && !/^\s$/u.test(sign)));
  if (start >= 0 && start < formulaLimits.codePoints) {
    fail(
      'unexpected_char',
      { start, end: start + 1 },
      'A control character',
      'Remove it: no text contains this character.',
    );
  }
  if (length > formulaLimits.codePoints) refuseLength(length);
}

/** Whether a part is bare text; a comma between bare texts counts as white space. */
function isBare(node: Tree<Leaf>): boolean {
  return node.kind === 'text' || (node.kind === 'not' && node.item.kind === 'text');
}

function readPrimary(reading: ParserState, leaves: Leaf[]): Node {
  const { scanner } = reading;
  if (scanner.peek() === '(') return readGroup(reading, () => readPrimary(reading, leaves), isBare);
  reading.terms += 1;
  if (reading.terms > formulaLimits.terms) {
    const problem = `More than ${formulaLimits.terms} terms`;
    fail('too_complex', scanner.ahead(), problem, 'Put values of one field together: field:a,b,c is one term.');
  }
  const leaf = readLeaf(reading);
  if (scanner.peek() === '*') refuseWildcard(scanner);
  leaves.push(leaf);
  return leaf;
}

function readLeaf(reading: ParserState): Leaf {
  const { scanner } = reading;
  const start = scanner.at;
  if (scanner.isQuote()) return readPhrase(scanner);
  if (scanner.peek() === '*') return readStar(scanner);
  const name = scanner.fieldLength();
  const after = scanner.peek(name);
  const isCompared = [':', '=', '<', '>'].includes(after) || (after === '!' && scanner.peek(name + 1) === '=');
  const isReference = name === 1 && scanner.peek().toLowerCase() === 'i' && (isCompared || after === '~');
  if (isReference) return readSimilarityTerm(reading);
  if (name > 0 && isCompared) return readFieldTerm(reading, name);
  const { text, span } = scanner.word();
  if (text === '') return unexpected(scanner);
  refuseComparison(scanner, start);
  if (scanner.take('*')) {
    endOfWildcard(scanner);
    return { kind: 'text', form: 'prefix', text, span: scanner.since(start) };
  }
  return { kind: 'text', form: 'word', text, span };
}

function readPhrase(scanner: Scanner): Text {
  const { text, span } = scanner.phrase();
  if ([':', '=', '<', '>', '~'].includes(scanner.peek())) unexpected(scanner);
  return { kind: 'text', form: 'phrase', text, span };
}

function readStar(scanner: Scanner): Leaf {
  if (scanner.isWordSign(1) || scanner.isQuote(1) || scanner.peek(1) === '*') refuseWildcard(scanner);
  scanner.at += 1;
  return { kind: 'everything', span: scanner.since(scanner.at - 1) };
}

function refuseComparison(scanner: Scanner, start: number): void {
  const sign = scanner.peek();
  if (![':', '=', '<', '>', '~'].includes(sign)) return;
  const name = scanner.text(scanner.since(start));
  if (sign === '~' || !/^\p{L}/u.test(name)) unexpected(scanner);
  const hint = `Field names have letters, digits, '_' and '.'. To search for the text, quote it: "${name}${sign}…"`;
  fail('unknown_field', scanner.since(start), `Unknown field '${name}'`, hint);
}
