import type { JsonObject } from '../../domain/json.ts';

/** A tag of the document: the part of a route's id before the dot. */
interface Area {
  tag: string;
  title: string;
  description: string;
}

/** The areas in the order in which somebody meets them: first what an agent does, then who agrees, then who runs the workspace. */
const GROUPS: readonly { name: string; areas: readonly Area[] }[] = [
  {
    name: 'Act',
    areas: [
      {
        tag: 'actions',
        title: 'Actions',
        description:
          'An action is one production call: its request, the input that it takes, what it moves (`impact`) and how its outcome is read back ' +
          '(`verify`). Definitions are versioned and immutable; an invocation runs the version that was current when it was admitted.',
      },
      {
        tag: 'previews',
        title: 'Previews',
        description:
          'Exactly what an invocation of a governed action would send and use up. Invoke with `previewId` to have that executed, or nothing.',
      },
      {
        tag: 'invocations',
        title: 'Invocations',
        description:
          'One request to run an action. It is durable: once it was acknowledged it ends in a status, whatever crashes. Invoke with ' +
          '`POST /api/v2/actions/{ref}/invoke`.',
      },
      {
        tag: 'effects',
        title: 'Effects',
        description:
          'The receipt of a governed invocation: the exact request, every attempt, the evidence of what happened, chained by hash. An unknown ' +
          'outcome is reconciled by reads, or resolved by a person. It is never sent again by itself.',
      },
      {
        tag: 'messages',
        title: 'Messages',
        description: 'HTTP requests that are delivered now or later, at least once, signed and with retries.',
      },
      {
        tag: 'urlGroups',
        title: 'URL groups',
        description: 'Destinations that are published to together: one message for each endpoint.',
      },
      {
        tag: 'deadLetters',
        title: 'Dead letters',
        description: 'Messages that failed for good: look at them, send them again, one or all, or clear them.',
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
          'What waits for a person. A decision is bound to the digest of what was shown: if that changes, the approval does not count.',
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
        description: 'Receivers of messages verify deliveries with these.',
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
        description: 'Which credential a request has, and the sign-in of people.',
      },
      {
        tag: 'audit',
        title: 'Audit log',
        description: 'Every change of the platform, with who made it.',
      },
    ],
  },
];

/** The members of the document that say what its tags are. A tag that no area describes stands last. */
export function tagsOf(used: ReadonlySet<string>): { tags: JsonObject[]; 'x-tagGroups': JsonObject[] } {
  const areas = GROUPS.flatMap((group) => group.areas);
  const named = areas.filter(({ tag }) => used.has(tag));
  const unnamed = [...used].filter((tag) => !areas.some((area) => area.tag === tag));
  return {
    tags: [
      ...named.map(({ tag, title, description }) => ({ name: tag, 'x-displayName': title, description })),
      // Routes of a test.
      ...unnamed.map((name) => ({ name })),
    ],
    'x-tagGroups': GROUPS.map(({ name, areas: members }) => ({
      name,
      tags: members.map(({ tag }) => tag).filter((tag) => used.has(tag)),
    })).filter(({ tags }) => tags.length > 0),
  };
}
