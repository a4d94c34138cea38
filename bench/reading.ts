import type autocannon from 'autocannon';
import { imageFields } from '../rest/endpoints/contract.ts';
import { interleaved, ratio, report, requestsPerSecond } from './measure.ts';
import { startServer } from './processes.ts';
import type { World } from './world.ts';

const seconds = 3;
/** The first round warms up and is not counted. */
const rounds = 5;
const defaultSelection = 'height width src urlImgWatermark urlImgThumbnail nFaces title headline caption';

/** Reading one record and a page of a thousand, compared with node:http and the same SQL. */
export async function benchReading(world: World): Promise<void> {
  const bare = await startServer(['dist/bench/bare-server.js', world.databaseUrl, world.key, String(world.tenantId)]);
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
  const headers = { 'API-Key': world.key };
  const ids = Array.from({ length: 500 }, (_, i) => `image-${1 + ((i * 7919) % world.records)}`);
  const byId = ids.map((id) => ({ method: 'GET' as const, path: `/imgs/${id}`, headers }));
  const query = `query One($id: ID!) { image(id: $id) { ${defaultSelection} } }`;
  const byGraphQL: autocannon.Request[] = ids.map((id) => ({
    method: 'POST',
    path: '/graphql',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables: { id } }),
  }));
  const run =
    (url: string, requests: autocannon.Request[], connections = 16) =>
    () =>
      requestsPerSecond({ url, connections, seconds, requests });
  const one = await interleaved(rounds, {
    bare: run(bare.url, byId),
    rest: run(service.url, byId),
    graphql: run(service.url, byGraphQL),
  });
  const perSecond = (value: number) => `${Math.round(value)}/s`;
  const base = `bare ${perSecond(one.bare)}`;
  report('GET /imgs/{id}, default fields', ratio(one.rest, one.bare), '≥ 0.8 ×', `${perSecond(one.rest)}, ${base}`);
  report('the same over POST /graphql', ratio(one.graphql, one.bare), '≥ 0.5 ×', `${perSecond(one.graphql)}, ${base}`);

  const fields = imageFields.map((name) => `fields=${name}`).join('&');
  const page = [{ method: 'GET' as const, path: `/imgs?limit=1000&${fields}`, headers }];
  const pages = await interleaved(rounds, { bare: run(bare.url, page, 4), rest: run(service.url, page, 4) });
  report(
    'GET /imgs?limit=1000, all fields',
    ratio(pages.rest, pages.bare),
    '≥ 0.8 ×',
    `${pages.rest.toFixed(1)}/s, bare ${pages.bare.toFixed(1)}/s`,
  );
  await bare.stop();
  await service.stop();
}
