import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startBalancer } from '../../../bench/scale/balancer.ts';

async function serve(answer: string): Promise<number> {
  const server = createServer((_request, response) => response.setHeader('connection', 'close').end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('gives each new connection to the next port, and passes both ways', async () => {
  const balancer = await startBalancer([await serve('first'), await serve('second')]);
  onTestFinished(() => balancer.close());
  const answers: string[] = [];
  for (let call = 0; call < 4; call++) answers.push(await (await fetch(`http://127.0.0.1:${balancer.port}`)).text());
  expect(answers).toEqual(['first', 'second', 'first', 'second']);
  expect(balancer.given).toEqual([2, 2]);
});
