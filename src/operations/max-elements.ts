/** Maximum number of elements per operation, as the contract sets it. The console reads it, too. */
export const maxElements = 10_000;
