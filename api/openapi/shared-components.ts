import type { JsonObject } from '../../domain/json.ts';

/** Parts that several operations share, each once below `components`. Content identifies a part: two different ones get two names. */
export class SharedComponents {
  private readonly place: 'parameters' | 'responses';
  private readonly named = new Map<string, JsonObject>();
  private readonly nameOf = new Map<string, string>();

  constructor(place: 'parameters' | 'responses') {
    this.place = place;
  }

  /** Refers to a part by the first of these names that no other part has. */
  refTo(part: JsonObject, ...names: readonly [string, ...string[]]): JsonObject {
    const content = JSON.stringify(part);
    const name = this.nameOf.get(content) ?? names.find((candidate) => !this.named.has(candidate));
    if (name === undefined) throw new Error(`components.${this.place} has other parts called ${names.join(', ')}`);
    this.nameOf.set(content, name);
    this.named.set(name, part);
    return { $ref: `#/components/${this.place}/${name}` };
  }

  get components(): JsonObject {
    return Object.fromEntries([...this.named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
