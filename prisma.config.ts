import process from 'node:process';
import { defineConfig } from 'prisma/config';

// `prisma generate` only needs this path to exist: it parses the schema with WebAssembly.
// Without it, Prisma tries to download a native engine, which a closed network refuses.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
});
