import type { Tool } from '@modelcontextprotocol/server';
import { getAction, listPinnedActions } from '../../db/actions/queries.ts';
import type { ActionRecord } from '../../db/actions/records.ts';
import { jsonBytes } from '../../domain/json.ts';
import { annotationsOf } from '../../domain/mcp/annotations.ts';
import { openTransaction } from '../http/route-transaction.ts';
import type { Exchange } from './exchange.ts';
import { PINNED_OUTPUT_SCHEMA } from './tool-schemas.ts';

const PAGE_TOOLS_MAX = 50;
/** A schema may have 256 KiB: a page ends before this size, after at least one tool. */
const PAGE_BYTES_MAX = 512 * 1024;

export interface PinnedPage {
  tools: Tool[];
  /** Name before the next page. Null on the last page. */
  next: string | null;
}

export async function listPinnedTools({ runner, caller }: Exchange, after: string): Promise<PinnedPage> {
  const actions = await openTransaction(
    runner.deps.db,
    caller,
    null,
    (tx) => listPinnedActions(tx, { after, limit: PAGE_TOOLS_MAX + 1 }),
    { readOnly: true },
  );
  const tools: Tool[] = [];
  let bytes = 0;
  for (const action of actions.slice(0, PAGE_TOOLS_MAX)) {
    const tool = toolOf(action);
    bytes += jsonBytes(tool);
    if (tools.length > 0 && bytes > PAGE_BYTES_MAX) break;
    tools.push(tool);
  }
  return { tools, next: actions.length > tools.length ? (tools.at(-1)?.name ?? null) : null };
}

/** Returns null when no action is pinned under this name. */
export async function findPinnedAction({ runner, caller }: Exchange, name: string): Promise<ActionRecord | null> {
  const found = await openTransaction(runner.deps.db, caller, null, (tx) => getAction(tx, name), { readOnly: true });
  // An id is not a tool's name.
  return found !== null && found.mcpPinned && found.name === name ? found : null;
}

function toolOf({ name, description, definition }: ActionRecord): Tool {
  const asks = definition.approval.required ? ' A person must approve each call.' : '';
  return {
    name,
    description: `${description ?? `Invokes the action ${name}.`}${asks}`,
    inputSchema: { ...definition.inputSchema, type: 'object' },
    outputSchema: PINNED_OUTPUT_SCHEMA,
    annotations: annotationsOf(definition),
  };
}
