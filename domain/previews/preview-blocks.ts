import type { ActionDefinition, AdapterCapabilities } from '../actions.ts';
import type { AdapterDescriptor, BodyPart, PreparedRequest } from '../adapters/adapter-descriptor.ts';
import type { Binding } from './binding.ts';
import { isJsonObject, type Json, jsonDepthExceeds, type JsonObject } from '../json.ts';
import { NO_RELATIONS, type Relations } from '../relations.ts';
import { cutBlock, keptBlocks, type Observation } from './observation.ts';
import type { PreviewBlock } from '../adapters/preview-block.ts';

export type Field = { label: string; value: string };
type Item = NonNullable<PreviewBlock['items']>[number];

/** The titles of the blocks that every preview has. Our page shows the same facts in its own way, from the preview itself. */
const SENT_TITLE = 'What is sent';
const IMPACT_TITLE = 'What it uses up';
const PROMISES_TITLE = 'What is promised and what is not';
const GENERAL_TITLES: readonly string[] = [SENT_TITLE, IMPACT_TITLE, PROMISES_TITLE];

/** Whether a block is of this preview alone: what its adapter says and read, and what it is related to. */
export function isParticular({ title }: PreviewBlock): boolean {
  return !GENERAL_TITLES.includes(title);
}

/** How much of one value is shown. The preview's `request` holds all of it. */
const VALUE_CHARACTERS_MAX = 4_000;
/** Fields shown of a request. Nobody would read more, and a body may have a hundred thousand leaves. */
const FIELDS_MAX = 100;
/** A JSON text may be nested as deep as its sender likes. A deeper one is shown as text. */
const BODY_DEPTH_MAX = 128;

interface Told {
  descriptor: AdapterDescriptor;
  definition: ActionDefinition;
  input: JsonObject;
  observation: Pick<Observation, 'blocks' | 'observedAt'> | null;
  relations?: Relations;
}

/** What a person reads: the request, what the adapter knows and read at the provider, the impact, and what is not promised. */
export function previewBlocks(source: Told, binding: Binding, capabilities: AdapterCapabilities): PreviewBlock[] {
  const { descriptor, definition, input, observation } = source;
  const ofAdapter = [...(descriptor.previewBlocks?.(definition, input) ?? []), ...(observation?.blocks ?? [])];
  return [
    requestBlock(binding.request),
    ...relationsBlock(source.relations ?? NO_RELATIONS),
    ...keptBlocks(ofAdapter),
    { type: 'impact', title: IMPACT_TITLE, quantities: binding.scope.impact },
    { type: 'limitations', title: PROMISES_TITLE, items: limitations(source, capabilities) },
  ];
}

/** The request as labels and values: a JSON body leaf by leaf, any other as its text. */
function requestBlock(request: PreparedRequest): PreviewBlock {
  const head: Field[] = [
    { label: 'Method', value: request.method },
    { label: 'URL', value: request.url },
    ...Object.entries(request.headers).map(([name, value]) => ({ label: `Header ${name}`, value })),
  ];
  const all = [...head, ...sentFields(request, FIELDS_MAX)];
  const fields = all.slice(0, FIELDS_MAX);
  const truncated = all.length > FIELDS_MAX ? { truncated: true } : {};
  return cutBlock({ type: 'fields', title: SENT_TITLE, fields, ...truncated }, VALUE_CHARACTERS_MAX);
}

/** Related invocations and effects: the approver of a compensation must see what it compensates. */
function relationsBlock({ retryOf, dependsOn, compensates }: Relations): PreviewBlock[] {
  const fields: Field[] = [
    ...(compensates === null ? [] : [{ label: 'Makes up for effect', value: compensates }]),
    ...(retryOf === null ? [] : [{ label: 'Runs again', value: retryOf }]),
    ...dependsOn.map((value) => ({ label: 'Sent only after effect', value })),
  ];
  return fields.length === 0 ? [] : [{ type: 'fields', title: 'What it belongs to', fields }];
}

/** The body as names and values, at most so many: leaf by leaf where it is JSON or a form, else as its text. */
export function sentFields({ body, bodyEncoding, bodyParts, headers }: PreparedRequest, most: number): Field[] {
  if (bodyParts !== undefined) return bodyParts.map(partField);
  if (body === null) return [];
  if (bodyEncoding === 'base64') return [{ label: 'Body', value: `${Buffer.byteLength(body, 'base64')} bytes` }];
  if (isForm(headers)) return formFields(body, most);
  const parsed = parsedContainer(body);
  if (parsed === null) return [{ label: 'Body', value: body }];
  const fields: Field[] = [];
  collectLeaves(parsed, 'body', fields, most);
  return fields.length > 0 ? fields : [{ label: 'Body', value: body }];
}

function isForm(headers: PreparedRequest['headers']): boolean {
  const [, type = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return type.toLowerCase().startsWith('application/x-www-form-urlencoded');
}

function formFields(body: string, most: number): Field[] {
  const pairs = [...new URLSearchParams(body)].slice(0, most);
  return pairs.map(([name, value]) => ({ label: `body.${name}`, value }));
}

function partField(part: BodyPart): Field {
  if ('text' in part) return { label: 'Body', value: part.text };
  const { id, filename, contentType, size, sha256 } = part.file;
  const encoded = part.encoding === 'base64' ? ', in Base64' : '';
  return { label: 'File', value: `${filename} (${id}, ${contentType}, ${size} bytes${encoded}, sha256 ${sha256})` };
}

function parsedContainer(body: string): Json | null {
  if (!/^\s*[[{]/.test(body)) return null;
  try {
    const parsed = JSON.parse(body) as Json;
    return jsonDepthExceeds(parsed, BODY_DEPTH_MAX) ? null : parsed;
  } catch {
    return null; // a text that begins like JSON: it is shown as it is
  }
}

function collectLeaves(value: Json, label: string, into: Field[], most: number): void {
  if (into.length >= most) return;
  const members: [string, Json][] = Array.isArray(value)
    ? value.map((item, index) => [`${label}[${index}]`, item])
    : isJsonObject(value)
      ? Object.entries(value).map(([name, member]) => [`${label}.${name}`, member])
      : [];
  if (members.length === 0) {
    into.push({ label, value: typeof value === 'string' ? value : JSON.stringify(value) });
    return;
  }
  for (const [name, member] of members) {
    if (into.length >= most) return;
    collectLeaves(member, name, into, most);
  }
}

function limitations({ observation }: Told, capabilities: AdapterCapabilities): Item[] {
  const { idempotent, idempotencyWindowSeconds, lookup, replay, reversible } = capabilities;
  const window = idempotencyWindowSeconds === null ? '' : ` for ${durationText(idempotencyWindowSeconds)}`;
  return [
    guarantee('Exactly this request is sent, at most once, or nothing at all.'),
    idempotent
      ? guarantee(`The provider is given an idempotency key and knows the request by it${window}.`)
      : unsupported('The provider is given no idempotency key.'),
    lookup === 'none'
      ? unsupported('The outcome cannot be read back: at best the receipt says that the provider accepted it.')
      : guarantee(`The outcome is read back from the provider's own record (${LOOKUPS[lookup]}).`),
    replay
      ? guarantee('An unknown outcome may be sent again by an operator under the same key, within that time.')
      : unsupported('An unknown outcome is never sent again: it is read, or a person decides.'),
    observation
      ? freshness(
          `Read from the provider at ${observation.observedAt.toISOString()}, and read again right before it is sent.`,
        )
      : freshness('Nothing was read from the provider: what it shows comes from the request alone.'),
    ...(reversible ? [freshness('The provider may still reverse a success later. The receipt then says so.')] : []),
    { kind: 'irreversible', text: 'What was sent cannot be taken back by the service.' },
  ];
}

const LOOKUPS = { by_id: 'by its id', by_key: 'by the key that it was sent with' } as const;
const guarantee = (text: string): Item => ({ kind: 'guarantee', text });
const unsupported = (text: string): Item => ({ kind: 'unsupported', text });
const freshness = (text: string): Item => ({ kind: 'freshness', text });

function durationText(seconds: number): string {
  const hours = seconds / 3_600;
  return Number.isInteger(hours) ? `${hours} hours` : `${seconds} seconds`;
}
