import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReplayRef } from '../../domain/refs.ts';
import type { StartOptions } from '../../temporal/start.ts';

type Options = StartOptions<readonly unknown[]>;

/** A start, the id of its workflow, and the search attributes by which operators find it. */
export type DeclaredStart = readonly [id: string, start: AnyStart, attributes: readonly string[]];

/** What a Temporal Schedule starts is one as well, without a policy for an id that was used before: Temporal adds a time to the id. */
export interface AnyStart {
  type: string;
  options: Omit<Options, 'workflowIdReusePolicy'> & Partial<Pick<Options, 'workflowIdReusePolicy'>>;
}

/** Everything that a caller may hold, and one value that must be in no history. */
export const REF: ReplayRef & { previewId: string; messageId: string; approvalId: string; secret: string } = {
  invocationId: 'inv_1',
  workspaceId: 'wsp',
  environmentId: 'env',
  effectId: 'eff_1',
  actionName: 'refund.create',
  attemptId: 'att_1',
  previewId: 'prv_1',
  messageId: 'msg_1',
  approvalId: 'apr_1',
  secret: 'CONFIDENTIAL',
};
export const ENVIRONMENT = 'Production';
export const NAMES = { actionName: REF.actionName, environmentName: ENVIRONMENT, requestId: 'req_1' };
export const OF_TENANT = ['WorkspaceId', 'EnvironmentId', 'Environment'];

/** The export `starts` of every `test/temporal/<area>/starts.ts`: each way in which the area's workflows are started. */
export async function collectStarts(): Promise<DeclaredStart[]> {
  const files = readdirSync(import.meta.dirname)
    .toSorted()
    .map((area) => path.join(import.meta.dirname, area, 'starts.ts'))
    .filter((file) => existsSync(file));
  const declared = files.map(async (file) => {
    const { starts } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { starts?: DeclaredStart[] };
    if (starts === undefined) throw new Error(`${file} does not export \`starts\``);
    return starts;
  });
  return (await Promise.all(declared)).flat();
}
