export const OTLP_TRACES_PATH = '/api/v2/otlp/v1/traces';
