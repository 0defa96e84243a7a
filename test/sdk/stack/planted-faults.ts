import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../../process/project-root.ts';
import { readVectors } from '../vectors.ts';

/** A step of sdk/scenario.json, as sdk/README.md describes it. */
export interface ScenarioStep {
  name: string;
  as?: string;
  do: string;
  with: Record<string, unknown>;
  expect?: object;
  fails?: object;
  save?: string;
}

/** A scenario whose last step takes a fault for granted, and what each SDK's runner says of that step. */
export interface PlantedFault {
  name: string;
  steps: ScenarioStep[];
  says: { typescript: string; python: string };
}

const IMAGINED = 'a fault that does not happen';

/**
 * Where sdk/scenario.json expects that the SDK finds a missing scope, a tampered delivery or one of another environment, these expect that it
 * finds nothing; and that a broken chain is whole. Both SDKs must stop at that step, and for that reason.
 */
export function plantedFaults(): PlantedFault[] {
  const file = path.join(projectRoot(), 'sdk', 'scenario.json');
  const { steps } = JSON.parse(readFileSync(file, 'utf8')) as { steps: ScenarioStep[] };
  const delivered = ['identity', 'published', 'delivery'].map((saved) => stepThat(steps, ({ save }) => save === saved));
  const planted = (name: string): ScenarioStep => stepThat(steps, (step) => step.name === `planted fault: ${name}`);
  const broken = readVectors('receipts').receipts.find(({ expect: { brokenAt } }) => brokenAt?.problem === 'content');
  const chain = { do: 'verifyReceipt', with: { effect: broken?.effect }, expect: { valid: true } };
  return [
    takenForGranted('a missing scope', planted('a scope that is missing'), {
      typescript: 'Missing: approvals:decide',
      python: 'it lacks approvals:decide',
    }),
    takenForGranted('a tampered delivery', planted('a tampered delivery'), {
      before: delivered,
      typescript: 'The v1 signature is wrong',
      python: 'v1_mismatch',
    }),
    takenForGranted('a delivery of another environment', planted('a delivery of another environment'), {
      before: delivered,
      typescript: 'The v2 signature is wrong',
      python: 'v2_mismatch',
    }),
    takenForGranted('a broken chain', chain, {
      typescript: 'the result.valid is false',
      python: 'the result.valid is False',
    }),
    {
      name: IMAGINED,
      steps: [{ name: IMAGINED, as: 'agent', do: 'requireScopes', with: { required: [] }, fails: { type: 'E' } }],
      says: { typescript: 'it did not fail', python: 'it did not fail' },
    },
  ];
}

/** The step without what it expects to fail with. */
function takenForGranted(
  name: string,
  { fails: _error, ...step }: Omit<ScenarioStep, 'name'>,
  { before = [], ...says }: PlantedFault['says'] & { before?: ScenarioStep[] },
): PlantedFault {
  return { name, steps: [...before, { ...step, name }], says };
}

function stepThat(steps: readonly ScenarioStep[], isIt: (step: ScenarioStep) => boolean): ScenarioStep {
  const found = steps.find(isIt);
  if (found === undefined) throw new Error('sdk/scenario.json has no such step any more');
  return found;
}
