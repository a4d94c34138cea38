import { excerpt } from '../../src/lib/excerpt.ts';
import type { ApiHandler, ApiHost } from '../../src/lib/http-api.ts';
import { ReplyError } from '../../src/lib/http-contract.ts';
import type { ApiRequest, Reply } from '../../src/lib/http-contract.ts';
import type { Endpoint, Input, ServedEndpoint, StreamEndpoint } from '../endpoints/endpoint.ts';
import { endpoints } from '../endpoints/index.ts';
import { createInputReader, noBody, readRawBody } from '../request/request.ts';
import type { InputReader } from '../request/request.ts';
import { toReply } from './errors.ts';
import { StreamedFile } from '../compat/streamed-file.ts';
import { createRouter } from './router.ts';
import type { EndpointRoute } from './router.ts';
import { createRunner } from './runner.ts';
import { createStreamer } from './streams.ts';

const route = createRouter(endpoints);

/** The methods allowed for a target's path, as listed in `Allow`; null if there is no such endpoint. */
export function methodsOf(target: string): string | null {
  return route(target)?.allow() ?? null;
}

/** Serves every endpoint of the table, each through its GraphQL document. */
export function createRestHandler<Viewer, Context>(host: ApiHost<Viewer, Context>): ApiHandler {
  const inputReaders = new Map(endpoints.map((endpoint) => [endpoint, createInputReader(endpoint)]));
  const run = createRunner(endpoints.filter(isServed), host.compile, host);
  const follow = createStreamer(endpoints.filter(isStream), host.subscribe, host);

  async function answer(request: ApiRequest, requestId: string): Promise<Reply | null> {
    const found = route(request.target);
    if (found === null) return null;
    if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: found.allow() } };
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const match = found.find(method);
    if (match === null) return notAllowed(found);
    const { endpoint, values } = match;
    request.route = endpoint.path;
    // The headers alone identify the caller and its rights: no body is read for an unauthorized caller.
    const viewer = await identify(request);
    const context = host.createContext(viewer, requestId, request);
    host.authorize(context, endpoint.scope);
    const body = endpoint.body === undefined ? noBody : await readRawBody(endpoint.body, request);
    const input = await readInput(endpoint, request, values, body);
    if (isStream(endpoint)) return follow(endpoint, input, context, requestId);
    const reply = await run(endpoint, input, context, requestId);
    return faultOfBody(input) ?? reply;
  }

  async function identify(request: ApiRequest): Promise<Viewer> {
    const key = request.credential;
    if (key === undefined || key === '') throw unauthorized('unauthenticated');
    const viewer = await host.authenticate(key, request);
    if (viewer === null) throw unauthorized('invalid_key');
    return viewer;
  }

  async function readInput(endpoint: Endpoint, ...request: Parameters<InputReader>): Promise<Input> {
    const input = await (inputReaders.get(endpoint) as InputReader)(...request);
    endpoint.check?.(input);
    return input;
  }

  return async (request, requestId) => {
    try {
      return await answer(request, requestId);
    } catch (error) {
      if (error instanceof ReplyError) return error.reply;
      return toReply(host.explain(error, requestId), requestId, { target: request.target });
    }
  };
}

/** The error of a body that was read while the document ran; it takes precedence over the document's own result. */
function faultOfBody({ body }: Input): Reply | null {
  const values = Object.values((body ?? {}) as Readonly<Record<string, unknown>>);
  const file = values.find((value) => value instanceof StreamedFile);
  return file?.fault?.reply ?? null;
}

function isStream(endpoint: Endpoint): endpoint is StreamEndpoint {
  return 'stream' in endpoint;
}

function isServed(endpoint: Endpoint): endpoint is ServedEndpoint {
  return !isStream(endpoint);
}

function notAllowed({ allow, reserved }: EndpointRoute): Reply {
  const hint =
    reserved !== null &&
    `'${excerpt(reserved)}' is not allowed as an id in a path: it is an endpoint. Use batches or GraphQL for a record with this id`;
  const body = { detail: 'Method Not Allowed', ...(hint !== false && { hint }) };
  return { status: 405, body, headers: { Allow: allow() } };
}

function unauthorized(code: 'unauthenticated' | 'invalid_key'): ReplyError {
  return new ReplyError(toReply({ message: '', extensions: { code } }, '', { target: '' }));
}
