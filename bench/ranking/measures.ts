/** The results of a query, best first, without the query itself. */
export type Ranking = readonly string[];

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Average precision; pictures missing from the results count as if they came at the end of an endless list. */
export function averagePrecision(ranking: Ranking, relevant: ReadonlySet<string>): number {
  let [hits, sum] = [0, 0];
  for (const [k, name] of ranking.entries()) {
    if (!relevant.has(name)) continue;
    hits += 1;
    sum += hits / (k + 1);
  }
  return relevant.size === 0 ? 0 : sum / relevant.size;
}

/** Fraction of the relevant pictures, counting at most ten, that are among the first ten results. */
export function recallAt10(ranking: Ranking, relevant: ReadonlySet<string>): number {
  return ranking.slice(0, 10).filter((name) => relevant.has(name)).length / Math.min(10, relevant.size);
}

/**
 * What is measured: finding pictures of the same scene among all, of the same theme among originals, and the
 * originals of variants.
 */
export type Query = Readonly<{
  scenes: ReadonlyMap<string, readonly string[]>;
  themes: ReadonlyMap<string, string>;
  originals: ReadonlySet<string>;
}>;

export type Measures = Readonly<{
  sceneMap: number;
  sceneRecall: number;
  themeMap: number;
  themeRecall: number;
  themeFirst: number;
  /** For each kind of variant, the share whose original ranks first among the originals. */
  originalFirst: ReadonlyMap<string, number>;
}>;

/** The name of a variant. */
export const variantOf = (original: string, kind: string) => `${original}~${kind}`;

/** Measures a way to rank. Means over themes are means of the themes' means. */
export function measure(rank: (name: string) => Ranking, { scenes, themes, originals }: Query): Measures {
  const sceneQueries = [...scenes].flatMap(([original, kinds]) => {
    const all = [original, ...kinds.map((kind) => variantOf(original, kind))];
    return all.map((name) => ({ ranking: rank(name), relevant: new Set(all.filter((other) => other !== name)) }));
  });
  const themed = [...new Set(themes.values())]
    .map((theme) => [...themes.keys()].filter((name) => themes.get(name) === theme))
    .filter((members) => members.length > 1)
    .map((members) =>
      members.map((name) => ({
        ranking: rank(name).filter((other) => originals.has(other)),
        relevant: new Set(members.filter((other) => other !== name)),
      })),
    );
  const overThemes = (of: (ranking: Ranking, relevant: ReadonlySet<string>) => number) =>
    mean(themed.map((queries) => mean(queries.map(({ ranking, relevant }) => of(ranking, relevant)))));
  const kinds = new Set([...scenes.values()].flat());
  const isFirst = (original: string, kind: string) =>
    rank(variantOf(original, kind)).find((name) => originals.has(name)) === original ? 1 : 0;
  return {
    sceneMap: mean(sceneQueries.map(({ ranking, relevant }) => averagePrecision(ranking, relevant))),
    sceneRecall: mean(sceneQueries.map(({ ranking, relevant }) => recallAt10(ranking, relevant))),
    themeMap: overThemes(averagePrecision),
    themeRecall: overThemes(recallAt10),
    themeFirst: overThemes(([first = ''], relevant) => (relevant.has(first) ? 1 : 0)),
    originalFirst: new Map(
      [...kinds].map((kind) => [kind, mean([...scenes.keys()].map((original) => isFirst(original, kind)))]),
    ),
  };
}
