import { MARKUP_SHOWN, PRINTABLE_MARKUP, type Seeded } from './seed.ts';

export interface TestedScreen {
  name: string;
  path: string;
  /** Text that means harm, as the screen shows it. */
  hostile?: string;
  /** `nothing`: it reads nothing but who is signed in and in which environments. */
  needs?: 'nothing';
}

/** The screens of records whose texts others wrote. */
const HOSTILE = new Set(['effect', 'topic', 'action', 'runs']);
/** They show it within JSON, which escapes its quotes. */
const HOSTILE_IN_JSON = new Set(['message', 'event', 'run', 'session', 'policy']);
const NEEDS_NOTHING = new Set(['policy-test', 'environments']);

/** The areas of the settings. */
export const SETTINGS = [
  'members',
  'keys',
  'environments',
  'integrations',
  'secrets',
  'apps',
  'audit',
  'security',
  'notifications',
] as const;

/** Every screen of the console with a record of the seed. `http.test.ts` holds it to the console's own table. */
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
    'action-preview': '/actions/refund.create/preview',
    'action-version': '/actions/refund.create/versions/1',
    schedules: '/schedules',
    schedule: `/schedules/${seeded.schedule}`,
  };
  const facts = (name: string): Pick<TestedScreen, 'hostile' | 'needs'> => ({
    ...(HOSTILE.has(name) ? { hostile: MARKUP_SHOWN } : {}),
    ...(HOSTILE_IN_JSON.has(name) ? { hostile: PRINTABLE_MARKUP } : {}),
    ...(NEEDS_NOTHING.has(name) ? { needs: 'nothing' } : {}),
  });
  return [
    ...Object.entries(below).map(([name, path]) => ({
      name,
      path: `/console/e/${environmentId}${path}`,
      ...facts(name),
    })),
    ...SETTINGS.map((name) => ({ name, path: `/console/settings/${name}?e=${environmentId}`, ...facts(name) })),
    { name: 'billing', path: `/console/billing?e=${environmentId}` },
    { name: 'welcome', path: `/console/welcome?e=${environmentId}` },
  ];
}
