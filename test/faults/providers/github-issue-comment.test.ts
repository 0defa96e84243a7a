import { describe, expect, test } from 'vitest';
import { GITHUB_FAULTS, startFakeGithub } from '../../harness/providers/fake-github.ts';
import { EFFECTS_MIN, runSeeds, type ProviderUnderTest } from './provider-runs.ts';
import { COMMON_FAULTS, startProviderWorld } from './provider-world.ts';

const github = await startFakeGithub();
const world = await startProviderWorld(undefined, { GITHUB_TOKEN: github.token });

let issues = 0;
const config = { repository: 'acme/app', apiBaseUrl: github.baseUrl };
const action = await world.createAction('github.issue_comment', config);
const provider: ProviderUnderTest<(typeof GITHUB_FAULTS)[number]> = {
  server: github,
  action,
  limitId: await world.limitOn(action, { dimension: 'resource_mutations' }),
  amount: 1,
  input: () => ({ issue_number: ++issues, body: 'Done.' }),
  truthOf: (effectId) => ({
    made: github.comments.filter(({ body }) => body.includes(effectId)).length,
    state: 'succeeded',
  }),
  isWriteFor: ({ body }, effectId) => body?.includes(effectId) === true,
  copies: (fault) => (fault === 'two_matches' ? 1 : 0),
  replays: false,
};

describe('github.issue_comment', () => {
  test.each([...COMMON_FAULTS, ...GITHUB_FAULTS])(
    '%s: at most one comment for a key, and nothing is guessed',
    async (fault) => {
      expect(await runSeeds(world.service, provider, fault)).toBeGreaterThanOrEqual(EFFECTS_MIN);
    },
  );
});
