import type { JsonObject } from '../json.ts';
import { annotationsOf, type ToolAnnotations } from '../mcp/annotations.ts';
import type { ActionDefinition } from '../actions.ts';
import { DESCRIPTION_CHARACTERS_MAX, SCHEMA_RULES, type ToolFormat } from './formats.ts';
import { type Dropped, reduceSchema } from './reduce-schema.ts';
import { toolNameOf } from './tool-names.ts';

export interface ExportedAction {
  name: string;
  description: string | null;
  definition: ActionDefinition;
}

export interface ExportedTool {
  tool: JsonObject;
  /** The name of the tool, which `names` maps back to the action. */
  name: string;
  dropped: (Dropped & { tool: string })[];
}

export function exportTool(action: ExportedAction, format: ToolFormat): ExportedTool {
  const charactersMax = DESCRIPTION_CHARACTERS_MAX[format];
  const name = format === 'mcp' ? action.name : toolNameOf(action.name);
  const { schema, dropped } = parametersOf(action, format);
  const whole = action.description ?? `Invokes the action ${action.name}.`;
  const description = Array.from(whole).slice(0, charactersMax).join('');
  if (description.length < whole.length) {
    const reason = `the format takes at most ${charactersMax} characters`;
    dropped.push({ path: '', keyword: 'description', reason });
  }
  const tool = toolIn(format, { name, description, schema, annotations: annotationsOf(action.definition) });
  return { tool, name, dropped: dropped.map((what) => ({ tool: name, ...what })) };
}

function parametersOf({ definition }: ExportedAction, format: ToolFormat): { schema: JsonObject; dropped: Dropped[] } {
  const rules = SCHEMA_RULES[format];
  if (rules === null) return { schema: { ...definition.inputSchema, type: 'object' }, dropped: [] };
  const { schema, dropped: all } = reduceSchema(definition.inputSchema, rules);
  const dropped = firstOf(all);
  // The input of an action is an object. A provider refuses parameters that do not list their members.
  const properties = schema['properties'] ?? {};
  return { schema: { ...schema, type: 'object', properties }, dropped };
}

const DROPPED_MAX = 200;
const DROPPED_CHARACTERS_MAX = 16_384;

/** Dropped parts, bounded: 62 kB of schema could make 120 MB of paths. The last entry counts the rest. */
function firstOf(all: readonly Dropped[]): Dropped[] {
  let characters = 0;
  const isSaid = ({ path, keyword }: Dropped, index: number): boolean =>
    index < DROPPED_MAX && (characters += path.length + keyword.length) <= DROPPED_CHARACTERS_MAX;
  const end = all.findIndex((what, index) => !isSaid(what, index));
  if (end === -1) return [...all];
  return [...all.slice(0, end), { path: '', keyword: '*', reason: `${all.length - end} more parts were dropped` }];
}

interface Parts {
  name: string;
  description: string;
  schema: JsonObject;
  annotations: ToolAnnotations;
}

function toolIn(format: ToolFormat, { name, description, schema, annotations }: Parts): JsonObject {
  switch (format) {
    case 'openai':
      // Strict mode would make every optional member required.
      return { type: 'function', function: { name, description, parameters: schema, strict: false } };
    case 'anthropic':
      return { name, description, input_schema: schema };
    case 'mcp':
      return { name, description, inputSchema: schema, annotations: { ...annotations } };
  }
}
