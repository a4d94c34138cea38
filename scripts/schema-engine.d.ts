export function diffSchemas(from: string | null, to: string, databaseUrl: string): Promise<string>;
