import type { Executor } from '../graphql/index.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendReply } from '../http/reply/send.ts';
import { AppError } from '../lib/errors.ts';
import { ReplyError } from '../lib/http-contract.ts';
import type { Reply } from '../lib/http-contract.ts';
import { checkArriving, JsonTooLarge, parseJsonInSlices, readUtf8 } from '../lib/json/index.ts';
import { TimeSlice } from '../lib/time-slice.ts';
import { answerMessages, documentText, openProposals, toolLimits } from '../mcp/index.ts';
import type { ToolCaller, ShownPicture } from '../mcp/index.ts';
import type { Previews } from '../previews/index.ts';
import { forTenant } from '../tenants/index.ts';
import { identifyCaller, toRefusal } from './caller.ts';
import type { CallerDeps } from './caller.ts';
import { mcpPath } from './mcp-path.ts';

type McpDeps = CallerDeps & Readonly<{ previews?: Previews; compile: Executor['compile'] }>;

/** Answers POST /mcp: one message of the Model Context Protocol, with the permissions of the key. */
export function createMcpEndpoint(deps: McpDeps): (exchange: Exchange) => Promise<void> | void {
  return async (exchange) => {
    const reply = await answer(exchange, deps).catch((error: unknown) => {
      if (error instanceof ReplyError) throw error;
      return toRefusal(deps.explain(error, exchange.requestId));
    });
    return sendReply(exchange, reply);
  };
}

async function answer(exchange: Exchange, deps: McpDeps): Promise<Reply> {
  const viewer = await identifyCaller(exchange, deps.identify);
  const context = deps.createContext(viewer, exchange.requestId, exchange);
  const body = await readMessage(exchange);
  const caller: ToolCaller = {
    execute: (document, variables) => deps.compile(documentText(document)).execute(variables, context),
    readPreview: (address) => readPreview(deps.previews, address),
    proposals: openProposals(forTenant(context.services.database, viewer.tenantId), viewer.keyId),
    explain: (error) => deps.explain(error, exchange.requestId),
  };
  const response = await answerMessages(requestOf(exchange), body, caller);
  const text = await response.text();
  const content = text === '' ? {} : { bytes: { type: 'application/json', content: Buffer.from(text) } };
  return { status: response.status, ...content };
}

/** @throws AppError for a body that is not JSON, is too large, or contains several messages; what `readBody` throws */
async function readMessage(exchange: Exchange): Promise<unknown> {
  let body: unknown;
  // Checking the input of a tool takes microseconds for each value, and cannot be divided.
  const jsonLimits = { ...exchange.jsonLimits, values: toolLimits.values };
  try {
    const bytes = readUtf8(await exchange.readBody(checkArriving(jsonLimits)));
    if (bytes === null) throw new AppError('invalid_argument', 'The body is not UTF-8');
    checkArriving(jsonLimits)(bytes); // A short body is not checked while it arrives.
    const slice = () => new TimeSlice(exchange.tenantId);
    body = await parseJsonInSlices(bytes, JSON.parse, jsonLimits, { slice });
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new AppError('too_large', `The JSON body is too large: ${error.message}`);
    if (error instanceof ReplyError || error instanceof AppError) throw error;
    throw new AppError('invalid_argument', 'The body is not JSON', { hint: 'Send one JSON-RPC message.' });
  }
  // Each message has to be a separate request, so that request limits apply.
  if (Array.isArray(body)) {
    throw new AppError('invalid_argument', 'The body is a list', { hint: 'Send one JSON-RPC message.' });
  }
  return body;
}

const passedOn = ['accept', 'content-type', 'mcp-protocol-version'];

function requestOf(exchange: Exchange): Request {
  const headers = passedOn.flatMap((name) => {
    const value = exchange.header(name);
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  return new Request(new URL(mcpPath, 'http://localhost'), { method: 'POST', headers });
}

/** A preview by its signed address, as the client would get it. */
async function readPreview(previews: Previews | undefined, url: string): Promise<ShownPicture | null> {
  const [, signed = '', width = ''] = /\/previews\/([\w-]+)\/(\d+)\.jpe?g$/.exec(url) ?? [];
  const address = (await previews?.verify('preview', signed)) ?? null;
  if (previews === undefined || address === null) return null;
  const wanted = { shown: address, kind: 'picture', width: Number(width), format: 'jpeg' } as const;
  // If the file is gone or damaged, the picture is left out.
  const preview = await previews.read(wanted as Parameters<Previews['read']>[0]).catch(() => null);
  return preview === null ? null : { type: 'image/jpeg', bytes: preview.bytes };
}
