import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ExportedAction, type ExportedTool, exportTool } from '../../domain/tools/export-tool.ts';
import type { ToolFormat } from '../../domain/tools/formats.ts';

/** Exports the actions in their order, each in a turn of its own: other requests are served while a page of large schemas is reduced. */
export async function exportInTurns(
  actions: readonly ExportedAction[],
  format: ToolFormat,
): Promise<(ExportedTool & { action: string })[]> {
  const exported: (ExportedTool & { action: string })[] = [];
  for (const action of actions) {
    exported.push({ action: action.name, ...exportTool(action, format) });
    await nextTurn();
  }
  return exported;
}
