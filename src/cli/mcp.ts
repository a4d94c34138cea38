import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Command } from 'commander';
import { mcpPath } from '../app/mcp-path.ts';
import { readConfig } from '../config/config.ts';
import { SetupError } from '../lib/errors.ts';
import { isWebUrl, ownHost, plainUrl } from '../lib/plain-url.ts';
import { readKeyFile } from './key-file.ts';

/** How long to wait for pending answers once the input has ended: as long as a mutation may take. */
const lastAnswersMs = 150_000;

type Options = Readonly<{ url?: string; keyFile?: string }>;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve the Model Context Protocol over stdio, for a running service')
    .option('--url <url>', 'where the service answers; by default HOST and PORT')
    .option('--key-file <file>', 'file with the API key; by default ADMIN_API_KEY, or the key in DATA_DIR')
    .action(speak);
}

/** The endpoint of a service whose address may have a path, or name the endpoint itself. */
function endpointOf(url: string): URL {
  const base = plainUrl(url);
  return new URL(base.endsWith(mcpPath) ? base : `${base}${mcpPath}`);
}

/** Passes each message to the service, which has the same tools over HTTP. */
async function speak({ url, keyFile }: Options): Promise<void> {
  const config = readConfig();
  if (url !== undefined && !isWebUrl(url)) {
    throw new SetupError('--url takes the address of a service, such as http://127.0.0.1:4000.');
  }
  const address = endpointOf(url ?? `http://${ownHost(config.host)}:${config.port}`);
  const own = keyFile === undefined ? config.adminApiKey : undefined;
  const path = keyFile ?? join(config.dataDir, 'admin-key');
  const key = own ?? (await readKeyFile(path, 'Name a file with --key-file.'));
  const stdio = new StdioServerTransport();
  const service = new StreamableHTTPClientTransport(address, { requestInit: { headers: { 'API-Key': key } } });
  const passOn = async (message: JSONRPCMessage) => {
    try {
      await service.send(message);
    } catch (error) {
      if (!('id' in message) || !('method' in message)) return;
      const said = error instanceof Error ? error.message : String(error);
      await stdio.send({
        jsonrpc: '2.0',
        id: message.id,
        error: { code: -32000, message: `${address.href}: ${said}` },
      });
    }
  };
  const ended = new Promise<void>((resolve) => {
    Object.assign(stdio, { onclose: resolve });
    process.stdin.once('end', resolve);
  });
  // The transports have no other listeners.
  const pending = new Set<Promise<void>>();
  const take = (message: JSONRPCMessage) => {
    const passed = passOn(message).finally(() => pending.delete(passed));
    pending.add(passed);
  };
  Object.assign(stdio, { onmessage: take });
  Object.assign(service, { onmessage: (message: JSONRPCMessage) => void stdio.send(message) });
  await service.start();
  await stdio.start();
  await ended;
  // Requests made before the end are still answered; closing the transport would abort them.
  await Promise.race([Promise.allSettled(pending), sleep(lastAnswersMs, null, { ref: false })]);
  await service.close();
}
