import type { z } from 'zod';
import type { ToolCaller } from './caller.ts';
import type { ToolContent } from './pictures.ts';

/** A tool: its description for the model, and what it does. */
export type Tool = Readonly<{
  name: string;
  description: string;
  /** Whether it changes the catalog. */
  writes?: boolean;
  input: z.ZodObject;
  run(input: Readonly<Record<string, unknown>>, caller: ToolCaller): Promise<readonly ToolContent[]>;
}>;

/** Defines a tool, with typed input. */
export function tool<Input extends z.ZodObject>(
  own: Omit<Tool, 'input' | 'run'> &
    Readonly<{ input: Input; run(input: z.infer<Input>, caller: ToolCaller): Promise<readonly ToolContent[]> }>,
): Tool {
  return { ...own, run: (input, caller) => own.run(input as z.infer<Input>, caller) };
}
