import { isJsonObject, type Json, type JsonObject } from '../json.ts';

const IN_PLACE: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/** Whether a schema applies itself to the same value without end (not below a property or an item). */
export function appliesItself(schema: JsonObject): boolean {
  const definitions = isJsonObject(schema['$defs']) ? schema['$defs'] : {};
  const edges = new Map<string, string[]>();
  for (const [key, definition] of Object.entries(definitions)) edges.set(key, inPlaceKeys(definition));
  const state = new Map<string, 'open' | 'done'>();
  for (const start of edges.keys()) {
    const path: { key: string; next: number }[] = [];
    if (!state.has(start)) path.push({ key: start, next: 0 });
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      state.set(top.key, 'open');
      const target = edges.get(top.key)?.[top.next++];
      if (target === undefined) {
        state.set(top.key, 'done');
        path.pop();
      } else if (state.get(target) === 'open') return true;
      else if (!state.has(target)) path.push({ key: target, next: 0 });
    }
  }
  return false;
}

function inPlaceKeys(schema: Json): string[] {
  if (!isJsonObject(schema)) return [];
  const reference = schema['$ref'];
  const own = typeof reference === 'string' ? [reference.slice('#/$defs/'.length)] : [];
  const dependent = isJsonObject(schema['dependentSchemas']) ? Object.values(schema['dependentSchemas']) : [];
  const below = IN_PLACE.flatMap((keyword) => schema[keyword] ?? []);
  return [...own, ...[...below, ...dependent].flatMap((part) => inPlaceKeys(part))];
}
