import { z } from 'zod';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { BODY_NAMES_MAX, BODY_VALUES_MAX } from '../../../api/http/json-text.ts';
import { BODY_BYTES_MAX } from '../../../api/http/bodies.ts';

type Schema = {
  type?: string;
  maxItems?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  $ref?: string;
};

/** A body as text, and what is costly about it. */
export type CostlyBody = readonly [what: string, text: string];

/** The costliest bodies that its schema makes of a route; `whole` is one that it takes. */
export function costlyBodies(route: AnyRoute, whole: Record<string, unknown>): CostlyBody[] {
  const bytes = (route.bodyBytesMax ?? BODY_BYTES_MAX) - 100;
  const beside = JSON.stringify(whole).slice(1, -1);
  const within = (member: string): string => `{${beside === '' ? '' : `${beside},`}${member}}`;
  const room = bytes - Buffer.byteLength(within(''));
  return [
    ['an unknown member of small objects', within(`"unexpected":${listOf(SMALL_OBJECT, room)}`)],
    ['unknown members', within(namesOf(room))],
    ...Object.entries(propertiesOf(route)).flatMap(([name, schema]) =>
      membersOf(schema, whole[name], room).map(([what, text]): CostlyBody => {
        const { [name]: _, ...others } = whole;
        return [
          `${name}: ${what}`,
          JSON.stringify({ ...others, [name]: null }).replace(`"${name}":null`, () => `"${name}":${text}`),
        ];
      }),
    ),
  ];
}

const SMALL_OBJECT = '{"b":1,"a":2}';

/** Bodies that are costly to parse on every route. */
export function costlyToParse(room = BODY_BYTES_MAX): CostlyBody[] {
  return [
    ['more empty lists than are taken', `[${'[],'.repeat(room / 3 - 2)}[]]`],
    ['as many empty lists as are taken', listOf('[]', room)],
    ['deep lists', listOf('['.repeat(60) + ']'.repeat(60), room)],
    ['objects with names of their own', `[${namesOf(room).replaceAll(',', '},{').replace(/^/, '{')}}]`],
    ['escapes', `["${'\\u0001'.repeat(room / 6 - 2)}"]`],
    ['characters of three bytes', `["${'漢'.repeat(room / 3 - 2)}"]`],
    ['lists without an end', `[${'[],'.repeat(BODY_VALUES_MAX / 2 - 1)}`],
    ['escapes without an end', `["${'\\n'.repeat(room / 2 - 2)}`],
    ['line ends without an end', '\n'.repeat(room)],
  ];
}

/** Half as many values as are taken: an item has a comma, and most have parts of their own. */
function listOf(item: string, room: number): string {
  const parts = item.length - item.replaceAll(/[[{,]/g, '').length + 1;
  const count = Math.floor(Math.min((room - 2) / (item.length + 1), (BODY_VALUES_MAX - 1_000) / parts));
  return `[${`${item},`.repeat(Math.max(0, count - 1))}${item}]`;
}

function namesOf(room: number): string {
  const count = Math.floor(Math.min(room / 13, BODY_NAMES_MAX - 200));
  // Not in their order, which the digest of a body sorts them in.
  return Array.from({ length: count }, (_, index) => `"k${(index * 7_919) % count}":0`).join(',');
}

function propertiesOf(route: AnyRoute): Record<string, Schema> {
  if (route.request.body === undefined) return {};
  const json = z.toJSONSchema(route.request.body, { io: 'input', unrepresentable: 'any' }) as Schema & {
    $defs?: Record<string, Schema>;
  };
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (json.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  return Object.fromEntries(
    Object.entries(json.properties ?? {}).map(([name, schema]) => {
      const own = resolved(schema);
      return [name, own.items === undefined ? own : { ...own, items: resolved(own.items) }];
    }),
  );
}

/** The costliest values of a member. */
function membersOf(schema: Schema, whole: unknown, room: number): CostlyBody[] {
  const isOf = (type: string): boolean =>
    [schema, ...(schema.anyOf ?? [])].some((one) => one.type === type || one.type === undefined);
  const found: CostlyBody[] = [];
  if (isOf('array')) {
    const item = JSON.stringify(Array.isArray(whole) && whole.length > 0 ? whole[0] : {});
    const most = schema.maxItems ?? schema.anyOf?.find(({ maxItems }) => maxItems !== undefined)?.maxItems ?? Infinity;
    const count = Math.floor(Math.min(most, room / (item.length + 1)));
    found.push(['as many items as it takes', `[${Array<string>(count).fill(item).join()}]`]);
    found.push(['empty objects', listOf('{}', room)]);
    if (most < Infinity && Array.isArray(whole) && typeof whole[0] === 'object') {
      const each = Math.floor(room / most / 4);
      found.push([
        'items with unknown members',
        `[${Array<string>(most)
          .fill(`{"x":[${'[],'.repeat(Math.min(each, BODY_VALUES_MAX / most / 2 - 4))}0]}`)
          .join()}]`,
      ]);
    }
  }
  if (isOf('object'))
    found.push(['names', `{${namesOf(room)}}`], ['small objects', `{"x":${listOf(SMALL_OBJECT, room - 10)}}`]);
  if (isOf('string'))
    found.push(['escapes', `"${'\\u0001'.repeat(room / 6 - 2)}"`], ['a long text', `"${'a.'.repeat(room / 2 - 2)}"`]);
  return found;
}
