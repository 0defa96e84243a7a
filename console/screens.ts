import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';

type Load = () => Promise<Record<string, ComponentType>>;

/** A screen: its path below `/console`, the module that is loaded when it is opened, and the component in it. */
interface Screen {
  path: string;
  load: Load;
  component: string;
}

const of = (path: string, load: () => Promise<unknown>, component: string): Screen => ({
  path,
  load: load as Load,
  component,
});

/** Every screen. A link to a screen that is not here would lead nowhere, so the rail and ⌘K are held to it by a test. */
export const SCREENS: readonly Screen[] = [
  of('/e', () => import('./routes/start.tsx'), 'StartScreen'),
  of('/e/$environmentId/effects', () => import('./routes/effects.tsx'), 'EffectsScreen'),
  of('/e/$environmentId/effects/$id', () => import('./routes/effect.tsx'), 'EffectScreen'),
  of('/e/$environmentId/invocations', () => import('./routes/invocations.tsx'), 'InvocationsScreen'),
  of('/e/$environmentId/invocations/$id', () => import('./routes/invocation.tsx'), 'InvocationScreen'),
  of('/e/$environmentId/messages', () => import('./routes/messages.tsx'), 'MessagesScreen'),
  of('/e/$environmentId/messages/$id', () => import('./routes/message.tsx'), 'MessageScreen'),
  of('/e/$environmentId/dlq', () => import('./routes/dead-letters.tsx'), 'DeadLettersScreen'),
  of('/e/$environmentId/dlq/$id', () => import('./routes/dead-letter.tsx'), 'DeadLetterScreen'),
  of('/e/$environmentId/url-groups', () => import('./routes/url-groups.tsx'), 'UrlGroupsScreen'),
  of('/e/$environmentId/url-groups/$id', () => import('./routes/url-group.tsx'), 'UrlGroupScreen'),
  of('/e/$environmentId/flow-control', () => import('./routes/flow-control.tsx'), 'FlowControlScreen'),
  of('/e/$environmentId/overview', () => import('./routes/overview.tsx'), 'OverviewScreen'),
  of('/e/$environmentId/actions', () => import('./routes/actions.tsx'), 'ActionsScreen'),
  of('/e/$environmentId/actions/$name', () => import('./routes/action.tsx'), 'ActionScreen'),
  of(
    '/e/$environmentId/actions/$name/versions/$number',
    () => import('./routes/action-version.tsx'),
    'ActionVersionScreen',
  ),
  of('/e/$environmentId/actions/$name/preview', () => import('./routes/preview.tsx'), 'PreviewScreen'),
  of('/e/$environmentId/schedules', () => import('./routes/schedules.tsx'), 'SchedulesScreen'),
  of('/e/$environmentId/schedules/$id', () => import('./routes/schedule.tsx'), 'ScheduleScreen'),
  of('/e/$environmentId/runs', () => import('./routes/runs.tsx'), 'RunsScreen'),
  of('/e/$environmentId/runs/$id', () => import('./routes/run.tsx'), 'RunScreen'),
  of('/e/$environmentId/events', () => import('./routes/events.tsx'), 'EventsScreen'),
  of('/e/$environmentId/events/topics/$id', () => import('./routes/topic.tsx'), 'TopicScreen'),
  of('/e/$environmentId/events/subscriptions/$id', () => import('./routes/subscription.tsx'), 'SubscriptionScreen'),
  of('/e/$environmentId/events/$id', () => import('./routes/event.tsx'), 'EventScreen'),
  of('/e/$environmentId/limits', () => import('./routes/limits.tsx'), 'LimitsScreen'),
  of('/e/$environmentId/budgets', () => import('./routes/budgets.tsx'), 'BudgetsScreen'),
  of('/e/$environmentId/policies', () => import('./routes/policies.tsx'), 'PoliciesScreen'),
  of('/e/$environmentId/policies/test', () => import('./routes/policy-test.tsx'), 'PolicyTestScreen'),
  of('/e/$environmentId/policies/$id', () => import('./routes/policy.tsx'), 'PolicyScreen'),
  of('/e/$environmentId/analytics', () => import('./routes/analytics.tsx'), 'AnalyticsScreen'),
  of('/e/$environmentId/sessions', () => import('./routes/sessions.tsx'), 'SessionsScreen'),
  of('/e/$environmentId/sessions/$id', () => import('./routes/session.tsx'), 'SessionScreen'),
  of('/e/$environmentId/memory', () => import('./routes/memory.tsx'), 'MemoryScreen'),
  of('/e/$environmentId/cache', () => import('./routes/cache.tsx'), 'CacheScreen'),
  of('/e/$environmentId/files', () => import('./routes/files.tsx'), 'FilesScreen'),
  of('/settings/members', () => import('./routes/members.tsx'), 'MembersScreen'),
  of('/settings/keys', () => import('./routes/keys.tsx'), 'KeysScreen'),
  of('/settings/environments', () => import('./routes/environments.tsx'), 'EnvironmentsScreen'),
  of('/settings/integrations', () => import('./routes/integrations.tsx'), 'IntegrationsScreen'),
  of('/settings/secrets', () => import('./routes/secrets.tsx'), 'SecretsScreen'),
  of('/settings/apps', () => import('./routes/apps.tsx'), 'AppsScreen'),
  of('/settings/audit', () => import('./routes/audit.tsx'), 'AuditScreen'),
  of('/settings/security', () => import('./routes/security.tsx'), 'SecurityScreen'),
  of('/settings/notifications', () => import('./routes/notifications.tsx'), 'NotificationsScreen'),
  of('/billing', () => import('./routes/billing.tsx'), 'BillingScreen'),
  of('/welcome', () => import('./routes/welcome.tsx'), 'WelcomeScreen'),
];

export function routesOf(parent: AnyRoute): AnyRoute[] {
  return SCREENS.map(({ path, load, component }) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      component: lazyRouteComponent(load, component),
    }),
  );
}

export interface Area {
  title: string;
  path: string;
  /** After `g`. */
  key?: string;
}

/** What the rail lists, in groups. The paths stand below `/e/{id}`. */
export const RAIL: readonly { group: string; areas: readonly Area[] }[] = [
  {
    group: 'Work',
    areas: [
      { title: 'Overview', path: '/overview', key: 'o' },
      { title: 'Effects', path: '/effects', key: 'e' },
      { title: 'Invocations', path: '/invocations', key: 'i' },
      { title: 'Runs', path: '/runs', key: 'r' },
    ],
  },
  {
    group: 'Govern',
    areas: [
      { title: 'Actions', path: '/actions', key: 'a' },
      { title: 'Approval policies', path: '/policies', key: 'p' },
      { title: 'Impact limits', path: '/limits', key: 'l' },
      { title: 'Budgets', path: '/budgets' },
      { title: 'Analytics', path: '/analytics', key: 'n' },
    ],
  },
  {
    group: 'Deliver',
    areas: [
      { title: 'Messages', path: '/messages', key: 'm' },
      { title: 'Dead letters', path: '/dlq', key: 'd' },
      { title: 'Schedules', path: '/schedules', key: 's' },
      { title: 'Events', path: '/events', key: 'v' },
      { title: 'URL groups', path: '/url-groups' },
      { title: 'Flow control', path: '/flow-control' },
    ],
  },
  {
    group: 'Remember',
    areas: [
      { title: 'Sessions', path: '/sessions' },
      { title: 'Memory', path: '/memory' },
      { title: 'Cache', path: '/cache' },
      { title: 'Files', path: '/files', key: 'f' },
    ],
  },
];

/** Screens of the workspace, which keep the environment as `?e=`. */
export const WORKSPACE_AREAS: readonly Area[] = [
  { title: 'Members', path: '/settings/members' },
  { title: 'Keys', path: '/settings/keys' },
  { title: 'Environments', path: '/settings/environments' },
  { title: 'Integrations', path: '/settings/integrations' },
  { title: 'Secrets', path: '/settings/secrets' },
  { title: 'Connected apps', path: '/settings/apps' },
  { title: 'Audit log', path: '/settings/audit' },
  { title: 'Security', path: '/settings/security' },
  { title: 'Notifications', path: '/settings/notifications' },
  { title: 'Billing', path: '/billing' },
  { title: 'First steps', path: '/welcome' },
];
