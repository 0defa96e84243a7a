import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

const LOCAL_REF = '#/$defs/';
const COMPONENT_REF = '#/components/schemas/';
/** zod's name for a recursive schema that has no id. */
const ANONYMOUS = /^__schema\d+$/;
/** Names for zod's long format patterns. A request may have another pattern: the second name. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['DateTime', 'DateTimeWithOffset'],
  uuid: ['Uuid'],
};
/** zod's range of every integer: JSON numbers are exact up to there. */
const SAFE_INTEGER: JsonObject = {
  type: 'integer',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

interface Wrapped {
  properties: { root: JsonObject };
  $defs?: Record<string, JsonObject>;
}

/** Turns zod schemas into JSON Schema; `.meta({ id })` makes a component. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonObject> = {};

  /** `input`: what a caller may send. `output`: what it receives. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    // Wrapped, so that a schema with an id becomes a component too.
    const wrapped = z.toJSONSchema(z.object({ root: schema }), { io, unrepresentable: 'any' });
    const { properties, $defs } = JSON.parse(JSON.stringify(wrapped)) as Wrapped;
    const definitions = Object.entries($defs ?? {});
    const names = new Map<string, string>();
    for (const [name, definition] of definitions) names.set(name, this.nameOf(name, definition, io, names));
    for (const [name, definition] of definitions) this.keep(names.get(name) ?? name, definition, names);
    return this.share(renameRefs(properties.root, names));
  }

  /** Sent and received forms of an id can differ (defaults): the sent one is then `<id>Input`. */
  private nameOf(
    name: string,
    definition: JsonObject,
    io: 'input' | 'output',
    names: ReadonlyMap<string, string>,
  ): string {
    if (ANONYMOUS.test(name)) {
      throw new Error(
        `a recursive schema needs a .meta({ id }), and any JSON is anyJson: ${JSON.stringify(definition).slice(0, 200)}`,
      );
    }
    if (io === 'output') return name;
    const known = this.schemas[name];
    const isSame =
      known === undefined || JSON.stringify(known) === JSON.stringify(this.share(withoutId(definition, names)));
    return isSame ? name : `${name}Input`;
  }

  /** Replaces repeated parts by references. */
  private share(schema: JsonObject): JsonObject {
    return JSON.parse(JSON.stringify(schema), (_key: string, value: unknown) =>
      isJsonObject(value) ? this.shareFormat(this.shareInteger(withNullAsType(withoutPropertyNames(value)))) : value,
    ) as JsonObject;
  }

  private shareFormat(schema: JsonObject): JsonObject {
    const { type, format, pattern, ...rest } = schema;
    if (type !== 'string' || typeof format !== 'string' || typeof pattern !== 'string') return schema;
    for (const name of FORMATS[format] ?? []) {
      this.schemas[name] ??= { type, format, pattern };
      if (this.schemas[name]['pattern'] === pattern) return { $ref: `${COMPONENT_REF}${name}`, ...rest };
    }
    return schema;
  }

  private shareInteger(schema: JsonObject): JsonObject {
    const { type, minimum, maximum, ...rest } = schema;
    const isAny = type === 'integer' && minimum === SAFE_INTEGER['minimum'] && maximum === SAFE_INTEGER['maximum'];
    if (!isAny) return schema;
    this.schemas['Integer'] = SAFE_INTEGER;
    return { $ref: `${COMPONENT_REF}Integer`, ...rest };
  }

  private keep(name: string, definition: JsonObject, names: ReadonlyMap<string, string>): void {
    const schema = this.share(withoutId(definition, names));
    const known = this.schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas have the id ${name}`);
    }
    this.schemas[name] = schema;
  }
}

/** Member names are always strings. */
function withoutPropertyNames(schema: JsonObject): JsonObject {
  const { propertyNames, ...rest } = schema;
  return JSON.stringify(propertyNames) === '{"type":"string"}' ? rest : schema;
}

/** Writes "T or null" as `type: [T, "null"]`, unless values are enumerated: the list would need null too. */
function withNullAsType(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [present, absent] = anyOf;
  if (!isJsonObject(present) || JSON.stringify(absent) !== '{"type":"null"}') return schema;
  const { type } = present;
  const isPlain = typeof type === 'string' && present['enum'] === undefined && present['const'] === undefined;
  const isSaidTwice = Object.keys(rest).some((member) => member in present);
  return isPlain && !isSaidTwice ? { ...present, type: [type, 'null'], ...rest } : schema;
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
