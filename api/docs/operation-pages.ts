import { readFileSync } from 'node:fs';
import type { SourcePage } from '../../domain/docs/content.ts';
import { statusOf } from '../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { AnyRoute } from '../http/define-route.ts';
import { tagOf, titleOfTag } from '../openapi/areas.ts';
import { buildOpenApi } from '../openapi/build.ts';
import { errorCodesOf } from '../openapi/responses.ts';
import { EXAMPLES_FILE, type OperationExample, resolved } from '../reference/describe-with-examples.ts';
import { errorRoute, operationRoute } from '../../domain/docs/code-routes.ts';
import { ERROR_ADVICE } from './error-advice.ts';
import { curlOf, jsonText } from './example-request.ts';
import { table } from './markdown-table.ts';
import { membersOf, type SchemaMember, typeOf } from './schema-members.ts';

/** Keep every page below 50,000 characters. */
const MEMBERS_SHOWN_MAX = 100;
const LINES_SHOWN_MAX = 250;
const WHOLE_SCHEMA = 'The whole schema is in [openapi.json](/api/v2/openapi.json).';

interface Described {
  route: AnyRoute;
  operation: JsonObject;
  document: JsonObject;
  example: OperationExample | undefined;
}

export function operationPages(routes: readonly AnyRoute[]): SourcePage[] {
  const document = buildOpenApi(routes);
  const examples = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as Record<string, OperationExample>;
  const paths = document['paths'] as Record<string, Record<string, JsonObject>>;
  return routes.map((route) => {
    const operation = paths[route.path]?.[route.method.toLowerCase()] ?? {};
    return {
      route: operationRoute(route.id),
      source: null,
      type: 'operation',
      title: route.summary,
      description: `${route.method} ${route.path}. ${firstSentence(route.description)}`.trim(),
      facets: { area: titleOfTag(tagOf(route.id)) },
      markdown: pageOf({ route, operation, document, example: examples[route.id] }),
    };
  });
}

function firstSentence(text = ''): string {
  return /^[^]*?\.(?=\s|$)/.exec(text)?.[0].replaceAll('\n', ' ') ?? '';
}

function pageOf(described: Described): string {
  const { route, operation } = described;
  return [
    `# ${route.summary}`,
    ['```http', `${route.method} ${route.path}`, '```'].join('\n'),
    textAt(operation, 'description'),
    `The operation is called \`${route.id}\` in [openapi.json](/api/v2/openapi.json).`,
    ...parametersOf(described),
    ...bodyOf(described),
    ...repliesOf(described),
    ...errorsOf(route),
    ...exampleOf(described),
    '',
  ].join('\n\n');
}

function parametersOf({ operation, document }: Described): string[] {
  const parameters = (operation['parameters'] as Json[]).filter(isJsonObject).map((part) => resolved(document, part));
  const rows = parameters.map((parameter) => {
    const schema = isJsonObject(parameter['schema']) ? parameter['schema'] : {};
    const needed = parameter['required'] === true ? 'yes' : 'no';
    const [name, place, about] = ['name', 'in', 'description'].map((member) => textAt(parameter, member));
    return [`\`${name}\``, place ?? '', typeOf(schema, document), needed, about ?? ''];
  });
  return ['## Parameters', table(['Name', 'In', 'Type', 'Required', 'What it is'], rows)];
}

function bodyOf({ operation, document }: Described): string[] {
  const { requestBody } = operation;
  if (!isJsonObject(requestBody)) return [];
  const [[mediaType, schema] = ['', {}]] = contentsOf(requestBody);
  const members = membersOf(schema, document);
  const needed = requestBody['required'] === true ? 'required' : 'optional';
  const rows = shown(members).map(({ path, type, required, description }) => [
    `\`${path}\``,
    type,
    required ? 'yes' : 'no',
    description,
  ]);
  return [
    '## Request body',
    `\`${mediaType}\`, ${needed}.${members.length === 0 ? ` ${aboutOpaque(schema, document)}` : ''}`,
    ...(rows.length === 0 ? [] : [table(['Member', 'Type', 'Required', 'What it is'], rows)]),
    ...(members.length > rows.length ? [WHOLE_SCHEMA] : []),
  ];
}

function textAt(part: JsonObject, member: string): string {
  const text = part[member];
  return typeof text === 'string' ? text : '';
}

function aboutOpaque(schema: JsonObject, document: JsonObject): string {
  const { description } = schema;
  return typeof description === 'string' ? description : `It is: ${typeOf(schema, document)}.`;
}

function repliesOf({ route, operation, document }: Described): string[] {
  const responses = operation['responses'] as JsonObject;
  const said = new Set<string>();
  const sections = Object.keys(route.response).flatMap((status) => {
    const reply = responses[status];
    if (!isJsonObject(reply)) return [];
    const response = resolved(document, reply);
    const [[mediaType, schema] = ['', {}]] = contentsOf(response);
    const data = dataOf(schema);
    const about = `### ${status}`;
    const summary = textAt(response, 'description');
    if (data === null) return [about, `${summary} \`${mediaType}\`.`];
    const members = membersOf(data, document);
    const paths = members.map(({ path }) => path);
    if (paths.length > 0 && paths.every((path) => said.has(path))) return [about, `${summary} \`data\` is as above.`];
    for (const path of paths) said.add(path);
    const rows = shown(members).map(({ path, type, description }) => [`\`${path}\``, type, description]);
    const what = members.length === 0 ? ` is: ${typeOf(data, document)}.` : `${kindOf(data)}:`;
    return [
      about,
      `${summary} \`data\`${what}`,
      ...(rows.length === 0 ? [] : [table(['Member', 'Type', 'What it is'], rows)]),
      ...(members.length > rows.length ? [WHOLE_SCHEMA] : []),
    ];
  });
  return sections.length === 0 ? [] : ['## Replies', ...sections];
}

function kindOf({ type }: JsonObject): string {
  return type === 'array' ? ' is a list, with `pagination` beside it where it has pages' : ' has these members';
}

/** Returns null for a reply without the envelope. */
function dataOf({ allOf }: JsonObject): JsonObject | null {
  const [, own] = Array.isArray(allOf) ? allOf : [];
  const properties = isJsonObject(own) ? own['properties'] : undefined;
  const data = isJsonObject(properties) ? properties['data'] : undefined;
  return isJsonObject(data) ? data : null;
}

function contentsOf({ content }: JsonObject): [string, JsonObject][] {
  if (!isJsonObject(content)) return [];
  return Object.entries(content).map(([mediaType, part]) => {
    const schema = isJsonObject(part) ? part['schema'] : undefined;
    return [mediaType, isJsonObject(schema) ? schema : {}];
  });
}

/** Drops the deepest members first. */
function shown(members: readonly SchemaMember[]): SchemaMember[] {
  if (members.length <= MEMBERS_SHOWN_MAX) return [...members];
  const depthOf = ({ path }: SchemaMember): number => path.split('.').length;
  const deepest = Math.max(...members.map(depthOf));
  const rest = members.filter((member) => depthOf(member) < deepest);
  return deepest === 1 ? members.slice(0, MEMBERS_SHOWN_MAX) : shown(rest);
}

function errorsOf(route: AnyRoute): string[] {
  const codes = errorCodesOf(route).map((code) => ({ code, status: statusOf(code, route) }));
  const rows = codes
    .toSorted((one, other) => one.status - other.status || (one.code < other.code ? -1 : 1))
    .map(({ code, status }) => [`${status}`, `[\`${code}\`](${errorRoute(code)})`, ERROR_ADVICE[code]]);
  return ['## Errors', table(['Status', 'Code', 'What to do'], rows)];
}

function exampleOf({ route, example }: Described): string[] {
  if (example === undefined) return [];
  const { request, response } = example;
  const text = typeof response.body === 'string' ? response.body : jsonText(response.body);
  const lines = text.split('\n');
  const isCut = lines.length > LINES_SHOWN_MAX;
  return [
    '## Example',
    'Recorded from the service. The variables are [those of all examples](/identity#what-the-examples-use).',
    ['```sh', curlOf(route, request), '```'].join('\n'),
    `The reply, ${response.status}${isCut ? `, its first ${LINES_SHOWN_MAX} lines` : ''}:`,
    [`\`\`\`${typeof response.body === 'string' ? '' : 'json'}`, ...lines.slice(0, LINES_SHOWN_MAX), '```'].join('\n'),
  ];
}
