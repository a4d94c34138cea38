import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '../processes.ts';
import type { World } from '../world.ts';
import { measure, variantOf } from './measures.ts';
import type { Measures, Query, Ranking } from './measures.ts';
import { readPhotographs, saveOriginal, saveVariants, variantKinds } from './pictures.ts';
import { importPictures, rankByService } from './service.ts';
import { readThemes } from './themes.ts';
import { rankBy, vectorsOf } from './vectors.ts';

/** Number of photographs, evenly spaced, that have variants by default. */
const usualScenes = 45;

/**
 * How well `i~` ranks, measured over HTTP, compared with the full features and with their stored bytes, both without
 * thresholds. README.md describes the contents of the folder.
 */
export async function benchRanking(world: World, folder: string, scenes = usualScenes): Promise<void> {
  const media = join(world.folder, 'media');
  mkdirSync(media, { recursive: true });
  const { files, query } = await prepare(folder, media, scenes);
  const said = `${query.originals.size} photographs, ${files.size} pictures, ${query.themes.size} with a theme`;
  process.stdout.write(`${said}\n`);
  const environment = { ...world.environment, AI_ANALYSIS: 'on', WORKERS: '2' };
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], environment);
  const client = { url: service.url, key: world.key };
  await importPictures(client, new Map([...files.keys()].map((name) => [name, `${name}.jpg`])));
  const answers = new Map<string, Ranking>();
  for (const name of files.keys()) answers.set(name, await rankByService(client, name));
  await service.stop();
  const { raw, kept } = await vectorsOf(files);
  writeLine({
    'i~ of the service': measure((name) => answers.get(name) ?? [], query),
    'bytes kept, no threshold': measure(rankBy(kept), query),
    'all 1776 features': measure(rankBy(raw), query),
  });
}

/** Makes the pictures and determines which belong together. */
async function prepare(
  folder: string,
  target: string,
  scenes: number,
): Promise<{ files: ReadonlyMap<string, string>; query: Query }> {
  const photographs = await readPhotographs(folder);
  const files = new Map<string, string>();
  const place = (name: string) => {
    const file = join(target, `${name}.jpg`);
    files.set(name, file);
    return file;
  };
  for (const photograph of photographs) await saveOriginal(photograph, place(photograph.name));
  const step = Math.max(1, Math.floor(photographs.length / scenes));
  const chosen = photographs.filter((_, k) => k % step === 0).slice(0, scenes);
  for (const { name } of chosen) {
    await saveVariants(files.get(name) as string, (kind) => place(variantOf(name, kind)));
  }
  const names = photographs.map(({ name }) => name);
  const themes = readThemes(readFileSync(join(folder, 'themes.txt'), 'utf8'), names);
  const query = {
    scenes: new Map(chosen.map(({ name }) => [name, variantKinds])),
    themes,
    originals: new Set(names),
  };
  return { files, query };
}

function writeLine(rows: Readonly<Record<string, Measures>>): void {
  const line = (what: string, values: readonly string[]) =>
    process.stdout.write(`${what.padEnd(26)} ${values.map((value) => value.padStart(9)).join(' ')}\n`);
  line('', ['scene mAP', 'R@10', 'theme mAP', 'R@10', 'P@1']);
  const share = (value: number) => value.toFixed(3);
  for (const [what, { sceneMap, sceneRecall, themeMap, themeRecall, themeFirst }] of Object.entries(rows)) {
    line(what, [sceneMap, sceneRecall, themeMap, themeRecall, themeFirst].map(share));
  }
  line('\noriginal comes first', variantKinds);
  for (const [what, { originalFirst }] of Object.entries(rows)) {
    line(
      what,
      variantKinds.map((kind) => (originalFirst.get(kind) ?? 0).toFixed(2)),
    );
  }
}
