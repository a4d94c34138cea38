import { expect, it } from 'vitest';
import { createFileNames } from '../../src/exports/file-names.ts';

it.each(['x', 'é', '東', '𠮷'])(
  'the name of a file with a long id of %s fits on every disk, as its sidecar does',
  (letter) => {
    const nameOf = createFileNames();
    const names = [1, 2, 3].map((number) => nameOf(letter.repeat(120) + number, 'jpg'));
    expect(new Set(names).size).toBe(3);
    for (const name of names) {
      expect(name).toMatch(/^(?:x|é|東|𠮷){50,100}(?: \(\d\))?\.jpg$/u);
      expect(Buffer.byteLength(`${name}.xmp`)).toBeLessThanOrEqual(255);
    }
  },
);
