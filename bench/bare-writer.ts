// The baseline for accepting writes: node:http and one INSERT of an operation and its payload per request.
import { createServer } from 'node:http';
import process from 'node:process';
import pg from 'pg';

const [, , url = '', key = '', tenant = '1'] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: 20 });
await pool.query(`
  CREATE TABLE bare_operation (LIKE operation INCLUDING ALL);
  CREATE TABLE bare_payload (operation_id bigint PRIMARY KEY, elements json NOT NULL)`);
const accept = `
  WITH accepted AS (
    INSERT INTO bare_operation (tenant_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict)
    VALUES ($1, 'images.update', 'upd', 'image', 1, false, false, false) RETURNING id
  )
  INSERT INTO bare_payload SELECT id, $2::json FROM accepted RETURNING operation_id AS id`;

const server = createServer((request, response) => {
  if (request.headers['api-key'] !== key) return response.writeHead(401).end();
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.once('end', () => {
    const elements = JSON.stringify([JSON.parse(Buffer.concat(parts).toString()) as unknown]);
    pool.query({ name: 'accept', text: accept, values: [tenant, elements] }).then(
      ({ rows }: { rows: { id: string }[] }) =>
        response
          .writeHead(202, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ operation_id: Number(rows[0]?.id), num_total: 1, message: 'accepted' })),
      () => response.writeHead(500).end(),
    );
  });
});
server.listen(0, '127.0.0.1', function (this: { address(): unknown }) {
  process.stdout.write(`http://127.0.0.1:${(this.address() as { port: number }).port}\n`);
});
process.once('SIGTERM', () => {
  pool.query('DROP TABLE bare_operation, bare_payload').finally(() => process.exit(0));
});
