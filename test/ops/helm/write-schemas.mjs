// `node test/ops/helm/write-schemas.mjs <swagger.json of Kubernetes>`: the schemas of the kinds that the chart has, for kubeconform. Each
// is closed (an unknown member is an error), without descriptions. schemas/NOTICE.md says where the description comes from.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.networking.v1.Ingress',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
];
/** What is no object in YAML although the description says `type: string` with a format. */
const INT_OR_STRING = { oneOf: [{ type: 'string' }, { type: 'integer' }] };
const QUANTITY = { oneOf: [{ type: 'string' }, { type: 'number' }] };

const [file] = process.argv.slice(2);
const { definitions } = JSON.parse(readFileSync(file, 'utf8'));
const used = {};

function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  if (schema.format === 'int-or-string') return INT_OR_STRING;
  const kept = Object.entries(schema).flatMap(([name, value]) => {
    if (name === 'description' || name === 'default' || name === 'format' || name.startsWith('x-')) return [];
    if (name === '$ref') return [[name, `#/definitions/${use(value.split('/').at(-1))}`]];
    if (name !== 'properties') return [[name, closed(value)]];
    return [[name, Object.fromEntries(Object.entries(value).map(([member, one]) => [member, closed(one)]))]];
  });
  const made = Object.fromEntries(kept);
  return made.properties === undefined ? made : { ...made, additionalProperties: false };
}

function use(name) {
  if (used[name] === undefined) {
    used[name] = {};
    used[name] = name.endsWith('.Quantity') ? QUANTITY : closed(definitions[name]);
  }
  return name;
}

for (const kind of KINDS) {
  for (const name of Object.keys(used)) delete used[name];
  use(kind);
  const [group, version, name] = kind.split('.').slice(3);
  const suffix = group === 'core' ? version : `${group}-${version}`;
  const schema = { $ref: `#/definitions/${kind}`, definitions: used };
  const target = path.join(import.meta.dirname, 'schemas', `${name.toLowerCase()}-${suffix}.json`);
  writeFileSync(target, `${JSON.stringify(schema)}\n`);
}
