import fc from 'fast-check';

const [firstSurrogate, surrogates, codePoints] = [0xd800, 0x800, 0x11_0000];

/**
 * Any character, as a unit of `fc.string`. The unit `binary` of the library gives the same, but makes a table of a million of
 * them for each process first.
 */
export const character = fc.nat({ max: codePoints - surrogates - 1 }).map(
  (at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates),
  (text) => {
    const point = typeof text === 'string' && /^\P{Surrogate}$/su.test(text) ? text.codePointAt(0) : undefined;
    if (point === undefined) throw new Error('not one character');
    return point < firstSurrogate ? point : point - surrogates;
  },
);
