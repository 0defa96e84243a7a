import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

const LOCAL_REF = '#/$defs/';
const COMPONENT_REF = '#/components/schemas/';
/** zod's name for a recursive schema that has no id. */
const ANONYMOUS = /^__schema\d+$/;
const ANY_JSON = 'JsonValue';
/** zod says these formats by long patterns: each is said once. */
const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'DateTime', uuid: 'Uuid' };

interface Wrapped {
  properties: { root: JsonObject };
  $defs?: Record<string, JsonObject>;
}

/** Turns zod schemas into JSON Schema, those with `.meta({ id })` into components that are referred to. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonObject> = {};

  /** `input`: what a caller may send. `output`: what it gets. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    // Wrapped, so that a schema with an id of its own becomes a component too.
    const wrapped = z.toJSONSchema(z.object({ root: schema }), { io, unrepresentable: 'any' });
    const { properties, $defs } = JSON.parse(JSON.stringify(wrapped)) as Wrapped;
    const names = new Map<string, string>();
    for (const [name, definition] of Object.entries($defs ?? {})) names.set(name, this.nameOf(name, definition, io));
    for (const [name, definition] of Object.entries($defs ?? {})) this.keep(names.get(name) ?? name, definition, names);
    return this.share(renameRefs(properties.root, names));
  }

  /** The same id, sent and received, can differ (defaults): then the sent one is `<id>Input`. */
  private nameOf(name: string, definition: JsonObject, io: 'input' | 'output'): string {
    if (ANONYMOUS.test(name)) {
      if (JSON.stringify(definition).includes('"propertyNames"')) return ANY_JSON;
      throw new Error(`a recursive schema needs a .meta({ id }): ${JSON.stringify(definition).slice(0, 200)}`);
    }
    if (io === 'output') return name;
    const known = this.schemas[name];
    const isSame =
      known === undefined || JSON.stringify(known) === JSON.stringify(this.share(withoutId(definition, new Map())));
    return isSame ? name : `${name}Input`;
  }

  /** The schema with strings of a known format as references; what else is said of them stays beside. */
  private share(schema: JsonObject): JsonObject {
    return JSON.parse(JSON.stringify(schema), (_key: string, value: unknown) => {
      if (!isJsonObject(value)) return value;
      const { type, format, pattern, ...rest } = value;
      const name = type === 'string' && typeof format === 'string' ? FORMATS[format] : undefined;
      if (name === undefined || typeof pattern !== 'string') return value;
      const known = this.schemas[name];
      if (known !== undefined && known['pattern'] !== pattern) return value;
      this.schemas[name] = { type: 'string', format: format ?? null, pattern };
      return { $ref: `${COMPONENT_REF}${name}`, ...rest };
    }) as JsonObject;
  }

  private keep(name: string, definition: JsonObject, names: ReadonlyMap<string, string>): void {
    const schema = name === ANY_JSON ? { description: 'Any JSON value.' } : this.share(withoutId(definition, names));
    const known = this.schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas have the id ${name}`);
    }
    this.schemas[name] = schema;
  }
}

function withoutId(definition: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const { id: _id, ...schema } = renameRefs(definition, names);
  return schema;
}

function renameRefs(schema: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return JSON.parse(JSON.stringify(schema), (key: string, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(LOCAL_REF)) return value;
    const name = value.slice(LOCAL_REF.length);
    return `${COMPONENT_REF}${names.get(name) ?? name}`;
  }) as JsonObject;
}
