// Plays sdk/scenario.json with the installed package: node run-scenario.mjs <scenario.json> <credentials.json>
// Its form: sdk/README.md, "The scenario". It ends with 0 and "N steps", or with 1 and the step that is not as it says.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { createClient, verifyDelivery, verifyReceipt } from 'agent-action-runtime-sdk';

const [scenarioFile, credentialsFile] = process.argv.slice(2);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const KEY_NAMES = { agent: 'agent', operator: 'full_access', publisher: 'all_scopes' };

/** Every POST is kept by its webhook-id, and told to whoever waits for it. */
async function startReceiver() {
  const deliveries = new Map();
  const waiters = new Map();
  const keep = async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const delivery = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
    const id = request.headers['webhook-id'];
    deliveries.set(id, delivery);
    waiters.get(id)?.(delivery);
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => void keep(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const received = ({ messageId, seconds }) =>
    new Promise((resolve, reject) => {
      const known = deliveries.get(messageId);
      if (known !== undefined) return resolve(known);
      const late = setTimeout(() => reject(new Error(`no delivery of ${messageId} in ${seconds} s`)), seconds * 1_000);
      waiters.set(messageId, (delivery) => {
        clearTimeout(late);
        resolve(delivery);
      });
    });
  return { url: `http://127.0.0.1:${server.address().port}/`, received, close: () => server.close() };
}

const at = (value, path) => path.split('.').reduce((found, part) => found?.[part], value);

function filled(value, variables) {
  if (Array.isArray(value)) return value.map((one) => filled(one, variables));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, variables)]));
  if (typeof value !== 'string') return value;
  const known = (path) => {
    const found = at(variables, path);
    if (found === undefined) throw new Error(`there is no \${${path}}`);
    return found;
  };
  const whole = /^\$\{([^}]+)\}$/.exec(value);
  return whole === null ? value.replaceAll(/\$\{([^}]+)\}/g, (_, path) => known(path)) : known(whole[1]);
}

/** Where the value is not as it should be; null where it is. */
function mismatch(expected, value, path = 'the result') {
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return `${path} is ${JSON.stringify(value)}`;
    return expected.map((one, index) => mismatch(one, value[index], `${path}[${index}]`)).find(Boolean) ?? null;
  }
  if (typeof expected === 'object' && expected !== null) {
    if (Array.isArray(expected.$in)) return expected.$in.includes(value) ? null : `${path} is ${JSON.stringify(value)}`;
    if (typeof value !== 'object' || value === null) return `${path} is ${JSON.stringify(value)}`;
    return (
      Object.keys(expected)
        .map((name) => mismatch(expected[name], value[name], `${path}.${name}`))
        .find(Boolean) ?? null
    );
  }
  return isDeepStrictEqual(expected, value)
    ? null
    : `${path} is ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`;
}

async function provider({ payments }, { method, path, body }) {
  const response = await fetch(`${payments.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${payments.key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`the provider answered ${response.status}`);
  return response.json();
}

function set({ value, path, to }) {
  const copy = structuredClone(value);
  const parts = path.split('.');
  const last = parts.pop();
  at(copy, parts.join('.'))[last] = to;
  return copy;
}

async function collected(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

function perform(step, client, given, { variables, receiver }) {
  const { method, path, pathParams, query, body, action, input, options, id, ...rest } = given;
  const init = { ...(pathParams && { path: pathParams }), ...(query && { query }), ...(body && { body }) };
  switch (step.do) {
    case 'requireScopes':
      return client.requireScopes(rest.required, rest.forbidden);
    case 'call':
      return client.call(method, path, init);
    case 'preview':
      return client.preview(action, input);
    case 'invoke':
      return client.invoke(action, input, options);
    case 'approve':
      return client.approve(id, rest);
    case 'waitForApproval':
      return client.waitForApproval(id, rest);
    case 'waitForInvocation':
      return client.waitForInvocation(id, rest);
    case 'pages':
      return collected(client.pages(path, init));
    case 'verifyReceipt':
      return verifyReceipt(rest.effect, rest.keptHead);
    case 'verifyDelivery':
      return verifyDelivery(rest.headers, body, { secret: rest.secret, environmentId: rest.environmentId });
    case 'provider':
      return provider(variables, given);
    case 'receiveDelivery':
      return receiver.received(given);
    case 'set':
      return set(given);
    default:
      throw new Error(`nothing does ${step.do}`);
  }
}

async function play(step, world) {
  const given = filled(step.with, world.variables);
  const outcome = await (async () => perform(step, world.clients[step.as], given, world))().then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  if (step.fails !== undefined) {
    if (!('error' in outcome)) throw new Error('it did not fail');
    const { type, ...members } = filled(step.fails, world.variables);
    const wrong =
      outcome.error.name === type
        ? mismatch(members, outcome.error, 'the error')
        : `it is a ${outcome.error.name}: ${outcome.error.message}`;
    if (wrong !== null) throw new Error(wrong);
    return;
  }
  if ('error' in outcome) throw outcome.error;
  const wrong = step.expect === undefined ? null : mismatch(filled(step.expect, world.variables), outcome.value);
  if (wrong !== null) throw new Error(wrong);
  if (step.save !== undefined) world.variables[step.save] = outcome.value;
}

const { steps } = readJson(scenarioFile);
const credentials = readJson(credentialsFile);
const receiver = await startReceiver();
const keyOf = (name) => credentials.keys.find((key) => key.name === name && key.environment === 'development').key;
const clients = Object.fromEntries(
  Object.entries(KEY_NAMES).map(([as, name]) => [
    as,
    createClient({ baseUrl: credentials.baseUrl, apiKey: keyOf(name) }),
  ]),
);
const { payments, signingSecret } = credentials;
const run = Math.random().toString(36).slice(2, 10).padEnd(8, '0');
const world = { clients, receiver, variables: { run, payments, signingSecret, receiver: { url: receiver.url } } };
try {
  for (const [index, step] of steps.entries()) {
    try {
      await play(step, world);
    } catch (error) {
      throw new Error(`step ${index + 1}, “${step.name}”: ${error.message}`, { cause: error });
    }
  }
  process.stdout.write(`${steps.length} steps\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  receiver.close();
}
