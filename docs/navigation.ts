import type { NavigationEntry } from '../domain/docs/navigation.ts';

/**
 * The order and the groups of the documentation, as a newcomer reads: begin, connect an agent, understand what happens, then one guide
 * for each task, then what is looked up, then how the service is run and built. Every page of `docs/` is named here exactly once
 * (`test/architecture/documentation.test.ts`); the groups at the top are the sections of llms.txt. A string is a page's route: its
 * path below `docs/`, without what follows the dot; a README has the route of its folder. `below` is for pages that are generated.
 */
export const NAVIGATION: readonly NavigationEntry[] = [
  {
    label: 'Start',
    items: ['/', '/quickstart', '/quickstart-agent-state', '/glossary', '/how-it-compares'],
  },
  {
    label: 'Connect an agent',
    items: [
      {
        label: 'Quick starts',
        route: '/quickstarts',
        items: [
          '/quickstarts/mcp-client',
          '/quickstarts/openai',
          '/quickstarts/anthropic',
          '/quickstarts/langgraph',
          '/quickstarts/vercel-ai-sdk',
        ],
      },
      '/mcp',
      '/tool-export',
      '/sdk-typescript',
      '/sdk-python',
      '/cli',
      '/oauth',
    ],
  },
  {
    label: 'Act',
    items: [
      '/actions',
      { route: '/invocations', label: 'Invocations' },
      '/receipts',
      { route: '/reconciliation', label: 'Reconciliation' },
      { route: '/secrets', label: 'Secrets' },
      '/import',
      {
        label: 'Adapters',
        route: '/adapters',
        items: [
          '/adapters/stripe-refund',
          '/adapters/resend-email',
          '/adapters/github-issue-comment',
          '/adapters/writing-an-adapter',
        ],
      },
    ],
  },
  {
    label: 'Govern',
    items: [
      '/approval-policies',
      '/policy-expressions',
      '/previews',
      { route: '/approvals', label: 'Approvals' },
      '/integrations',
      '/impact-limits',
    ],
  },
  {
    label: 'Deliver',
    items: ['/messages', '/schedules', '/url-groups', '/flow-control', '/dead-letters', '/events'],
  },
  {
    label: 'Remember and trace',
    items: [
      { route: '/sessions', label: 'Sessions' },
      '/context',
      '/memory',
      '/cache',
      '/files',
      { route: '/runs', label: 'Runs and spans' },
    ],
  },
  {
    label: 'Cookbook',
    route: '/cookbook',
    items: [
      '/cookbook/any-openapi-document',
      '/cookbook/policies-in-ci',
      '/cookbook/events-to-a-webhook',
      '/cookbook/a-slack-approval',
      '/howto/test-your-actions',
    ],
  },
  {
    label: 'Use the API',
    items: ['/api', { route: '/identity', label: 'Identity' }, '/idempotency', '/versioning', '/documentation-api'],
  },
  {
    label: 'Administer a workspace',
    items: [
      '/console',
      '/environments',
      '/console-stream',
      '/plans-and-limits',
      '/budgets',
      '/billing',
      '/analytics',
      { route: '/notifications', label: 'Notifications' },
      '/audit',
      '/retention',
    ],
  },
  {
    label: 'Reference',
    items: [
      {
        label: 'Operations',
        route: '/reference/operations',
        collapsed: true,
        items: [{ below: '/reference/operations', groupedBy: 'area' }],
      },
      {
        label: 'Error codes',
        route: '/reference/errors',
        collapsed: true,
        items: [{ below: '/reference/errors' }],
      },
      {
        label: 'Refusal codes',
        route: '/reference/refusals',
        collapsed: true,
        items: [{ below: '/reference/refusals' }],
      },
      {
        label: 'Warning codes',
        route: '/reference/warnings',
        collapsed: true,
        items: [{ below: '/reference/warnings' }],
      },
      '/reference/events',
      '/reference/audit-actions',
      { route: '/reference/configuration', label: 'Configuration' },
    ],
  },
  {
    label: 'Operate',
    items: [
      '/operations',
      '/kubernetes',
      '/upgrades',
      '/ha',
      '/scaling',
      '/doctor',
      '/metrics',
      '/traces',
      '/runbooks',
      '/commands',
      '/performance',
      '/performance-http',
      '/performance-neighbours',
      '/performance-agent-state',
    ],
  },
  {
    label: 'How it is built',
    items: [
      '/architecture',
      '/database',
      '/database-functions',
      '/lock-order',
      { label: 'Change the code', items: ['/howto/add-a-route', '/howto/add-a-workflow', '/howto/add-an-area'] },
      '/releasing',
      '/contract-testing',
      '/dependencies',
      {
        label: 'Decisions',
        collapsed: true,
        items: [
          '/adr/0001-progress-in-temporal-record-in-postgresql',
          '/adr/0002-start-and-notify',
          '/adr/0003-a-marked-dispatch-may-be-rejected',
          '/adr/0004-a-new-connection-for-each-dispatch',
          '/adr/0005-effects-are-created-by-the-evaluation',
          '/adr/0006-database-roles',
          '/adr/0007-oxlint-tsgolint-typescript-7',
          '/adr/0008-settled-with-its-record',
          '/adr/0009-the-row-decides-what-a-person-does',
          '/adr/0010-raw-sql-over-pg',
          '/adr/0011-flow-control-in-rows',
          '/adr/0012-a-file-is-completed-at-admission',
          '/adr/0013-search-orders-by-signs-first',
          '/adr/0014-the-caches-normal-form',
          '/adr/0015-two-ways-to-search-by-vectors',
          '/adr/0016-the-database-counts-and-indexes',
          '/adr/0017-an-outbox-of-workflow-starts',
          '/adr/0018-what-stays-by-hand',
          '/adr/0019-lanes-for-deliveries',
          '/adr/0020-short-calls-in-one-step',
          '/adr/0021-the-timeline-is-part-of-the-fence',
          '/adr/0022-archive-instead-of-partitions',
        ],
      },
    ],
  },
];
