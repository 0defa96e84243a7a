import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { errorCodesOf } from '../../../api/openapi/responses.ts';
import { buildOpenApi } from '../../../api/openapi/build.ts';
import { generatedDocuments } from '../../../api/openapi/documents.ts';
import { ROUTES } from '../../../api/routes.ts';
import { statusOf } from '../../../domain/errors.ts';
import { PLATFORM_EVENT_TYPES } from '../../../domain/events/event-types.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts';
import { startTestApi } from '../harness/test-api.ts';

type Operation = JsonObject & { operationId: string; responses: JsonObject; parameters: JsonObject[] };
interface Document extends JsonObject {
  paths: Record<string, Record<string, Operation>>;
  components: Record<'schemas' | 'parameters' | 'responses', Record<string, JsonObject>>;
}

/** A schema of this length that is used in two places must have a name of its own: `.meta({ id })`. */
const LONG_SCHEMA_CHARACTERS = 300;
/** What one operation adds to the document on average, with its schemas. It was four times as much. */
const OPERATION_CHARACTERS_MAX = 3_600;

const document = buildOpenApi(ROUTES) as unknown as Document;

function* nodesOf(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item);
  else if (isJsonObject(value)) {
    yield value;
    for (const member of Object.values(value)) yield* nodesOf(member);
  }
}

function resolve(ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, part) => (isJsonObject(node) ? node[part] : undefined), document);
}

describe('the OpenAPI document', () => {
  it.each(Object.entries(generatedDocuments()))(
    '%s is what the code declares (else: npm run openapi)',
    (file, text) => {
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('describes every route, with its scope, its statuses and its codes', () => {
    for (const route of ROUTES) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()];
      expect(operation?.operationId).toBe(route.id);
      expect(operation?.['x-scope']).toBe(route.scope ?? undefined);
      const statuses = new Set([
        ...Object.keys(route.response),
        ...errorCodesOf(route).map((code) => String(statusOf(code, route))),
      ]);
      expect(new Set(Object.keys(operation?.responses ?? {}))).toEqual(statuses);
    }
  });

  it('describes each area, and lists it in one group', () => {
    const tags = document['tags'] as JsonObject[];
    expect(tags.filter(({ description }) => typeof description !== 'string')).toEqual([]);
    expect(tags.length).toBe(new Set(tags.map(({ name }) => name)).size);
    const grouped = (document['x-tagGroups'] as { tags: string[] }[]).flatMap((group) => group.tags);
    expect(grouped).toEqual(tags.map(({ name }) => name));
    const used = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).flatMap((operation) => operation['tags'] as string[]),
    );
    expect(new Set(used)).toEqual(new Set(grouped));
    expect(document.paths['/api/v2/actions/{ref}/invoke']?.['post']?.['tags']).toEqual(['invocations']);
  });

  it('declares exactly the parameters that its paths name', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const operation of Object.values(operations)) {
        const declared = operation.parameters
          .map((parameter) => (typeof parameter['$ref'] === 'string' ? resolve(parameter['$ref']) : parameter))
          .filter((parameter): parameter is JsonObject => isJsonObject(parameter) && parameter['in'] === 'path');
        expect([path, declared.map((parameter) => parameter['name'])]).toEqual([path, named]);
      }
    }
  });

  it('says each error reply, and each parameter, once', () => {
    const { responses, parameters } = document.components;
    for (const parts of [responses, parameters]) {
      const said = Object.values(parts).map((part) => JSON.stringify(part));
      expect(new Set(said).size).toBe(said.length);
    }
    for (const operations of Object.values(document.paths)) {
      for (const { operationId, responses: own, parameters: taken } of Object.values(operations)) {
        const errors = Object.entries(own).filter(([status]) => Number(status) >= 400);
        const inPlace = [...errors.map(([, reply]) => reply), ...taken].filter(
          (part) => !isJsonObject(part) || typeof part['$ref'] !== 'string',
        );
        expect([operationId, inPlace]).toEqual([operationId, []]);
      }
    }
  });

  it('says each success that several operations answer, and each long schema, once', () => {
    const seen = new Map<string, number>();
    const count = (part: JsonObject) => {
      const text = JSON.stringify(part);
      seen.set(text, (seen.get(text) ?? 0) + 1);
    };
    for (const operations of Object.values(document.paths)) {
      for (const { responses } of Object.values(operations)) {
        for (const reply of Object.values(responses)) if (isJsonObject(reply) && !('$ref' in reply)) count(reply);
      }
    }
    expect(seen.size).toBeGreaterThan(0);
    for (const node of nodesOf(document)) {
      if (typeof node['type'] === 'string' && JSON.stringify(node).length > LONG_SCHEMA_CHARACTERS) count(node);
    }
    expect([...seen].filter(([, uses]) => uses > 1).map(([text]) => text)).toEqual([]);
  });

  it('stays short: what grows is the number of operations, not what each of them repeats', () => {
    const { length } = Object.values(document.paths).flatMap((operations) => Object.values(operations));
    const withoutExamples = JSON.stringify(document, (key, value: unknown) =>
      key === 'example' || key === 'examples' ? undefined : value,
    );
    expect(withoutExamples.length / length).toBeLessThan(OPERATION_CHARACTERS_MAX);
  });

  it('declares each platform event as a webhook, by the one declaration, in the documented envelope', () => {
    const webhooks = document['webhooks'] as Record<string, { post: JsonObject }>;
    expect(Object.keys(webhooks)).toEqual([...PLATFORM_EVENT_TYPES]);
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'document');
    const pointer = (type: string) => `document#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
    const at = '2026-11-22T08:00:00.000Z';
    const data = { secretId: 'sec_1', name: 'TOKEN', version: 2 };
    const body = {
      id: 'evt_1',
      type: 'secret.rotated',
      timestamp: at,
      topic: 'service',
      environmentId: randomUUID(),
      data,
    };
    const validate = ajv.compile({ $ref: pointer('secret.rotated') });
    expect([validate(body), validate.errors]).toEqual([true, null]);
    for (const wrong of [
      { type: 'secret.lost' },
      { topic: 'orders' },
      { data: { ...data, value: 'hunter2' } },
      { more: 1 },
    ]) {
      expect([wrong, validate({ ...body, ...wrong })]).toEqual([wrong, false]);
    }
    for (const type of PLATFORM_EVENT_TYPES) expect(ajv.compile({ $ref: pointer(type) })({})).toBe(false);
  });

  it('has no reference that leads nowhere, and every schema compiles as JSON Schema 2020-12', () => {
    const refs = [...nodesOf(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    expect(refs.length).toBeGreaterThan(0);
    expect(refs.filter((ref) => !isJsonObject(resolve(ref)))).toEqual([]);
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'document');
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` })).not.toThrow();
    }
  });
});

const api = await startTestApi();

describe('the reference page', () => {
  it('serves the document without a credential', async () => {
    const reply = await api.call('GET', '/api/v2/openapi.json');
    expect([reply.status, reply.json]).toEqual([200, document]);
  });

  it('shows an example of the request and the reply of every operation', async () => {
    const reply = await api.call('GET', '/reference/openapi.json');
    const shown = reply.json as Document;
    for (const route of ROUTES) {
      const operation = shown.paths[route.path]?.[route.method.toLowerCase()];
      const examples = Object.entries(operation?.responses ?? {}).flatMap(([status, answer]) => {
        const { content } = answer as { content?: Record<string, { example?: unknown }> };
        return Object.values(content ?? {})[0]?.example === undefined ? [] : [Number(status)];
      });
      // A route that nothing conforms to always refuses.
      const isShown = (status: number): boolean => status < 300 || route.exempt?.['conformance'] !== undefined;
      expect([route.id, examples.filter(isShown)]).toEqual([route.id, [expect.any(Number)]]);
      const body = operation?.['requestBody'] as { content: Record<string, JsonObject> } | undefined;
      // Protobuf beside JSON: no text shows it.
      const bare = Object.entries(body?.content ?? {}).filter(
        ([mediaType, content]) => content['example'] === undefined && mediaType !== 'application/x-protobuf',
      );
      expect([route.id, bare.map(([mediaType]) => mediaType)]).toEqual([route.id, []]);
    }
    expect(JSON.stringify(document)).not.toContain('"example":');
  });

  it('loads only what this host serves', async () => {
    const page = await api.call('GET', '/reference');
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].flatMap(([, url]) =>
      url === 'data:,' ? [] : [url],
    );
    expect(loaded).toEqual(['/reference/scalar.js', '/reference/initialize.js']);
    for (const url of loaded) {
      const asset = await api.call('GET', url ?? '');
      expect([url, asset.status]).toEqual([url, 200]);
      expect(asset.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
      expect(asset.headers.get('X-Content-Type-Options')).toBe('nosniff');
    }
    const ours = page.text + (await api.call('GET', '/reference/initialize.js')).text;
    expect(ours).not.toMatch(/(https?:)?\/\/[a-z]/);
    expect(page.text).not.toMatch(/<script>|<style|\son\w+=/);
  });

  it('switches off what would call a host of the makers of its script', async () => {
    const { text } = await api.call('GET', '/reference/initialize.js');
    const settings: unknown[] = [];
    const Scalar = { createApiReference: (...given: unknown[]) => void settings.push(...given) };
    runInNewContext(text, { window: { Scalar } });
    expect(settings).toEqual([
      '#reference',
      expect.objectContaining({
        url: '/reference/openapi.json',
        persistAuth: false,
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        proxyUrl: '',
        hideClientButton: true,
        showDeveloperTools: 'never',
      }),
    ]);
  });

  it('serves its script whole, compressed to who takes that', async () => {
    const [zipped, plain, head] = await Promise.all([
      api.call('GET', '/reference/scalar.js', { headers: { 'Accept-Encoding': 'gzip' } }),
      api.call('GET', '/reference/scalar.js', { headers: { 'Accept-Encoding': 'identity' } }),
      api.call('HEAD', '/reference/scalar.js', { headers: { 'Accept-Encoding': 'identity' } }),
    ]);
    expect(zipped.headers.get('Content-Encoding')).toBe('gzip');
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    for (const { headers } of [zipped, plain]) expect(headers.get('Vary')).toContain('Accept-Encoding');
    expect(zipped.text === plain.text).toBe(true);
    expect(plain.text).toContain('createApiReference');
    expect([head.status, head.text, head.headers.get('Content-Length')]).toEqual([
      200,
      '',
      String(Buffer.byteLength(plain.text)),
    ]);
  });

  it('forbids every other host, inline scripts and eval by its policy', async () => {
    const policy = (await api.call('GET', '/reference')).headers.get('Content-Security-Policy') ?? '';
    const directives = new Map(policy.split('; ').map((directive) => [directive.split(' ')[0], directive]));
    expect(directives.get('default-src')).toBe("default-src 'none'");
    expect(directives.get('script-src')).toBe("script-src 'self'");
    expect(directives.get('connect-src')).toBe("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it('serves nothing else', async () => {
    for (const name of ['package.json', 'index.html', '../package.json', '..%2fpackage.json', 'scalar.js.gz']) {
      expect([name, (await api.call('GET', `/reference/${name}`)).status]).toEqual([name, 404]);
    }
  });
});
