import type { NavigationEntry } from '../domain/docs/navigation.ts';

/**
 * The order and the groups of the documentation. Every page stands here exactly once (`test/api/docs`); the groups at the top are the
 * sections of llms.txt. A string is a page's route: `docs/x/y.md` is `/x/y`, `docs/x/README.md` is `/x`.
 */
export const NAVIGATION: readonly NavigationEntry[] = [
  {
    label: 'Start here',
    items: [
      '/',
      '/quickstart',
      '/quickstart-agent-state',
      { label: 'Quickstarts', route: '/quickstarts', items: [{ below: '/quickstarts' }] },
      '/glossary',
    ],
  },
  {
    label: 'Act',
    items: [
      '/actions',
      '/import',
      '/previews',
      '/invocations',
      '/approvals',
      '/approval-policies',
      '/policy-expressions',
      '/impact-limits',
      '/receipts',
      '/reconciliation',
      '/runs',
      { label: 'Adapters', route: '/adapters', items: [{ below: '/adapters' }] },
    ],
  },
  {
    label: 'Deliver',
    items: ['/messages', '/schedules', '/url-groups', '/flow-control', '/dead-letters', '/events'],
  },
  { label: 'Remember', items: ['/sessions', '/context', '/memory', '/cache', '/files'] },
  {
    label: 'Connect',
    items: [
      '/api',
      '/idempotency',
      '/versioning',
      '/mcp',
      '/oauth',
      '/tool-export',
      '/sdk-typescript',
      '/sdk-python',
      '/cli',
    ],
  },
  {
    label: 'Administer',
    items: [
      '/identity',
      '/environments',
      '/secrets',
      '/budgets',
      '/plans-and-limits',
      '/billing',
      '/audit',
      '/notifications',
      '/integrations',
      '/retention',
    ],
  },
  { label: 'Cookbook', route: '/cookbook', items: [{ below: '/cookbook' }, { below: '/howto' }, '/contract-testing'] },
  {
    label: 'Operate',
    items: [
      '/operations',
      '/architecture',
      '/database',
      '/performance',
      '/performance-http',
      '/performance-neighbours',
      '/performance-agent-state',
      '/dependencies',
      { label: 'Decisions', collapsed: true, items: [{ below: '/adr' }] },
    ],
  },
  {
    label: 'Reference',
    items: [
      '/reference/configuration',
      '/reference/errors',
      '/reference/refusals',
      '/reference/warnings',
      '/reference/events',
      '/reference/audit-actions',
      {
        label: 'Operations',
        collapsed: true,
        items: [{ below: '/reference/operations', groupedBy: 'area' }],
      },
      { label: 'Codes', collapsed: true, items: [{ below: '/reference' }] },
    ],
  },
];
