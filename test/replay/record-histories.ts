import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDevServerEnvironment, createTimeSkippingEnvironment } from '../harness/temporal.ts';
import { doubles, runWorkflow } from '../workflows/harness.ts';
import { SCENARIOS } from './scenarios.ts';
import { scrubHistory } from './scrub-history.ts';

/** `npm run histories:record`: runs the scenarios that have no file yet. Delete a file that never shipped to record it anew. */
const HISTORIES = path.join(import.meta.dirname, 'histories');

describe('record histories', () => {
  test.each(SCENARIOS)('$name', async (scenario) => {
    const file = path.join(HISTORIES, `${scenario.name}.json`);
    if (existsSync(file)) return;
    // Each has its own time-skipping server: a child workflow left behind would hold the clock.
    const environment = await (scenario.server === 'dev'
      ? createDevServerEnvironment()
      : createTimeSkippingEnvironment());
    onTestFinished(() => environment.teardown());
    const { activities } = doubles(scenario.activities);
    // A fresh id for each run on the shared server; the stored history carries an id only in its start event.
    const workflowId = `${scenario.workflowId}/${process.pid}/${scenario.name}`;
    await runWorkflow(environment, scenario.workflow, scenario.args, activities, workflowId);
    const history = await environment.client.workflow.getHandle(workflowId).fetchHistory();
    expect(history.events?.length).toBeGreaterThan(2);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(scrubHistory(JSON.parse(historyToJSON(history))), null, 1)}\n`);
  });
});
