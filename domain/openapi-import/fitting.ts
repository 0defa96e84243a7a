import { checkSchema } from '../json-schema/json-schema.ts';
import { jsonBytes, jsonDepthExceeds, type JsonObject } from '../json.ts';
import type { OpenApiDocument } from './document.ts';
import { NotImportable } from './references.ts';
import { coversLosses, type Losses } from './conversion-loss.ts';
import { SchemaConversion, TooLarge, type Charge, type Detail } from './schema-conversion.ts';
import { appliesItself } from './self-application.ts';

/** The limits of an action's schema (domain/json-schema/structure.ts), less a margin for what is added around it. */
const SCHEMA_BYTES_MAX = 65_000;
const SCHEMA_DEPTH_MAX = 62;

/** From full detail to hardly any: first the descriptions are dropped, then the deep parts. */
const DETAILS: readonly Detail[] = [
  { depthMax: 28, descriptionCharactersMax: 600, describedDepthMax: 28, schemasMax: 4_000 },
  { depthMax: 28, descriptionCharactersMax: 160, describedDepthMax: 8, schemasMax: 4_000 },
  { depthMax: 28, descriptionCharactersMax: 120, describedDepthMax: 3, schemasMax: 4_000 },
  ...[28, 12, 9, 7, 6, 5, 4, 3].map((depthMax) => ({
    depthMax,
    descriptionCharactersMax: 80,
    describedDepthMax: 2,
    schemasMax: 4_000,
  })),
  { depthMax: 2, descriptionCharactersMax: 0, describedDepthMax: 0, schemasMax: 8_000 },
];

export interface FittedSchema {
  schema: JsonObject;
  notes: string[];
}

/** The schema that `build` makes, in the greatest detail that fits. Throws NotImportable where none does. */
export function fitSchema(
  document: OpenApiDocument,
  build: (conversion: SchemaConversion) => JsonObject,
  charge: Charge,
): FittedSchema {
  let fault = 'is too large';
  for (const detail of DETAILS) {
    const attempt = tryDetail(document, build, detail, charge);
    if (attempt === null) continue;
    const [issue] = checkSchema(attempt.schema);
    if (issue === undefined) return attempt;
    fault = `${issue.path} ${issue.message}`;
  }
  throw new NotImportable(`has an input schema that cannot be used: ${fault}`.slice(0, 500));
}

function tryDetail(
  document: OpenApiDocument,
  build: (conversion: SchemaConversion) => JsonObject,
  detail: Detail,
  charge: Charge,
): FittedSchema | null {
  let losses: Losses = new Map();
  for (;;) {
    const conversion = new SchemaConversion(document, detail, charge, losses);
    const schema = built(conversion, build);
    if (schema === null) return null;
    // The target of a reference is converted after those that refer to it, so that what it lost is known in the next turn. Losses
    // only grow, by three kinds for each reference.
    if (conversion.hasExactKeywords && !coversLosses(losses, conversion.found)) {
      losses = conversion.found;
      continue;
    }
    if (jsonDepthExceeds(schema, SCHEMA_DEPTH_MAX)) return null;
    if (jsonBytes(schema) > SCHEMA_BYTES_MAX) return null;
    if (appliesItself(schema))
      throw new NotImportable('has a schema that applies itself to the same value without end');
    return { schema, notes: [...conversion.notes] };
  }
}

/** Null where it is larger than the detail allows. */
function built(conversion: SchemaConversion, build: (conversion: SchemaConversion) => JsonObject): JsonObject | null {
  try {
    const schema = build(conversion);
    const definitions = conversion.definitions();
    return Object.keys(definitions).length > 0 ? { ...schema, $defs: definitions } : schema;
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}
