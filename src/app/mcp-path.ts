/** Where the Model Context Protocol is spoken. */
export const mcpPath = '/mcp';
