import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../rest/compat/json.ts';
import { checkArriving, JsonFault, JsonTooLarge, parseJsonInSlices } from '../../src/lib/json/index.ts';

const roomy = { values: 1e6, valueBytes: 1e6 };

type Outcome = Readonly<{ value: unknown }> | Readonly<{ message: string; at: number }>;

async function outcomeOf(parse: () => unknown): Promise<Outcome> {
  try {
    return { value: await parse() };
  } catch (error) {
    if (error instanceof JsonFault) return { message: error.message, at: error.at };
    throw error;
  }
}

/** As a whole, and in fragments of so few bytes that every container is put together from several. */
async function bothWays(text: string, fragmentBytes: number): Promise<[Outcome, Outcome]> {
  const inSlices = () => parseJsonInSlices(Buffer.from(text), parseJson, roomy, { fragmentBytes });
  return [await outcomeOf(() => parseJson(text)), await outcomeOf(inSlices)];
}

describe('JSON that is parsed in slices', () => {
  it('is what it is when it is parsed as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom(0, 1, 2),
        fc.integer({ min: 1, max: 40 }),
        async (value, indent, size) => {
          const [whole, sliced] = await bothWays(JSON.stringify(value, null, indent), size);
          expect(sliced).toEqual(whole);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('has the same fault at the same place when it is broken', async () => {
    const broken = fc
      .tuple(
        fc.jsonValue(),
        fc.nat(),
        fc.nat(3),
        fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', ' ', '1', ' ,', '\\'),
      )
      .map(([value, place, cut, inserted]) => {
        const text = JSON.stringify(value, null, place % 2);
        const at = place % (text.length + 1);
        return text.slice(0, at) + inserted + text.slice(at + cut);
      })
      .filter((text) => text.isWellFormed());
    await fc.assert(
      fc.asyncProperty(broken, fc.integer({ min: 1, max: 40 }), async (text, size) => {
        const [whole, sliced] = await bothWays(text, size);
        expect(sliced).toEqual(whole);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['[ ,1]'],
    ['[,1]'],
    ['[1,]'],
    ['[[1,2] [3]]'],
    ['[[1,2],,3]'],
    ['[[1,2]}'],
    ['{"a":[1,2] "b":1}'],
    ['{"a" [1,2]}'],
    ['{[1,2]}'],
    ['[x [1,2]]'],
    ['[[1,2]'],
    ['[[1,2],'],
    ['{"a":{"b":1},'],
    ['["é", x]'],
    ['[1,2] 3'],
    ['{"a":1,"a":{"__proto__":[1,2]},"__proto__":{"x":[1]}}'],
    ['[NaN, [Infinity, -Infinity]]'],
  ])('agrees on %s', async (text) => {
    for (const size of [1, 2, 3, 5, 8, 13]) {
      const [whole, sliced] = await bothWays(text, size);
      expect(sliced).toEqual(whole);
    }
  });

  it('lets other work run in between', async () => {
    const text = Buffer.from(
      JSON.stringify(Array.from({ length: 200_000 }, (_, i) => ({ id: String(i), tags: ['a', 'b'] }))),
    );
    let leases = 0;
    let isOver = false;
    const count = () => void (isOver || ((leases += 1), setImmediate(count)));
    count();
    const value = await parseJsonInSlices(text, JSON.parse, roomy);
    isOver = true;
    expect(value).toHaveLength(200_000);
    expect(leases).toBeGreaterThan(2);
  });

  it.each(['[', '{"a":'])('is refused where it is nested too deep: %s', async (piece) => {
    const reading = parseJsonInSlices(Buffer.from(piece.repeat(400_000)), JSON.parse, roomy);
    await expect(reading).rejects.toBeInstanceOf(RangeError);
  });

  it.each([
    ['[],', 'values'],
    ['1,', 'values'],
    ['a', 'valueBytes'],
    ['1', 'valueBytes'],
  ])('is refused before it is parsed when %s comes again and again', async (piece, limit) => {
    const start = piece === 'a' ? '["' : '[';
    const text = Buffer.from(start + piece.repeat(400_000));
    const reading = parseJsonInSlices(text, JSON.parse, { values: 100_000, valueBytes: 100_000 });
    await expect(reading).rejects.toEqual(new JsonTooLarge(limit as 'values' | 'valueBytes'));
  });

  it('is parsed where its values stand densely only for a while, whatever its texts hold', async () => {
    const value = [...Array.from({ length: 60_000 }, () => []), '\\"[,'.repeat(100_000), { 'a","[': ',,,,' }];
    const text = Buffer.from(JSON.stringify(value));
    await expect(parseJsonInSlices(text, JSON.parse, { values: 130_000, valueBytes: 1e6 })).resolves.toEqual(value);
  });
});

describe('JSON that arrives in pieces', () => {
  const pieces = (text: string, sizes: readonly number[]) => {
    const bytes = Buffer.from(text);
    const found: Buffer[] = [];
    for (let [at, n] = [0, 0]; at < bytes.length; n += 1) {
      const size = sizes[n % sizes.length] ?? 1;
      found.push(bytes.subarray(at, at + size));
      at += size;
    }
    return found;
  };
  const limitOf = (text: string, sizes: readonly number[], values: number, valueBytes: number) => {
    const check = checkArriving({ values, valueBytes });
    try {
      for (const piece of pieces(text, sizes)) check(piece);
      return null;
    } catch (error) {
      return (error as JsonTooLarge).limit;
    }
  };

  it('is refused as soon as it has too many values, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
        (value, sizes) => {
          const text = JSON.stringify(value);
          const count = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').replaceAll(/[^,[{]/g, '').length;
          expect(limitOf(text, sizes, count, 1e6)).toBeNull();
          if (count > 0) expect(limitOf(text, sizes, count - 1, 1e6)).toBe('values');
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a', 100, null],
    ['a', 101, 'valueBytes'],
    ['\\"', 51, 'valueBytes'],
    ['\\\\', 50, null],
  ])('is refused when a string is too long: %j, %d times', (part, times, limit) => {
    expect(limitOf(`["${part.repeat(times)}"]`, [7], 10, 100)).toBe(limit);
  });
});
