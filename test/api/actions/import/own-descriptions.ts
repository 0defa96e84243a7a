import type { JsonObject } from '../../../../domain/json.ts';

/**
 * The two calls of Resend that our fake answers, in our own words and in the form of Resend's description (YAML of 3.1, bearer,
 * an Idempotency-Key, `oneOf`). Resend publishes its own only in a repository and in no package, so it is not among these
 * documents; docs/import.md gives the result of importing it.
 */
export const emailsDescription = (baseUrl: string): string => `
openapi: 3.1.2
info: { title: Emails, version: 1.0.0 }
servers: [{ url: '${baseUrl}' }]
security: [{ bearerAuth: [] }]
paths:
  /emails:
    post:
      operationId: emails/send
      summary: Send an email
      parameters:
        - { name: Idempotency-Key, in: header, schema: { type: string, maxLength: 256 } }
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Email' } }
      responses:
        '200': { description: OK, content: { application/json: { schema: { type: object } } } }
  /emails/{email_id}:
    get:
      operationId: emails/get
      parameters:
        - { name: email_id, in: path, required: true, schema: { type: string } }
      responses:
        '200': { description: OK, content: { application/json: { schema: { type: object } } } }
components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
  schemas:
    Recipients:
      oneOf:
        - { type: string }
        - { type: array, items: { type: string }, minItems: 1, maxItems: 50 }
    Email:
      type: object
      required: [from, to, subject]
      properties:
        from: { type: string }
        to: { $ref: '#/components/schemas/Recipients' }
        cc: { $ref: '#/components/schemas/Recipients' }
        subject: { type: string }
        text: { type: string }
`;

const text = { type: 'string' };

/** An operation with a parameter in every place and three credentials, and one that sends only a login. */
export const everyPlaceDescription = (baseUrl: string): JsonObject => ({
  openapi: '3.2.0',
  info: { title: 'Every place', version: '1' },
  servers: [{ url: `${baseUrl}/{stage}`, variables: { stage: { default: 'every' } } }],
  paths: {
    '/{id}/part': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      put: {
        operationId: 'things.put',
        security: [{ inHeader: [], inQuery: [], inCookie: [] }],
        parameters: [
          { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: text } },
          { name: 'since', in: 'query', schema: { type: 'string', format: 'date-time' } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
          { name: 'absent', in: 'query', schema: text },
          { name: 'X-Trace', in: 'header', required: true, schema: text },
          { name: 'X-List', in: 'header', schema: { type: 'array', items: text } },
          { name: 'theme', in: 'cookie', schema: text },
        ],
        requestBody: { required: true, content: { 'application/merge-patch+json': { schema: { type: 'object' } } } },
        responses: {},
      },
    },
    '/': {
      get: {
        operationId: 'things.find',
        security: [{ login: [] }],
        parameters: [{ name: 'theme', in: 'cookie', schema: text }],
        responses: {},
      },
    },
  },
  components: {
    securitySchemes: {
      inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
      inQuery: { type: 'apiKey', in: 'query', name: 'key' },
      inCookie: { type: 'apiKey', in: 'cookie', name: 'session' },
      login: { type: 'http', scheme: 'basic' },
    },
  },
});
