import type { ListToolsResult, Tool } from '@modelcontextprotocol/server';
import { invokeRoute } from '../invocations/routes.ts';
import { cursorOf, positionOf } from './cursor.ts';
import { type Exchange, mayCall } from './exchange.ts';
import { OWN_TOOLS, type OwnTool } from './own-tools.ts';
import { listPinnedTools } from './pinned-tools.ts';
import { schemasOf } from './tool-schemas.ts';

/** Name of the last listed action. */
const POSITION = /^[a-z][a-z0-9_.-]{0,63}$/;

/** Our tools first, then pinned actions by name, as far as the key may call them. */
export async function listTools(exchange: Exchange, cursor: string | undefined): Promise<ListToolsResult> {
  const after = cursor === undefined ? '' : positionOf(cursor, POSITION);
  const own = cursor === undefined ? OWN_TOOLS.filter(({ route }) => mayCall(exchange, route)).map(listed) : [];
  if (!mayCall(exchange, invokeRoute)) return { tools: own };
  const { tools, next } = await listPinnedTools(exchange, after);
  return { tools: [...own, ...tools], ...(next === null ? {} : { nextCursor: cursorOf(next) }) };
}

function listed(tool: OwnTool): Tool {
  const { name, title, description, annotations } = tool;
  return { name, title, description, ...schemasOf(tool), annotations };
}
