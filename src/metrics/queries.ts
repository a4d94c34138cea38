/** Queries that this process is answering now. What can wait leaves the processors to them. */
export const queries = { running: 0 };
