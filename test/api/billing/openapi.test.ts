import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Schema {
  $ref?: string;
  oneOf?: Schema[];
  type?: string;
  const?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}
const { components } = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};

it('says of each cap that it is a number or `unlimited`, and one of the two alone', () => {
  const { PlanCap, PlanLimits, Quota, UsageItem } = components.schemas;
  expect(PlanCap?.oneOf).toEqual([
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'string', const: 'unlimited' },
  ]);
  const cap = { $ref: '#/components/schemas/PlanCap' };
  const { messageRetentionDays: _days, ...limits } = PlanLimits?.properties ?? {};
  expect(Object.keys(limits).length).toBeGreaterThan(8);
  for (const limit of Object.values(limits)) expect(limit).toEqual(cap);
  expect([Quota?.properties?.['limit'], Quota?.properties?.['remaining'], UsageItem?.properties?.['included']]).toEqual(
    [cap, cap, cap],
  );
});
