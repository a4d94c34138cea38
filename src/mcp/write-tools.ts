import { z } from 'zod';
import { isObject } from '../lib/is-object.ts';
import { dataOf, ToolError } from './caller.ts';
import type { ToolCaller } from './caller.ts';
import { toolLimits } from './limits.ts';
import { toText } from './pictures.ts';
import { proposalLimits } from './proposals.ts';
import type { ProposedWrite } from './proposals.ts';
import { tool } from './tool.ts';
import type { Tool } from './tool.ts';

const listChange = z.strictObject({ add: z.array(z.string()).optional(), remove: z.array(z.string()).optional() });
const text = z.string().nullable().optional();
const list = z
  .union([z.array(z.string()), listChange])
  .nullable()
  .optional();

/** What may be proposed, by the field names of formulas. A list is sent as a whole, or as its additions and removals. */
const changes = z.strictObject({
  title: text,
  headline: text,
  caption: text,
  alt_text: text,
  date: text,
  location: text,
  city: text,
  country: text,
  event: text,
  author: text,
  status: text,
  keywords: list,
  categories: list,
  collections: list,
});

/** A change in the form that the schema takes. */
function toInput(set: z.infer<typeof changes>): Record<string, unknown> {
  const entries = Object.entries(set).map(([name, value]) => {
    const field = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [isObject(value) ? `change${field[0]?.toUpperCase()}${field.slice(1)}` : field, value];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

type Targets = Readonly<{ ids?: readonly string[] | undefined; formula?: string | undefined }>;

/** The ids of the records to change. @throws ToolError for none and for too many */
async function targetsOf(caller: ToolCaller, { ids, formula }: Targets): Promise<readonly string[]> {
  if ((ids === undefined) === (formula === undefined)) throw new ToolError('Give exactly one of ids and formula');
  if (ids !== undefined) return ids;
  const { images } = await dataOf(caller, 'ids', { q: formula, limit: proposalLimits.records });
  const { count, results } = images as Readonly<{ count: number; results: readonly { imageId: string }[] }>;
  if (count === 0) throw new ToolError('The formula finds nothing\nHint: try it with search.');
  if (count > proposalLimits.records) {
    throw new ToolError(
      `The formula finds ${count} images, and a proposal can have at most ${proposalLimits.records}\nHint: narrow it.`,
    );
  }
  return results.map(({ imageId }) => imageId);
}

/** The variables for the document of a proposal. */
function variablesOf({ document, ids, set }: ProposedWrite): Readonly<Record<string, unknown>> {
  return document === 'delete' ? { ids } : { images: ids.map((id) => ({ id, ...set })) };
}

const operationId = z.int().min(1);

export const writeTools: readonly Tool[] = [
  tool({
    name: 'propose_changes',
    description:
      'Shows what a change of images would do, without doing it, and returns a proposal_id for apply_changes. At most ' +
      `${proposalLimits.records} images.`,
    input: z.object({
      ids: z.array(z.string()).min(1).max(proposalLimits.records).optional(),
      formula: z.string().min(1).optional().describe('Instead of ids: a formula, for the images that it finds now.'),
      set: changes
        .optional()
        .describe('New values; null clears a field. Lists: all values, or {"add": […], "remove": […]}.'),
      delete: z.boolean().default(false).describe('Delete the images instead of changing them.'),
    }),
    run: async ({ set = {}, delete: isDelete, ...targets }, caller) => {
      const input = toInput(set);
      if ((Object.keys(input).length === 0) !== isDelete) throw new ToolError('Give either set or delete');
      if (JSON.stringify(input).length > proposalLimits.setCharacters) throw new ToolError('The change is too long');
      const ids = await targetsOf(caller, targets);
      const document = isDelete ? 'delete' : 'change';
      const proposal: ProposedWrite = { document, ids, set: input };
      const { result } = await dataOf(caller, document, { ...variablesOf(proposal), dryRun: true });
      const { numGood, numBad, errors, changes: found } = result as Readonly<Record<string, unknown>>;
      if (numGood === undefined) throw new ToolError('The proposal took too long\nHint: propose for fewer images.');
      const id = await caller.proposals.keep(proposal);
      const minutes = proposalLimits.milliseconds / 60_000;
      return [toText({ proposal_id: id, valid_minutes: minutes, numGood, numBad, errors, changes: found })];
    },
  }),
  tool({
    name: 'apply_changes',
    description: 'Applies a proposal of propose_changes, once. Returns the operation; undo_operation takes its id.',
    writes: true,
    input: z.object({ proposal_id: z.string() }),
    run: async ({ proposal_id: id }, caller) => {
      const proposal = await caller.proposals.find(id);
      if (proposal === null)
        throw new ToolError('There is no such proposal of this key, or it has expired\nHint: propose again.');
      // Applied again, it returns the same operation.
      const variables = { ...variablesOf(proposal), dryRun: false, idempotencyKey: `mcp:${id}` };
      return [toText((await dataOf(caller, proposal.document, variables))['result'])];
    },
  }),
  tool({
    name: 'operations',
    description: 'What was written: the latest operations, or one with its changes and errors.',
    input: z.object({
      operation_id: operationId.optional(),
      limit: z.int().min(1).max(toolLimits.records).default(10),
    }),
    run: async ({ operation_id: id, limit }, caller) => {
      if (id === undefined) return [toText((await dataOf(caller, 'operations', { limit }))['operations'])];
      const { result } = await dataOf(caller, 'operation', { id });
      if (result === null) throw new ToolError(`There is no operation ${id}`);
      return [toText(result)];
    },
  }),
  tool({
    name: 'undo_operation',
    description: 'Undoes what an operation changed; fields that have been changed since stay as they are.',
    writes: true,
    input: z.object({ operation_id: operationId }),
    run: async ({ operation_id: id }, caller) => {
      const { result } = await dataOf(caller, 'undo', { id });
      if (result === null) throw new ToolError(`There is no operation ${id}`);
      return [toText(result)];
    },
  }),
];
