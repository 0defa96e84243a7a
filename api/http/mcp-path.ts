export const MCP_PATH = '/mcp';

/** A slash at the end makes no other endpoint: people paste URLs with one. */
export function isMcpPath(path: string): boolean {
  return path === MCP_PATH || path === `${MCP_PATH}/`;
}
