import { z } from 'zod';
import { impactQuantitySchema } from '../../domain/impact.ts';
import { ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';
import { APPROVAL_DEFAULTS } from '../../db/environments/environments.ts';
import { actionRefParams } from '../actions/action-schemas.ts';
import { ACTION_NAME_PATTERN, APPROVAL_TAG_CHARACTERS_MAX } from '../actions/body-schemas.ts';
import { anyJson } from '../http/common-fields.ts';
import { AGENT_ID_CHARACTERS_MAX } from '../actions/request-members.ts';
import { filesMember } from './files-schemas.ts';
import { effectSchema, traceSchema } from './schemas.ts';
import { decisionMembers } from './verdict-schema.ts';

export const FIXTURES_MAX = 500;

const describedAction = z
  .strictObject({
    name: z.string().regex(ACTION_NAME_PATTERN, 'must be the name of an action'),
    adapter: z.string().min(1).max(100).optional().describe('Type of its adapter; http.request where none is named.'),
    governed: z.boolean().optional().describe('Left out: false.'),
    tag: z.string().min(1).max(APPROVAL_TAG_CHARACTERS_MAX).optional(),
    approvalRequired: z.boolean().optional().describe('Left out: false.'),
  })
  .meta({ id: 'FixtureAction' });

const fixtureRequest = z
  .strictObject({
    action: z
      .union([actionRefParams.shape.ref, describedAction])
      .describe('The id or name of an action of this environment, or what the policies would see of one.'),
    input: z.record(z.string(), anyJson),
    impact: z
      .array(impactQuantitySchema)
      .max(20)
      .optional()
      .describe("Left out: what the action's declaration makes of the input."),
    agentId: z.string().min(1).max(AGENT_ID_CHARACTERS_MAX).optional(),
    keyId: z.string().min(1).max(100).optional().describe('Id of the key that asks; it need not exist.'),
    keyName: z.string().min(1).max(100).optional(),
    runId: z.string().min(1).max(100).optional(),
    environment: z
      .strictObject({
        name: z.string().min(1).max(100).optional(),
        kind: z.enum(ENVIRONMENT_KINDS).optional(),
        approvalDefault: z.enum(APPROVAL_DEFAULTS).nullable().optional(),
      })
      .optional()
      .describe('In place of this environment’s own.'),
    now: z.iso.datetime().optional().describe('Left out: the present.'),
  })
  .meta({ id: 'FixtureRequest' });

const expectation = z
  .strictObject({
    effect: effectSchema,
    policy: z.string().min(1).max(100).optional().describe('Name of the policy that must decide.'),
    ruleId: z.string().min(1).max(64).nullable().optional().describe('null: no rule may decide.'),
    quorum: z.int().min(1).optional(),
  })
  .meta({ id: 'FixtureExpectation' });

const fixture = z
  .strictObject({
    name: z.string().min(1).max(200),
    request: fixtureRequest,
    expect: expectation,
  })
  .meta({ id: 'PolicyFixture' });

export type Fixture = z.output<typeof fixture>;

export const testBody = z
  .strictObject({
    files: filesMember,
    fixtures: z.array(fixture).min(1).max(FIXTURES_MAX),
  })
  .meta({ id: 'TestApprovalPolicyFiles' });

const { policyId: _id, version: _version, ...decided } = decisionMembers;

const fixtureResult = z
  .strictObject({
    name: z.string(),
    passed: z.boolean(),
    problems: z.array(z.string()).describe('What differs from `expect`; empty where it passed.'),
    expected: expectation,
    actual: z
      .strictObject({ ...decided, policy: z.string().nullable().describe('Name of the policy that decided.') })
      .nullable()
      .describe('null where the request could not be evaluated; `problems` says why.'),
    trace: z.array(traceSchema).describe('The rules that were looked at, those whose `match` held before the others.'),
    traceOmitted: z.int().min(0).describe('How many more there were.'),
  })
  .meta({ id: 'PolicyFixtureResult' });

export type FixtureResult = z.input<typeof fixtureResult>;

export const testedSchema = z
  .strictObject({
    passed: z.boolean().describe('True where every fixture passed.'),
    passedCount: z.int().min(0),
    failedCount: z.int().min(0),
    results: z.array(fixtureResult).describe('In the order of the fixtures.'),
  })
  .meta({ id: 'TestedApprovalPolicyFiles' });
