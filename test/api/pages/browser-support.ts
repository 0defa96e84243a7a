import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Look = () => Promise<string[]>;

/** axe runs in a world of its own, because the page may run no script. It stays there until the page is loaded again. */
export async function watchBarriers(page: Page): Promise<Look> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  const evaluated = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  };
  await evaluated(`${axe.source}; undefined`);
  const run = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`;
  return async () => (await evaluated(run)) as string[];
}

export async function barriers(page: Page): Promise<string[]> {
  return (await watchBarriers(page))();
}
