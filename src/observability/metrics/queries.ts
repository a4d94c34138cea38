/**
 * What this process is answering now, and how much it has begun to answer: queries, and pictures that somebody waits
 * for. What can wait leaves the processors to them.
 */
export const queries = { running: 0, begun: 0 };

/** Something is answered from now on, until `endAnswer`. */
export function beginAnswer(): void {
  queries.running += 1;
  queries.begun += 1;
}

export function endAnswer(): void {
  queries.running -= 1;
}
