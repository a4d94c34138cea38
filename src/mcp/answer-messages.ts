import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { packageVersion } from '../lib/package-root.ts';
import { sayError, ToolError } from './caller.ts';
import type { ToolCaller } from './caller.ts';
import { fieldsGuide, grammarGuide } from './formula-guide.ts';
import { readTools } from './read-tools.ts';
import { writeTools } from './write-tools.ts';

const tools = new Map([...readTools, ...writeTools].map((tool) => [tool.name, tool]));

const instructions = `A catalog of pictures. Search with formulas (formula_help); mistakes get a hint. Only two tools
write anything: apply_changes applies what propose_changes has shown, and undo_operation undoes it.`;

const listed = [...tools.values()].map(({ name, description, writes = false, input }) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }) as { type: 'object' },
  annotations: { readOnlyHint: !writes, destructiveHint: writes, openWorldHint: false },
}));

/** Texts that a model may read once, by address. */
const resources: Readonly<Record<string, Readonly<{ name: string; description: string; text: () => string }>>> = {
  'vitrine://formula/grammar': {
    name: 'formula grammar',
    description: 'The language of formulas.',
    text: grammarGuide,
  },
  'vitrine://formula/fields': { name: 'formula fields', description: 'Fields of formulas.', text: fieldsGuide },
};

/**
 * Answers one request of the streamable HTTP transport. Nothing outlives the request: there are no sessions and no
 * streams.
 *
 * @param body its parsed JSON
 */
export async function answerWithTools(request: Request, body: unknown, caller: ToolCaller): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createServer(caller);
  try {
    await server.connect(transport);
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

function createServer(caller: ToolCaller): Server {
  const server = new Server(
    { name: 'vitrine', version: packageVersion },
    { capabilities: { tools: {}, resources: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(params.name, params.arguments ?? {}, caller),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: Object.entries(resources).map(([uri, { name, description }]) => ({
      uri,
      name,
      description,
      mimeType: 'text/plain',
    })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const resource = resources[uri];
    if (resource === undefined) throw new Error(`There is no resource '${uri}'`);
    return { contents: [{ uri, mimeType: 'text/plain', text: resource.text() }] };
  });
  return server;
}

/** Calls a tool; errors become its reply, so that the model can try again. */
async function callTool(name: string, given: object, caller: ToolCaller): Promise<CallToolResult> {
  const tool = tools.get(name);
  if (tool === undefined) return fault(`There is no tool '${name}'\nHint: ${[...tools.keys()].join(', ')}`);
  const { success, data, error } = tool.input.safeParse(given);
  if (!success) return fault(z.prettifyError(error));
  try {
    return { content: [...(await tool.run(data, caller))] };
  } catch (failure) {
    return fault(failure instanceof ToolError ? failure.message : sayError(caller.explain(failure)));
  }
}

function fault(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
