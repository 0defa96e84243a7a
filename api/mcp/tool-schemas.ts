import { z } from 'zod';
import type { JsonObject } from '../../domain/json.ts';
import { publishFields } from '../messages/body-schemas.ts';
import { invokeAction, OWN_TOOLS, type OwnTool, publishMessage } from './own-tools.ts';
import { inlined, type ListedSchema, outputSchemaOf } from './output-schemas.ts';

interface ToolSchemas {
  inputSchema: ListedSchema;
  outputSchema: ListedSchema;
}

/** JSON Schema cannot express refinements across members: the fields are listed, and a call is checked by everything. */
const LISTED_ARGUMENTS = new Map<OwnTool, z.ZodType>([[publishMessage, publishFields]]);

const SCHEMAS: ReadonlyMap<OwnTool, ToolSchemas> = new Map(
  OWN_TOOLS.map((tool) => [
    tool,
    {
      inputSchema: inputSchemaOf(LISTED_ARGUMENTS.get(tool) ?? tool.arguments),
      outputSchema: outputSchemaOf(tool.record),
    },
  ]),
);

export function schemasOf(tool: OwnTool): ToolSchemas {
  const schemas = SCHEMAS.get(tool);
  if (schemas === undefined) throw new Error(`tool ${tool.name} has no schemas`);
  return schemas;
}

export const PINNED_OUTPUT_SCHEMA: ListedSchema = schemasOf(invokeAction).outputSchema;

function inputSchemaOf(schema: z.ZodType): ListedSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { ...inlined(rest as JsonObject), type: 'object' };
}
