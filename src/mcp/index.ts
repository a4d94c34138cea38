import type { answerWithTools } from './answer-messages.ts';

export { documentText } from './documents.ts';
export type { ToolCaller, ShownPicture } from './caller.ts';
export { toolLimits } from './limits.ts';
export { proposalLimits, openProposals } from './proposals.ts';

/** Answers one request of the transport. The first request loads the library: it takes 23 MB, and few tenants use it. */
export const answerMessages: typeof answerWithTools = async (...request) =>
  (await import('./answer-messages.ts')).answerWithTools(...request);
