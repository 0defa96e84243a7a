import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Bundles workflows/index.ts as the worker loads it and returns the file's path. Fails for a workflow that reaches a Node builtin. */
export async function bundleWorkflows(outFile: string): Promise<string> {
  const source = new URL(`../workflows/index${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
  const workflowsPath = fileURLToPath(source);
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    // Evaluated once for a thread of workflows, and not once for each workflow: none of these modules keeps state.
    preloadModules: [workflowsPath],
    logger: new DefaultLogger('WARN'),
  });
  await writeFile(outFile, code);
  return outFile;
}
