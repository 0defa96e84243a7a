export const TOOL_FORMATS = ['openai', 'anthropic', 'mcp'] as const;
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** The parts of a JSON Schema that a format accepts. Every other part is dropped, and reported as dropped. */
export interface SchemaRules {
  /** Null allows every keyword. */
  keywords: ReadonlySet<string> | null;
  /** Not at the top of the parameters, though further down. */
  notAtTheTop: ReadonlySet<string>;
  /** Names of properties; null: any. */
  propertyName: RegExp | null;
  needsItems: boolean;
  booleanSchemas: boolean;
}

/** OpenAI, "Structured Outputs: supported schemas", and what function calling refuses at the top; strict mode is not asked for. */
const OPENAI: SchemaRules = {
  keywords: new Set([
    '$defs',
    '$ref',
    'additionalProperties',
    'anyOf',
    'const',
    'default',
    'definitions',
    'description',
    'enum',
    'exclusiveMaximum',
    'exclusiveMinimum',
    'format',
    'items',
    'maxItems',
    'maxLength',
    'maximum',
    'minItems',
    'minLength',
    'minimum',
    'multipleOf',
    'pattern',
    'properties',
    'required',
    'title',
    'type',
  ]),
  notAtTheTop: new Set(['$ref', 'anyOf', 'const', 'enum']),
  propertyName: null,
  needsItems: true,
  booleanSchemas: false,
};

/** Anthropic, "Tool use": JSON Schema 2020-12 with these limits on `input_schema`. */
const ANTHROPIC: SchemaRules = {
  keywords: null,
  notAtTheTop: new Set(['$ref', 'allOf', 'anyOf', 'oneOf']),
  propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
  needsItems: false,
  booleanSchemas: true,
};

/** Returns null when the format takes JSON Schema 2020-12 unchanged. */
export const SCHEMA_RULES: Readonly<Record<ToolFormat, SchemaRules | null>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  mcp: null,
};

export const DESCRIPTION_CHARACTERS_MAX: Readonly<Record<ToolFormat, number>> = {
  openai: 1_024,
  anthropic: Infinity,
  mcp: Infinity,
};
