// The baseline: node:http and one prepared statement per request, nothing else.
import { createServer } from 'node:http';
import process from 'node:process';
import pg from 'pg';
import { defaultImageFields, imageFields } from '../rest/endpoints/contract.ts';

const [, , url = '', key = '', tenant = '1'] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: 20 });
const columns = (fields: readonly string[]) => fields.map((name) => `"${name}"`).join(', ');
const byId = `SELECT ${columns(defaultImageFields)} FROM image WHERE tenant_id = $1 AND image_id = $2`;
const page = `SELECT ${columns(imageFields)} FROM image WHERE tenant_id = $1
  ORDER BY created_at DESC, image_id LIMIT $2 OFFSET 0`;

createServer((request, response) => {
  if (request.headers['api-key'] !== key) return response.writeHead(401).end();
  const path = request.url ?? '';
  const isPage = path.startsWith('/imgs?');
  const query = isPage
    ? { name: 'page', text: page, values: [tenant, 1000] }
    : { name: 'by-id', text: byId, values: [tenant, decodeURIComponent(path.slice('/imgs/'.length))] };
  pool.query(query).then(
    ({ rows }) => {
      const body = JSON.stringify(isPage ? { results: rows, count: null, facets: {} } : rows[0]);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
    },
    () => response.writeHead(500).end(),
  );
}).listen(0, '127.0.0.1', function (this: { address(): unknown }) {
  process.stdout.write(`http://127.0.0.1:${(this.address() as { port: number }).port}\n`);
});
