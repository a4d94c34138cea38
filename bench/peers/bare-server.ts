// The baseline: node:http and one prepared statement per request. GET /page?v=es, /count?v=es, /word?v=beach
import { createServer } from 'node:http';
import process from 'node:process';
import pg from 'pg';
import { statements } from './queries.ts';

const [, , url = '', key = '', tenant = '1'] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: 20 });

createServer((request, response) => {
  if (request.headers['api-key'] !== key) return response.writeHead(401).end();
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const name = pathname.slice(1) as keyof typeof statements;
  pool.query({ name, text: statements[name], values: [tenant, searchParams.get('v')] }).then(
    ({ rows }) => {
      const body = JSON.stringify(name === 'count' ? rows[0] : { results: rows });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
    },
    () => response.writeHead(500).end(),
  );
}).listen(0, '127.0.0.1', function (this: { address(): unknown }) {
  process.stdout.write(`http://127.0.0.1:${(this.address() as { port: number }).port}\n`);
});
