import type { JsonObject } from '../../domain/json.ts';

interface Area {
  tag: string;
  title: string;
  description: string;
}

/** In the order in which readers meet them: what an agent does, who agrees, who runs the workspace. */
const GROUPS: readonly { name: string; areas: readonly Area[] }[] = [
  {
    name: 'Act',
    areas: [
      {
        tag: 'actions',
        title: 'Actions',
        description:
          'An action is one production call: its request, the input that it takes, what it moves (`impact`) and how its outcome is read back ' +
          '(`verify`). A change makes a new version; versions are immutable, and an invocation runs the version that was current when it was admitted.',
      },
      {
        tag: 'previews',
        title: 'Previews',
        description:
          'A preview shows exactly what an invocation of a governed action would send and use up. Invoke with `previewId` to have that executed, or nothing.',
      },
      {
        tag: 'invocations',
        title: 'Invocations',
        description:
          'An invocation is one request to run an action. It is durable: once it is acknowledged it reaches a final status, whatever crashes.',
      },
      {
        tag: 'effects',
        title: 'Effects',
        description:
          'An effect is the receipt of a governed invocation: the exact request, every attempt, and the evidence of what happened, chained by hash. ' +
          'An unknown outcome is found out by reading the provider, or recorded by a person. The service never sends again by itself.',
      },
      {
        tag: 'messages',
        title: 'Messages',
        description: 'HTTP requests that are delivered now or later, at least once, signed and with retries.',
      },
      {
        tag: 'schedules',
        title: 'Schedules',
        description: 'Messages that are published by a cron expression, in a time zone: each slot once.',
      },
      {
        tag: 'urlGroups',
        title: 'URL groups',
        description: 'Destinations that are published to together: one message for each endpoint.',
      },
      {
        tag: 'events',
        title: 'Events',
        description:
          'Typed events are published to topics and delivered to subscriptions, signed and with retries. The reserved topic `service` tells of the service itself.',
      },
      {
        tag: 'deadLetters',
        title: 'Dead letters',
        description: 'Messages that failed for good: look at them, send them again, one or all, or clear them.',
      },
      {
        tag: 'flowControl',
        title: 'Flow control',
        description:
          'How fast, and how many at once, the messages of one key are delivered. What is over the limits waits, in order, and is never refused.',
      },
    ],
  },
  {
    name: 'Remember',
    areas: [
      {
        tag: 'runs',
        title: 'Runs',
        description:
          'What agents did: runs and their spans, as trees, sent by OTLP or by this API, with the spans of what was invoked in them.',
      },
      {
        tag: 'sessions',
        title: 'Sessions',
        description: 'Conversations of agents: messages in one gapless order, appended, cleared and popped.',
      },
      {
        tag: 'context',
        title: 'Context',
        description:
          'What an agent sends to its model on a turn, from a session and from memory, within a budget of tokens.',
      },
      {
        tag: 'memory',
        title: 'Memory',
        description:
          'Facts and episodes on two axes of time: superseded instead of overwritten, searched by meaning and by words, and forgotten with what was derived from them.',
      },
      {
        tag: 'cache',
        title: 'Semantic cache',
        description:
          'Answers of models, found again by a prompt that is the same or near enough. A gate keeps back what is alike and means something else.',
      },
      {
        tag: 'files',
        title: 'Files',
        description:
          'Files that agents and people keep here: uploaded directly, or to a presigned URL and then confirmed by size and hash.',
      },
    ],
  },
  {
    name: 'Govern',
    areas: [
      {
        tag: 'approvals',
        title: 'Approvals',
        description:
          'An approval asks people whether one exact request may be sent. A decision is bound to the digest of what was shown: if that changes, it does not count.',
      },
      {
        tag: 'approvalPolicies',
        title: 'Approval policies',
        description:
          'Rules in CEL that allow an invocation, deny it, or ask for approvals. Write them by API, or keep them as files and plan, test and apply them.',
      },
      {
        tag: 'impactLimits',
        title: 'Impact limits',
        description: 'How much actions may do to the world: money, e-mails or any other dimension, for each period.',
      },
      {
        tag: 'budgets',
        title: 'Budgets',
        description: 'How much an API key may use of this service in a month.',
      },
      {
        tag: 'analytics',
        title: 'Analytics',
        description:
          'Counts, rates and percentiles over the records of an environment, by the time at which things ended. Most are folded once a minute: ' +
          '`completeUntil` says how far they reach. Usage, schedule executions and the onboarding are exact.',
      },
      {
        tag: 'billing',
        title: 'Billing',
        description:
          'What the plan of a workspace includes, what was used of it on each day, and the public pricing policy.',
      },
      {
        tag: 'notifications',
        title: 'Notifications',
        description: 'What members are told of, the alert webhook, and e-mail.',
      },
      {
        tag: 'integrations',
        title: 'Integrations',
        description:
          'Slack and Discord channels where approvals are asked for, and decided by members who have said who they are there.',
      },
    ],
  },
  {
    name: 'Run the workspace',
    areas: [
      {
        tag: 'secrets',
        title: 'Secrets',
        description:
          'Credentials of providers, sealed in a vault. Actions name them as `{{secret:NAME}}`; no reply holds a value.',
      },
      {
        tag: 'signingKeys',
        title: 'Signing keys',
        description: 'Deliveries of messages are signed with these keys, so that receivers can verify them.',
      },
      {
        tag: 'environments',
        title: 'Environments',
        description: 'Each has its own keys, actions and data. Halting one stops every dispatch in it at once.',
      },
      {
        tag: 'apiKeys',
        title: 'API keys',
        description:
          'Credentials of programs. A key belongs to one environment and has the scopes of a preset, or its own.',
      },
      {
        tag: 'members',
        title: 'Members',
        description: 'People in the workspace, and their roles.',
      },
      {
        tag: 'auth',
        title: 'Identity and sessions',
        description: 'Who a request comes from, and how people sign in.',
      },
      {
        tag: 'console',
        title: 'Console',
        description: 'What screens for people need beside the other routes: to be told when to read again.',
      },
      {
        tag: 'audit',
        title: 'Audit log',
        description: 'Every change of the workspace, and who made it.',
      },
    ],
  },
];

/** Operations whose tag differs from the beginning of their id. */
const STANDS_UNDER: Readonly<Record<string, string>> = {
  'actions.invoke': 'invocations',
  'actions.listInvocations': 'invocations',
};

/** Usually the part of the id before the dot. */
export function tagOf(operationId: string): string {
  return STANDS_UNDER[operationId] ?? operationId.split('.')[0] ?? operationId;
}

export function titleOfTag(tag: string): string {
  return GROUPS.flatMap(({ areas }) => areas).find((area) => area.tag === tag)?.title ?? tag;
}

/** Tags and their groups. A tag without an area comes last. */
export function tagsOf(used: ReadonlySet<string>): { tags: JsonObject[]; 'x-tagGroups': JsonObject[] } {
  const areas = GROUPS.flatMap((group) => group.areas);
  const named = areas.filter(({ tag }) => used.has(tag));
  const unnamed = [...used].filter((tag) => !areas.some((area) => area.tag === tag));
  return {
    tags: [
      ...named.map(({ tag, title, description }) => ({ name: tag, 'x-displayName': title, description })),
      // Routes of tests.
      ...unnamed.map((name) => ({ name })),
    ],
    'x-tagGroups': GROUPS.map(({ name, areas: members }) => ({
      name,
      tags: members.map(({ tag }) => tag).filter((tag) => used.has(tag)),
    })).filter(({ tags }) => tags.length > 0),
  };
}
