import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PLATFORM_EVENTS } from '../../domain/events/platform-events.ts';

const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');

it('lists every type of platform event, in order, with what raises it as declared', () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` *\| (.*?) *\|$/gm)].map(([, type, when]) => [type, when]);
  expect(rows).toEqual(Object.entries(PLATFORM_EVENTS).map(([type, { raisedWhen }]) => [type, raisedWhen]));
});
