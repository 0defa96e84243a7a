import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts';
import { docstring, isPlainName, literal, pascalCase } from './names.ts';

const SCHEMA_REF = '#/components/schemas/';
const PLAIN: Readonly<Record<string, string>> = {
  Integer: 'int',
  DateTime: 'str',
  DateTimeWithOffset: 'str',
  Uuid: 'str',
  JsonValue: 'Any',
};
/** Clients unwrap the envelope. */
const ENVELOPE = new Set(['Success', 'Page', 'Error']);

const HEADER = `"""What is sent to the service, and what it answers: its API description as types of Python.

Records are dictionaries with the names of the API. Made by \`npm run openapi\`; do not change it by hand.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union
`;

/** OpenAPI schemas as types of Python 3.10, which lacks `NotRequired`: optional members go into a second class. */
export class PythonTypes {
  readonly #schemas: Readonly<Record<string, Json>>;
  /** Text of each class and alias, with the names that an alias needs first. */
  readonly #classes = new Map<string, string>();
  readonly #aliases = new Map<string, string>();

  constructor(document: JsonObject) {
    const components = document['components'];
    const schemas = isJsonObject(components) ? components['schemas'] : undefined;
    this.#schemas = isJsonObject(schemas) ? schemas : {};
    for (const [name, schema] of Object.entries(this.#schemas)) {
      if (!(name in PLAIN) && !ENVELOPE.has(name) && isJsonObject(schema)) this.#declare(name, schema);
    }
  }

  text(): string {
    const classes = [...this.#classes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
    return `${HEADER}\n\n${[...classes, this.#aliasesInOrder()].join('\n\n\n')}\n`;
  }

  get names(): string[] {
    return [...this.#classes.keys(), ...this.#aliases.keys()].toSorted();
  }

  /** Type of a schema. `name`: for a class that has to be created for it. */
  typeOf(schema: Json | undefined, name: string): string {
    if (!isJsonObject(schema)) return 'Any';
    const { $ref: ref, const: constant, enum: values, anyOf, oneOf } = schema;
    if (typeof ref === 'string') return this.#referred(ref);
    if (constant !== undefined) return `Literal[${literal(constant)}]`;
    if (Array.isArray(values)) return literalsOf(values);
    const choices = anyOf ?? oneOf;
    if (Array.isArray(choices))
      return unionOf(choices.map((choice, index) => this.typeOf(choice, this.#within(name, String(index + 1)))));
    const { type } = schema;
    if (Array.isArray(type)) return unionOf(type.map((one) => this.typeOf({ ...schema, type: one }, name)));
    return this.#typeNamed(type, schema, name);
  }

  #typeNamed(type: Json | undefined, schema: JsonObject, name: string): string {
    switch (type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `List[${this.typeOf(schema['items'], this.#within(name, 'Item'))}]`;
      case 'object':
        return this.#objectType(schema, name);
      default:
        return 'Any';
    }
  }

  #objectType(schema: JsonObject, name: string): string {
    const { properties, additionalProperties } = schema;
    if (!isJsonObject(properties) || Object.keys(properties).length === 0) {
      return `Dict[str, ${this.typeOf(additionalProperties, this.#within(name, 'Value'))}]`;
    }
    if (additionalProperties !== false && additionalProperties !== undefined) return 'Dict[str, Any]';
    this.#addClass(name, schema, properties);
    return name;
  }

  /** Class name of a nested object without a component. */
  #within(name: string, member: string): string {
    const joined = `${name}${member}`;
    return joined in this.#schemas ? `${joined}Object` : joined;
  }

  #declare(name: string, schema: JsonObject): void {
    const type = this.typeOf(schema, name);
    if (type === name) return;
    this.#aliases.set(name, type);
  }

  #referred(ref: string): string {
    const name = ref.slice(SCHEMA_REF.length);
    if (!(name in this.#schemas)) throw new Error(`${ref} is no schema of the document`);
    return PLAIN[name] ?? name;
  }

  #addClass(name: string, schema: JsonObject, properties: JsonObject): void {
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    const members = Object.entries(properties).map(([member, each]) => ({
      member,
      type: this.typeOf(each, this.#within(name, pascalCase(member))),
      isRequired: required.has(member),
      text: isJsonObject(each) && typeof each['description'] === 'string' ? each['description'] : null,
    }));
    const text = classText(name, members, typeof schema['description'] === 'string' ? schema['description'] : null);
    const known = this.#classes.get(name);
    if (known !== undefined && known !== text) throw new Error(`two different schemas would be the class ${name}`);
    this.#classes.set(name, text);
  }

  /** An alias is evaluated in place, so its names come first. */
  #aliasesInOrder(): string {
    const ordered = new Set<string>();
    const place = (name: string, path: readonly string[]): void => {
      const type = this.#aliases.get(name);
      if (type === undefined || ordered.has(name)) return;
      if (path.includes(name)) throw new Error(`${[...path, name].join(' is ')}: a recursive schema must be an object`);
      for (const [other] of type.matchAll(/\b[A-Z]\w*\b(?=(?:[^"]*"[^"]*")*[^"]*$)/g)) place(other, [...path, name]);
      ordered.add(name);
    };
    for (const name of [...this.#aliases.keys()].toSorted()) place(name, []);
    return [...ordered].map((name) => `${name} = ${this.#aliases.get(name)}`).join('\n');
  }
}

interface Member {
  member: string;
  type: string;
  isRequired: boolean;
  text: string | null;
}

function classText(name: string, members: readonly Member[], text: string | null): string {
  const required = members.filter(({ isRequired }) => isRequired);
  const optional = members.filter(({ isRequired }) => !isRequired);
  if (members.some(({ member }) => !isPlainName(member))) return functionalText(name, required, optional);
  const described = text === null ? [] : docstring(text, '    ');
  const bodyOf = (some: readonly Member[]): string[] => some.flatMap(memberLines);
  if (optional.length === 0) return [`class ${name}(TypedDict):`, ...described, ...bodyOf(required)].join('\n');
  if (required.length === 0) {
    return [`class ${name}(TypedDict, total=False):`, ...described, ...bodyOf(optional)].join('\n');
  }
  const base = `_${name}Required`;
  return [
    `class ${base}(TypedDict):`,
    ...bodyOf(required),
    '',
    '',
    `class ${name}(${base}, total=False):`,
    ...described,
    ...bodyOf(optional),
  ].join('\n');
}

function memberLines({ member, type, text }: Member): string[] {
  return [`    ${member}: ${type}`, ...(text === null ? [] : docstring(text, '    '))];
}

/** For member names that are reserved in Python, such as `from`, or no identifiers. */
function functionalText(name: string, required: readonly Member[], optional: readonly Member[]): string {
  const table = (some: readonly Member[]): string =>
    `{${some.map(({ member, type }) => `${literal(member)}: ${quotedTypes(type)}`).join(', ')}}`;
  const base = `_${name}Required`;
  return [
    `${base} = TypedDict(${literal(base)}, ${table(required)})`,
    `_${name}Optional = TypedDict(${literal(`_${name}Optional`)}, ${table(optional)}, total=False)`,
    '',
    '',
    `class ${name}(${base}, _${name}Optional):`,
    '    pass',
  ].join('\n');
}

/** Evaluated in place, before the classes that it names. */
function quotedTypes(type: string): string {
  return literal(type);
}

function literalsOf(values: readonly Json[]): string {
  const present = values.filter((value) => value !== null);
  const named = `Literal[${present.map(literal).join(', ')}]`;
  return present.length === values.length ? named : `Optional[${named}]`;
}

function unionOf(types: readonly string[]): string {
  const present = [...new Set(types.filter((type) => type !== 'None'))];
  if (present.includes('Any')) return 'Any';
  const [only = 'None'] = present;
  const union = present.length > 1 ? `Union[${present.join(', ')}]` : only;
  return types.includes('None') && present.length > 0 ? `Optional[${union}]` : union;
}
