/** The chunk belongs to another worker now, or its operation is over. */
export class ChunkLostError extends Error {}
