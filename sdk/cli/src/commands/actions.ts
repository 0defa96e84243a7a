import type { schemas } from 'agent-action-runtime-sdk';
import { EXIT, type ExitCode } from '../exit.ts';
import { clientOf, commandLine, type CommonOptions } from '../session.ts';
import { matched, plain, table, type Terminal } from '../terminal.ts';

type Action = schemas['Action'];

export async function listActions(options: CommonOptions & { name?: string }, terminal: Terminal): Promise<ExitCode> {
  const client = clientOf(options, terminal);
  const { name } = options;
  const query = name === undefined ? {} : { name };
  const actions = [];
  for await (const action of client.pages('/api/v2/actions', { query: { limit: 100, ...query } })) actions.push(action);
  if (options.json === true) {
    terminal.print(JSON.stringify(actions));
    return EXIT.ok;
  }
  if (actions.length === 0) {
    const next =
      name === undefined
        ? 'define one, or import an OpenAPI document (docs/actions.md, docs/import.md)'
        : commandLine(options, 'actions list');
    terminal.print(`${matched('No action', { name }, 'There is no action yet.')}\nNext: ${next}`);
    return EXIT.ok;
  }
  const rows = actions.map(({ name: called, governed, description }) => [
    plain(called),
    governed ? 'governed' : 'plain',
    plain(description ?? '').slice(0, 80),
  ]);
  terminal.print(table([['ACTION', 'KIND', 'DESCRIPTION'], ...rows]));
  terminal.print(`Next: ${commandLine(options, 'actions show <action>')}`);
  return EXIT.ok;
}

export async function showAction(ref: string, options: CommonOptions, terminal: Terminal): Promise<ExitCode> {
  const action = await clientOf(options, terminal).call('GET', '/api/v2/actions/{ref}', { path: { ref } });
  terminal.print(options.json === true ? JSON.stringify(action) : plain(describe(action, options)));
  return EXIT.ok;
}

function describe(action: Action, options: CommonOptions): string {
  const { id, name, description, governed, adapter, currentVersion, approval, verify, impact, timeoutMs } = action;
  const { method, url } = adapter.config;
  return [
    `${name}  ${governed ? 'governed' : 'plain'}  ${id}${action.archivedAt === null ? '' : '  ARCHIVED'}`,
    ...(description === null ? [] : [description]),
    `version     ${currentVersion.number}, ${currentVersion.digest}`,
    `adapter     ${adapter.type} ${adapter.version}${typeof url === 'string' ? `: ${typeof method === 'string' ? method : 'GET'} ${url}` : ''}`,
    ...impact.map(
      ({ dimension, currency, amount, bound }) =>
        `impact      ${dimension}${currency === undefined ? '' : ` in ${currency}`}: ${JSON.stringify(amount)}, ${bound}`,
    ),
    `verified    ${verify === undefined ? 'no: a success is acknowledged, not confirmed' : `by ${verify.request.method ?? 'GET'} ${verify.request.url}`}`,
    `approval    ${approval.required ? 'always asked for' : 'where a policy says so'}`,
    `time-out    ${timeoutMs / 1_000} s`,
    'input',
    ...inputFields(action.inputSchema).map((line) => `  ${line}`),
    ...(action.archivedAt === null
      ? [
          `Next: ${commandLine(options, `invoke ${name} --dry-run --input '${JSON.stringify(skeleton(action.inputSchema))}'`)}`,
        ]
      : []),
  ].join('\n');
}

type Schema = Record<string, unknown>;

function propertiesOf({ properties }: Schema): [name: string, schema: Schema][] {
  return typeof properties === 'object' && properties !== null
    ? (Object.entries(properties) as [string, Schema][])
    : [];
}

/** The members of an object input; otherwise the schema itself. */
function inputFields(schema: Schema): string[] {
  const fields = propertiesOf(schema);
  if (fields.length === 0) return JSON.stringify(schema, null, 2).split('\n');
  const required = new Set(schema['required'] as string[] | undefined);
  const rows = fields.map(([name, field]) => [
    name,
    typeOf(field),
    required.has(name) ? 'required' : '',
    typeof field['description'] === 'string' ? field['description'] : '',
  ]);
  return table(rows).split('\n');
}

function typeOf({ type, enum: values }: Schema): string {
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any';
}

function skeleton(schema: Schema): Record<string, unknown> {
  const required = new Set(schema['required'] as string[] | undefined);
  return Object.fromEntries(
    propertiesOf(schema).flatMap(([name, field]) => (required.has(name) ? [[name, exampleOf(field)]] : [])),
  );
}

function exampleOf({ type, enum: values, minimum }: Schema): unknown {
  if (Array.isArray(values)) return values[0];
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 0;
  return type === 'boolean' ? false : type === 'array' ? [] : type === 'object' ? {} : '…';
}
