import { afterEach, describe, expect, it, vi } from 'vitest';
import { TenantSchemas, type TenantSchemasOptions } from '../../../api/json-schema/tenant-schemas.ts';
import type { ServiceError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { compiledModule } from '../../harness/compiled-module.ts';
import { HOSTILE } from '../../../bench/schemas/hostile.ts';

const PATIENCE_MS = 120_000;
const made: TenantSchemas[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const schemas of made.splice(0)) await schemas.close();
});

function tenantSchemas(options: TenantSchemasOptions = {}): TenantSchemas {
  const schemas = new TenantSchemas({
    threadFile: () => compiledModule('api/json-schema/schema-thread.ts'),
    deadlineMs: PATIENCE_MS,
    waitMsMax: PATIENCE_MS,
    ...options,
  });
  made.push(schemas);
  return schemas;
}

const SMALL: JsonObject = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', pattern: '^[a-z0-9-]{1,64}$' }, to: { type: 'string', format: 'email' } },
  additionalProperties: false,
};
const doubling = HOSTILE['deep nests of anyOf'] as { schema: JsonObject; input: JsonObject };
const SLEEPER = (program: string) => (): URL => compiledModule(`test/api/json-schema/${program}.ts`);

describe('a schema that is small', () => {
  it('runs on the event loop once it is compiled, while its inputs fit', async () => {
    const schemas = tenantSchemas({ threadFile: SLEEPER('busy-thread') });
    const input = { id: 'a-1', to: 'a@example.com' };
    // On a busy machine the process may stand still for longer than a validation on the event loop may take: it then goes to a thread.
    vi.spyOn(performance, 'now').mockReturnValue(0);
    expect(schemas.fitsAtOnce(SMALL, input)).toBe(false);
    expect(await schemas.validate('wsp_a', SMALL, input)).toEqual([]);
    expect(schemas.fitsAtOnce(SMALL, input)).toBe(true);
    expect(schemas.fitsAtOnce(SMALL, { id: 'A' })).toBe(false);
  });

  it('is told what does not fit by a thread', async () => {
    const schemas = tenantSchemas();
    expect(await schemas.validate('wsp_a', SMALL, { id: 'A', more: 1 })).toEqual([
      { path: 'input.more', message: 'is not a known member' },
      { path: 'input.id', message: 'must match pattern "^[a-z0-9-]{1,64}$"' },
    ]);
  });
});

describe('a hostile schema', () => {
  it.each(Object.entries(HOSTILE))(
    'with %s is never run on the event loop',
    async (_, { schema, input }) => {
      const schemas = tenantSchemas();
      expect(await schemas.check('wsp_a', schema, 'body.inputSchema')).toEqual([]);
      let beats = 0;
      const heart = setInterval(() => beats++, 1);
      const issues = await schemas.validate('wsp_a', schema, input);
      clearInterval(heart);
      expect(schemas.fitsAtOnce(schema, input)).toBe(false);
      // Some end within their time, the others with an issue. Either takes long, and the event loop has continued meanwhile.
      for (const { path } of issues) expect(path).toMatch(/^input/);
      expect(beats).toBeGreaterThan(20);
    },
    PATIENCE_MS,
  );

  it(
    'does not keep a neighbour from a thread, however many validations wait before theirs',
    async () => {
      const schemas = tenantSchemas({ threadsMax: 2 });
      let ended = 0;
      const hostile = Array.from({ length: 10 }, () =>
        schemas.validate('wsp_hostile', doubling.schema, doubling.input).then((issues) => {
          ended++;
          return issues;
        }),
      );
      expect(await schemas.validate('wsp_neighbour', SMALL, { id: 'A' })).toHaveLength(1);
      expect(ended).toBeLessThan(5);
      for (const issues of await Promise.all(hostile)) {
        expect(issues).toEqual([{ path: 'input', message: expect.stringMatching(/^cannot be validated/) as string }]);
      }
    },
    PATIENCE_MS,
  );

  it(
    'has its thread ended when its time is over, and the next one runs',
    async () => {
      const schemas = tenantSchemas({ threadFile: SLEEPER('busy-thread'), deadlineMs: 1_000 });
      expect(await schemas.check('wsp_a', doubling.schema, 'body.inputSchema')).toEqual([
        { path: 'body.inputSchema', message: expect.stringMatching(/^is too costly/) as string },
      ]);
      expect(await schemas.validate('wsp_a', doubling.schema, {})).toEqual([
        { path: 'input', message: expect.stringContaining("the action's inputSchema takes more time") as string },
      ]);
    },
    PATIENCE_MS,
  );

  it(
    'has its thread ended when its heap is full, and the process lives',
    async () => {
      const schemas = tenantSchemas({ threadFile: SLEEPER('greedy-thread'), heapMbMax: 20 });
      for (let again = 0; again < 2; again++) {
        expect(await schemas.check('wsp_a', doubling.schema, 'body.outputSchema')).toEqual([
          { path: 'body.outputSchema', message: expect.stringMatching(/more time or memory/) as string },
        ]);
      }
    },
    PATIENCE_MS,
  );
});

describe('where too many wait', () => {
  it('one workspace is refused for its own, and a neighbour is not', async () => {
    const schemas = tenantSchemas({ threadsMax: 2, waitingAWorkspaceMax: 1 });
    const under = Array.from({ length: 2 }, () => schemas.validate('wsp_a', doubling.schema, doubling.input));
    const refusal = await schemas.validate('wsp_a', doubling.schema, doubling.input).catch((error: unknown) => error);
    expect((refusal as ServiceError).code).toBe('SERVICE_UNAVAILABLE');
    expect(await schemas.validate('wsp_b', SMALL, { id: 'A' })).toHaveLength(1);
    await Promise.all(under);
  });
});

it(
  'a crash of the thread is our fault, and no issue of the caller',
  async () => {
    const schemas = tenantSchemas({ threadFile: SLEEPER('failing-thread') });
    await expect(schemas.check('wsp_a', {}, 'body.inputSchema')).rejects.toThrow('ours');
  },
  PATIENCE_MS,
);
