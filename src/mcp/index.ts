export { answerMessages } from './answer-messages.ts';
export { documents, documentText } from './documents.ts';
export type { ToolCaller, ShownPicture } from './caller.ts';
export type { DocumentName } from './documents.ts';
export { proposalLimits, Proposals } from './proposals.ts';
