import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contradictionLimits, findContradictions } from '../../../src/search/explain/contradictions.ts';
import { clausesOf, withinStatement } from '../../../src/search/explain/clauses.ts';
import { createDescriber } from '../../../src/search/explain/describe.ts';
import { FormulaError, toProblem } from '../../../src/search/formula/index.ts';
import { formulaLimits } from '../../../src/search/formula/limits.ts';
import { parse } from '../../../src/search/formula/read-formula.ts';
import type { ReadFormula } from '../../../src/search/formula/read-formula.ts';
import { readSaved } from '../../../src/search/formula/read-saved.ts';
import { compileCondition, compileRelevance } from '../../../src/search/formula/to-sql.ts';
import { leavesOf } from '../../../src/search/formula/tree.ts';
import { anyFormula } from './arbitrary.ts';
import { now, read } from './read.ts';
import { runsOf } from '../../support/effort.ts';

const many = (count: number, of: (index: number) => string, join = ' ') =>
  Array.from({ length: count }, (_, index) => of(index)).join(join);
const wrap = (depth: number, inner: string, by: (text: string, index: number) => string) =>
  Array.from({ length: depth }).reduce<string>((text, _, index) => by(text, index), inner);
const sign = (index: number) => String.fromCodePoint(0x4e00 + index);

/** Formulas at the limits, each large in its own way. */
const large: readonly string[] = [
  many(200, (i) => `w${i}`),
  many(200, (i) => `country:${sign(i)}`),
  many(200, (i) => `${i % 2 === 0 ? '-' : ''}title:a${i}`),
  many(19, (i) => `country:${many(100, (j) => sign(100 * i + j), ',')}`),
  many(200, (i) => `created_at:-${i}d..`),
  wrap(
    20,
    many(140, (i) => `w${i}`),
    (text, i) => `(${text} ${i % 2 === 0 ? 'OR' : 'AND'} NOT z${i})`,
  ),
  wrap(20, 'x', (text, i) => `(${text} a${i} b${i}|c${i} d${i})`),
  '\ufdfa'.repeat(4096),
  `"${'a '.repeat(2047)}"`,
  '('.repeat(4096),
];

/** A formula as far as it is understood; null where it is refused, with an error of bounded size. */
function understood(formula: string): ReadFormula | null {
  try {
    return read(formula);
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    expect(JSON.stringify(toProblem(formula, error)).length).toBeLessThan(8_000);
    return null;
  }
}

/** What everything that is made of a formula comes to, within bounds that hold for any formula. */
function expectBounded({ node, condition, tests }: ReadFormula): void {
  if (node === null || condition === null) return;
  expect(tests).toBe(leavesOf(condition).length);
  expect(tests).toBeLessThanOrEqual(formulaLimits.tests);
  const values: unknown[] = [];
  const options = { resource: 'image', lang: 'en', parameter: (value: unknown) => `$${values.push(value)}` } as const;
  const resolved = !/"kind":"similarity"/.test(
    JSON.stringify(condition, (key, value) => (key === 'field' ? 0 : value)),
  );
  if (resolved) compileCondition(condition, options);
  compileRelevance(condition, options);
  // PostgreSQL takes 65 535 parameters; the words are counted twice here.
  expect(values.length).toBeLessThan(65_535);
  expect(findContradictions(condition).length).toBeLessThanOrEqual(contradictionLimits.found);
  const clauses = clausesOf(node, condition, createDescriber('image', 'en'));
  expect(clauses.length).toBeLessThanOrEqual(3 * formulaLimits.terms);
  expect(clauses.reduce((sum, { text, sentence }) => sum + text.length + sentence.length, 0)).toBeLessThan(2 ** 20);
}

describe('the work that a formula makes is bounded', () => {
  it.each(large.map((formula) => [formula.slice(0, 30), formula] as const))('for %s …', (_, formula) => {
    expect.hasAssertions();
    const found = understood(formula);
    if (found !== null) expectBounded(found);
  });

  it('whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(anyFormula, { minLength: 1, maxLength: 60 }),
        fc.constantFrom('', ' ', ' OR '),
        (parts, join) => {
          const found = understood(parts.join(join));
          if (found !== null) expectBounded(found);
        },
      ),
      { numRuns: runsOf('saved formulas') },
    );
  });

  it('whatever it is made of that was saved', async () => {
    const name = fc.integer({ min: 0, max: 30 }).map((n) => `saved:n${n}`);
    const part = fc.oneof(name, name, fc.constantFrom('dog', 'country:es,fr', 'width:1..2', 'i~1', 'no:title'));
    const text = fc
      .array(part, { minLength: 1, maxLength: 12 })
      .map((parts) => parts.map((each, index) => (index % 2 === 0 ? `(${each} x${index})` : `-${each}`)).join(' OR '));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 31 }), async (texts) => {
        // Each names those before it, so that some of them make sense, and a few those after it.
        const formulas = new Map(texts.map((own, n) => [`n${n}`, parse(below(own, n))]));
        const saved = await readSaved(formulas, { resource: 'image', now });
        for (const each of saved.values()) {
          if ('code' in each) expect(each.problem.length + each.hint.length).toBeLessThan(1_000);
          else expect(each.tests).toBeLessThanOrEqual(formulaLimits.tests);
        }
        const findSaved = (wanted: string) => saved.get(wanted) ?? null;
        for (const wanted of formulas.keys()) {
          const found = (() => {
            try {
              return read(`dog saved:${wanted} -saved:${wanted}`, { findSaved });
            } catch (error) {
              expect(error).toBeInstanceOf(FormulaError);
              return null;
            }
          })();
          if (found !== null) expectBounded(found);
        }
      }),
      { numRuns: runsOf('work of formulas') },
    );
  });

  it('in one statement that counts its parts', () => {
    const { node, condition } = read(large[5] ?? '');
    if (node === null || condition === null) return expect.unreachable();
    const clauses = clausesOf(node, condition, createDescriber('image', 'en'));
    const asked = withinStatement([...clauses, ...clauses, ...clauses, ...clauses]);
    expect(asked.length).toBeGreaterThan(clauses.length);
    expect(asked.length).toBeLessThan(4 * clauses.length);
  });
});

/** The formula with names of those before the `n`th only; the first names none. */
function below(text: string, n: number): string {
  return text.replace(/saved:n(\d+)/g, (_, digits: string) => (n === 0 ? 'cat' : `saved:n${Number(digits) % n}`));
}
