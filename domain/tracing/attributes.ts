/**
 * Names of OpenTelemetry's semantic conventions 1.45. The package of the conventions is not loaded for these few: it takes memory, also
 * where nothing is traced.
 */
export const ATTRIBUTES = {
  method: 'http.request.method',
  status: 'http.response.status_code',
  route: 'http.route',
  host: 'server.address',
  port: 'server.port',
  database: 'db.system.name',
  operation: 'db.operation.name',
  errorType: 'error.type',
  service: 'service.name',
  version: 'service.version',
} as const;
