/**
 * From nothing to the first approved effect, as commands that are copied one after the other. A test of the browser copies them from the
 * screen and runs them. They use what `npm run env` sets: a stack of `npm start` has a payment provider to try things with.
 */
export const ACTION = 'hello.refund';

export interface FirstStep {
  title: string;
  says: string;
  command: string;
}

const CALL = (key: string, method: string, path: string): string =>
  `curl -sS -X ${method} $BASE${path} -H "Authorization: Bearer $${key}" \\
  -H 'Content-Type: application/json' -d `;

export function firstSteps(origin: string): FirstStep[] {
  return [
    {
      title: 'Take the keys',
      says: 'In the folder of npm start, in a second terminal. Where another stack runs, make the keys under Settings, Keys.',
      command: `eval "$(npm run --silent env)"\nexport BASE=${origin}`,
    },
    {
      title: 'Put the provider’s credential into the vault',
      says: 'The agent never sees it.',
      command: `${CALL('OPERATOR', 'PUT', '/api/v2/secrets/payments_key')}'{"value":"'$PAYMENTS_KEY'"}'`,
    },
    {
      title: 'Define an action that always asks a person',
      says: 'It moves money, and its outcome is read back from the provider.',
      command: `${CALL('OPERATOR', 'POST', '/api/v2/actions')}'{
  "name": "${ACTION}", "description": "Pays back a part of a payment.",
  "adapter": { "type": "http.request", "config": {
    "method": "POST", "url": "'$PAYMENTS'/refunds",
    "headers": { "Authorization": "Bearer {{secret:payments_key}}" },
    "body": { "payment": "{{input.payment}}", "amount": "{{input.amount}}" },
    "idempotencyHeader": "Idempotency-Key" } },
  "inputSchema": { "type": "object", "additionalProperties": false, "required": ["payment", "amount"],
    "properties": { "payment": { "type": "string" }, "amount": { "type": "integer", "minimum": 1 } } },
  "impact": [{ "dimension": "money", "currency": "usd", "amount": { "path": "input.amount" }, "bound": "exact" }],
  "verify": {
    "request": { "method": "GET", "url": "'$PAYMENTS'/refunds/by-key/{{effect.id}}",
      "headers": { "Authorization": "Bearer {{secret:payments_key}}" } },
    "expect": [{ "path": "body.state", "op": "eq", "value": "succeeded" }] },
  "approval": { "required": true } }'`,
    },
    {
      title: 'Let the agent ask for it',
      says: 'Nothing is sent until somebody has approved.',
      command: `${CALL('AGENT', 'POST', `/api/v2/actions/${ACTION}/invoke`)}'{"input":{"payment":"pay_1003","amount":1250}}'`,
    },
  ];
}
