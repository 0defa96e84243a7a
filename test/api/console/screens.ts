import type { Seeded } from './seed.ts';

export interface TestedScreen {
  name: string;
  path: string;
}

/** Every screen of the console with a record of the seed. `budgets.test.ts` holds it to the console's own table. */
export function screensOf(seeded: Seeded, environmentId: string): TestedScreen[] {
  const below: Record<string, string> = {
    overview: '/overview',
    effects: '/effects',
    effect: `/effects/${seeded.effect}`,
    invocations: '/invocations',
    invocation: `/invocations/${seeded.invocation}`,
    messages: '/messages',
    message: `/messages/${seeded.message}`,
    'dead-letters': '/dlq',
    'dead-letter': `/dlq/${seeded.deadLetter}`,
    'url-groups': '/url-groups',
    'url-group': `/url-groups/${seeded.group}`,
    'flow-control': '/flow-control',
    events: '/events',
    event: `/events/${seeded.event}`,
    topic: `/events/topics/${seeded.topic}`,
    subscription: `/events/subscriptions/${seeded.subscription}`,
    limits: '/limits',
    budgets: '/budgets',
    policies: '/policies',
    policy: `/policies/${seeded.policy}`,
    'policy-test': '/policies/test',
    analytics: '/analytics',
    sessions: '/sessions',
    session: `/sessions/${seeded.session}`,
    memory: '/memory',
    'memory-search': '/memory?q=mornings',
    cache: '/cache',
    files: '/files',
    runs: '/runs',
    run: `/runs/${seeded.run}?span=00000000000000a2`,
    actions: '/actions',
    action: '/actions/refund.create',
    'action-version': '/actions/refund.create/versions/1',
    schedules: '/schedules',
    schedule: `/schedules/${seeded.schedule}`,
  };
  const ofWorkspace = ['members', 'keys', 'environments', 'integrations', 'secrets', 'apps', 'audit', 'notifications'];
  return [
    ...Object.entries(below).map(([name, path]) => ({ name, path: `/console/e/${environmentId}${path}` })),
    ...ofWorkspace.map((name) => ({ name, path: `/console/settings/${name}?e=${environmentId}` })),
    { name: 'billing', path: `/console/billing?e=${environmentId}` },
    { name: 'welcome', path: `/console/welcome?e=${environmentId}` },
  ];
}
