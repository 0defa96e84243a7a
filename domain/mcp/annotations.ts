import type { ActionDefinition } from '../actions.ts';
import { findDescriptor } from '../adapters/index.ts';

/** What an MCP client is told of a tool before it calls it (MCP, "ToolAnnotations"). */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export const READS_RECORDS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** A tool that calls other systems: whatever it does there may not be undone, and a second call does it again. */
export const ACTS_ON_THE_WORLD: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** A client may skip its confirmation for a read-only tool: what is not known to be one is destructive. */
export function annotationsOf(definition: ActionDefinition): ToolAnnotations {
  const descriptor = findDescriptor(definition.adapter.type, definition.adapter.version);
  const mayWrite = descriptor?.writes(definition) ?? true;
  if (mayWrite || definition.impact.length > 0) return ACTS_ON_THE_WORLD;
  return { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
}
