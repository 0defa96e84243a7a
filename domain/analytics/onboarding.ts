import { environmentPath } from '../console-links.ts';

/** A step that leads a new environment to its first governed effect, with a page that explains it. */
interface OnboardingStep {
  title: string;
  /** A page of `docs/`, without its suffix, and a heading on it. */
  page: string;
}

/** The steps in the order in which the quick start takes them. `db/analytics/environment.ts` says when each is done. */
export const ONBOARDING_STEPS = {
  key_created: { title: 'Make an API key', page: 'identity#api-keys' },
  action_created: { title: 'Define an action', page: 'actions#the-definition' },
  first_preview: { title: 'Preview what an action would send', page: 'previews#a-worked-example' },
  first_invocation: { title: 'Invoke an action', page: 'invocations#invoke-an-action-a-worked-example' },
  action_governed: { title: 'Govern an action', page: 'actions#the-definition' },
  policy_applied: { title: 'Apply an approval policy', page: 'approval-policies#a-worked-example' },
  approver_added: { title: 'Add a second member, who can approve', page: 'identity#members' },
  first_decision: { title: 'Decide an approval', page: 'approvals#the-page' },
  channel_connected: { title: 'Connect a chat that asks for approvals', page: 'integrations' },
  first_message: { title: 'Publish a message', page: 'messages' },
  first_run: { title: 'Record a run of an agent', page: 'runs' },
} as const satisfies Record<string, OnboardingStep>;

export type OnboardingStepId = keyof typeof ONBOARDING_STEPS;
export const ONBOARDING_STEP_IDS = Object.keys(ONBOARDING_STEPS) as OnboardingStepId[];

export interface OnboardingPlace {
  /** Path of a page of the documentation, relative to its address. */
  docsUrl: string;
  /** Path of a page of ours where a person takes the step, or null where the API alone does. */
  consolePath: string | null;
}

export function onboardingPlace(id: OnboardingStepId, environmentId: string): OnboardingPlace {
  return {
    docsUrl: `/docs/${ONBOARDING_STEPS[id].page}`,
    consolePath: id === 'first_decision' ? environmentPath(environmentId) : null,
  };
}
