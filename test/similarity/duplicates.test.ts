import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toReference } from '../../src/similarity/calibration/calibrate.ts';
import { findDuplicates, verifyTop } from '../../src/similarity/groups/find-duplicates.ts';
import type { DuplicateSources } from '../../src/similarity/groups/find-duplicates.ts';
import { ScanPool } from '../../src/similarity/index/scan-pool.ts';
import { SharedHeap } from '../../src/similarity/index/shared-heap.ts';
import { SimilarityIndex } from '../../src/similarity/index/similarity-index.ts';
import { defaultThresholds, tierHolds } from '../../src/similarity/compare/tiers.ts';
import type { DuplicateOperator } from '../../src/similarity/compare/tiers.ts';
import { readRaster, regionCount, signPicture } from '../../src/analysis/index.ts';
import type { Signature } from '../../src/analysis/index.ts';
import { corpusFolder, noCorpus, readManifest } from '../support/corpus.ts';
import { drawForm } from '../support/forms.ts';
import { firstOf, full } from '../support/effort.ts';

const read = (file: string) => readFileSync(join(corpusFolder, file));
type Variant = Readonly<{ file: string; of: string; transform: string; expected: string }>;

/** Pictures in an index, by their names. */
class Catalog {
  readonly #heap = new SharedHeap(16 * 1024 * 1024);
  readonly #pool = new ScanPool(this.#heap, 1);
  readonly #index = new SimilarityIndex(this.#heap, this.#pool, regionCount, 0);
  readonly #signatures = new Map<number, Signature>();
  readonly #names = new Map<number, string>();

  async add(name: string, bytes: Buffer): Promise<void> {
    const id = this.#names.size + 1;
    const signature = await signPicture(await readRaster(bytes));
    this.#names.set(id, name);
    this.#signatures.set(id, signature);
    this.#index.put({ id, hashes: signature, vector: null });
  }

  get search(): DuplicateSources {
    return {
      index: this.#index,
      thresholds: defaultThresholds,
      closer: async (ids) =>
        new Map(ids.map((id) => [id, { checksum: null, details: this.#signatures.get(id)?.details ?? null }])),
      sameFile: async () => [],
    };
  }

  /** What is found for a picture, as names. */
  async find(bytes: Buffer, operator: DuplicateOperator) {
    const matches = await findDuplicates(this.search, await toReference(bytes), operator);
    return [...matches].map(([id, match]) => ({ name: this.#names.get(id) as string, ...match }));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

describe.skipIf(noCorpus)('duplicates among the photographs of the corpus', () => {
  const catalog = new Catalog();
  const found: (Variant & { tiers: Map<string, 'near' | 'same' | 'edited'> })[] = [];

  beforeAll(async () => {
    for (const { file } of readManifest().originals) await catalog.add(file, read(file));
    for (const variant of firstOf(22, readManifest().variants as unknown as Variant[])) {
      const matches = await catalog.find(read(variant.file), '=');
      found.push({ ...variant, tiers: new Map(matches.map(({ name, tier }) => [name, tier])) });
    }
  }, 240_000);
  afterAll(() => catalog.close());

  const share = (expected: string, operator: DuplicateOperator) => {
    const own = found.filter((variant) => variant.expected === expected);
    const right = own.filter(({ tiers, of }) => {
      const tier = tiers.get(of);
      return tier !== undefined && tierHolds(operator, tier);
    });
    return right.length / own.length;
  };

  it('are found by the operator that must find them', () => {
    expect(share('pixel-near', '===')).toBeGreaterThanOrEqual(0.98);
    expect(share('same-picture', '==')).toBeGreaterThanOrEqual(0.95);
    expect(share('edited-copy', '=')).toBeGreaterThanOrEqual(0.9);
    expect(share('variant-may-match', '=')).toBeGreaterThanOrEqual(0.7);
  });

  it('are never another photograph', () => {
    expect(
      found.flatMap(({ file, of, tiers }) =>
        [...tiers.keys()].filter((name) => name !== of).map((name) => [file, name]),
      ),
    ).toEqual([]);
  });

  it('say how they match: crop and place, flip, turn', async () => {
    const one = async (transform: string) => (await catalog.find(read(`variants/p02-cat/${transform}.jpg`), '='))[0];
    expect(await one('crop_25')).toMatchObject({ tier: 'edited', by: 'geometry', isCrop: true, isVerified: true });
    const box = (await one('crop_25'))?.overlap?.[1];
    expect([box?.x, box?.y, box?.width, box?.height].map((side) => Math.round((side ?? 0) * 10))).toEqual([1, 1, 8, 8]);
    expect(await one('flip_h')).toMatchObject({ tier: 'edited', rotation: 'flipHorizontal' });
    expect(await one('rotate_90')).toMatchObject({ tier: 'edited', rotation: 'rotate270' });
    const turned = await one('rotate_3deg');
    expect(turned).toMatchObject({ tier: 'edited', rotation: 'identity' });
    expect(Math.abs(turned?.degrees ?? 0)).toBeCloseTo(3, 0);
  });

  it('are verified from the nearest on, and one that fails is left out', async () => {
    const reference = await toReference(read('variants/p02-cat/recompress_q30.jpg'));
    const matches = await findDuplicates(catalog.search, reference, '===');
    const verified = await verifyTop(catalog.search, reference, matches);
    expect([...verified.values()]).toMatchObject([{ tier: 'near', isVerified: true, by: 'geometry' }]);
    // Hashes that agree by accident or intent: corners and pixels of another picture do not.
    const other = await toReference(read('originals/p07-dogs.jpg'));
    const forged = { ...reference, details: other.details, mirrored: other.mirrored ?? null };
    expect(await verifyTop(catalog.search, forged, matches)).toEqual(new Map());
  });
});

describe.skipIf(noCorpus)('pictures with little to see', () => {
  const catalog = new Catalog();
  afterAll(() => catalog.close());

  const plain = (background: string, extra = '') =>
    sharp(
      Buffer.from(`<svg width="400" height="300"><rect width="400" height="300" fill="${background}"/>${extra}</svg>`),
    )
      .png()
      .toBuffer();
  const word = (text: string) => `<text x="150" y="160" font-size="24" fill="#222">${text}</text>`;

  it('do not match by hash alone, and match when their pixels are the same', async () => {
    const pictures = {
      red: await plain('#c00000'),
      green: await plain('#007000'),
      white: await plain('#ffffff'),
      invoice: await plain('#ffffff', word('Invoice 17')),
      receipt: await plain('#ffffff', word('Receipt 42')),
    };
    for (const [name, bytes] of Object.entries(pictures)) await catalog.add(name, bytes);
    for (const [name, bytes] of Object.entries(pictures)) {
      const again = await sharp(bytes).jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer();
      for (const operator of ['=', '==', '==='] as const) {
        const names = (await catalog.find(again, operator)).map((match) => match.name);
        expect([name, operator, names.filter((each) => each !== name)]).toEqual([name, operator, []]);
      }
    }
    expect((await catalog.find(pictures.invoice, '===')).map(({ name, by }) => [name, by])).toEqual([
      ['invoice', 'pixels'],
    ]);
  });

  it('do not match for the ruled lines of a form that they share', full, async () => {
    const forms = new Catalog();
    const made = await Promise.all([0, 1, 2, 3].map(drawForm));
    for (const [k, bytes] of made.entries()) await forms.add(`form ${k}`, bytes);
    for (const [k, bytes] of made.entries()) {
      const again = await sharp(bytes).jpeg({ quality: 60 }).toBuffer();
      const matches = await forms.find(again, '=');
      expect(matches.map(({ name, by }) => [name, by])).toEqual([[`form ${k}`, 'hash']]);
    }
    await forms.close();
  });

  it('do not match for a logo or a banner that they share', full, async () => {
    const stamped = new Catalog();
    const banner =
      '<rect width="400" height="60" fill="#102030"/><text x="10" y="45" font-size="44" fill="#fff">DAILY NEWS 24</text>';
    const stamp = async (file: string) => {
      const svg = Buffer.from(`<svg width="400" height="300">${banner}</svg>`);
      return sharp(read(file))
        .resize(400, 300, { fit: 'cover' })
        .composite([{ input: svg }])
        .jpeg()
        .toBuffer();
    };
    const files = readManifest().originals.map(({ file }) => file);
    for (const file of files) await stamped.add(file, await stamp(file));
    for (const file of files)
      expect((await stamped.find(await stamp(file), '=')).map(({ name }) => name)).toEqual([file]);
    await stamped.close();
  });
});
