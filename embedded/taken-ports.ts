import { isPortFree } from './ports.ts';
import { StartError } from './start-error.ts';

export interface WantedPort {
  variable: string;
  host: string;
  /** 0 takes a free port, so it never counts as taken. */
  port: number;
}

/** Throws a StartError that names every port that another program holds, and the variable that changes it. */
export async function refuseTakenPorts(wanted: readonly WantedPort[]): Promise<void> {
  const fixed = wanted.filter(({ port }) => port !== 0);
  const twice = fixed.find(({ port }, index) => fixed.some((other, at) => at < index && other.port === port));
  if (twice !== undefined) throw new StartError(`Two ports are set to ${twice.port}; one is ${twice.variable}.`);
  const checked = await Promise.all(fixed.map(async (one) => ({ ...one, free: await isPortFree(one.port, one.host) })));
  const taken = checked.filter(({ free }) => !free);
  if (taken.length === 0) return;
  throw new StartError(
    taken
      .map(
        ({ variable, port }) =>
          `Port ${port} is taken by another program. Stop it, or set ${variable} to another port (0 takes a free one).`,
      )
      .concat('A second stack of npm start needs other ports, and a DATA_DIR of its own.')
      .join('\n'),
  );
}
