import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { isThere, ROOT, run } from './run.mjs';

/** Each makes one kind of artifact into a folder. It returns null, or what was lacking so that it was not made. */

const CACHE = path.join(ROOT, '.cache');
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const PLATFORMS = 'linux/amd64,linux/arm64';

/** The service, the TypeScript SDK and the command line. */
export function npmPackages(folder) {
  run('npm', ['run', 'build', '--silent']);
  for (const place of ['.', 'sdk/typescript', 'sdk/cli'])
    run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: path.join(ROOT, place) });
  return null;
}

/** Wheel and source distribution, by the build backend that pyproject.toml names. */
export function pythonPackages(folder) {
  if (!isThere('python3', ['-m', 'venv', '--help'])) return 'python3 with venv is not at hand';
  const environment = path.join(CACHE, 'release-python');
  const python = path.join(environment, 'bin', 'python');
  try {
    if (!existsSync(python)) run('python3', ['-m', 'venv', environment]);
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'flit_core>=3.11,<5']);
  } catch (error) {
    return `flit_core is not to be had: ${error.message}`;
  }
  const make = `import flit_core.buildapi as api; api.build_sdist(r'${folder}'); api.build_wheel(r'${folder}')`;
  run(python, ['-c', make], { cwd: path.join(ROOT, 'sdk', 'python') });
  return null;
}

export function chart(folder) {
  const helm = findHelm();
  if (helm === null) return 'neither helm nor Go, which compiles it, is at hand';
  run(helm, ['package', path.join(ROOT, 'ops', 'helm', 'agent-actions'), '--destination', folder]);
  return null;
}

/** As an archive of OCI for both platforms, which `docker buildx imagetools`, skopeo and crane push. */
export function image(folder, version) {
  if (!isThere('docker', ['buildx', 'version'])) return 'docker with buildx is not at hand';
  if (!isThere('docker', ['info'])) return 'no Docker daemon runs';
  const target = `type=oci,dest=${path.join(folder, `agent-action-runtime-${version}.oci.tar`)}`;
  run('docker', ['buildx', 'build', '--platform', PLATFORMS, '--provenance=true', '--output', target, '.']);
  return null;
}

/** From PATH, from the project's cache (as test/ops has it), or compiled by Go. */
function findHelm() {
  if (isThere('helm', ['version'])) return 'helm';
  const folder = path.join(CACHE, 'helm');
  const program = path.join(folder, 'helm');
  if (existsSync(program)) return program;
  if (!isThere('go', ['version'])) return null;
  mkdirSync(folder, { recursive: true });
  run('env', [`GOBIN=${folder}`, 'go', 'install', '-ldflags=-s -w', HELM]);
  return program;
}
