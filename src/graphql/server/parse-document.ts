import { GraphQLError, Lexer, parse, Source, TokenKind } from 'graphql';
import type { DocumentNode } from 'graphql';
import { withCode } from '../schema/errors.ts';
import { checkDocumentLimit } from './limits.ts';

/**
 * Parses a document whose text is within the limits. The parser recurses for every bracket and creates nodes of hundreds of
 * bytes for a token of one byte, so the text is measured first.
 *
 * @throws GraphQLError for a text that exceeds a limit or is not a document.
 */
export function parseDocument(text: string): DocumentNode {
  checkDocumentLimit('length', text.length);
  const source = new Source(text);
  const { tokens, directives, nesting } = readable(() => measure(source));
  checkDocumentLimit('tokens', tokens);
  checkDocumentLimit('nesting', nesting);
  checkDocumentLimit('directives', directives);
  return readable(() => parse(source));
}

/** Gives syntax errors the same code, no matter how the text arrives. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof GraphQLError ? withCode(error, 'GRAPHQL_PARSE_FAILED') : error;
  }
}

/** Measures the text of a document that can be parsed. */
export function measureText(text: string): TextMeasures {
  return measure(new Source(text));
}

type TextMeasures = Readonly<{ tokens: number; directives: number; nesting: number }>;

const opening: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const closing: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

function measure(source: Source): TextMeasures {
  const lexer = new Lexer(source);
  const counts = { tokens: 0, directives: 0, nesting: 0 };
  let open = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    counts.tokens += 1;
    if (kind === TokenKind.AT) counts.directives += 1;
    else if (opening.includes(kind)) counts.nesting = Math.max(counts.nesting, (open += 1));
    else if (closing.includes(kind)) open -= 1;
  }
  return counts;
}
