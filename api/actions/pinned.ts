import { validationError } from '../../domain/errors.ts';
import { isReservedToolName } from '../../domain/mcp/tool-names.ts';

/** @throws {ServiceError} VALIDATION_ERROR when a pinned action would have the name of one of our tools. */
export function requirePinnableName(name: string, pinned: boolean, path: 'body.mcp.pinned' | 'body.name'): void {
  if (!pinned || !isReservedToolName(name)) return;
  const message = `cannot be so: ${name} is the name of a tool of the MCP endpoint itself; choose another name, or do not pin it`;
  throw validationError([{ path, message }]);
}
