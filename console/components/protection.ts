import { useEnvironment } from '../api/queries.ts';

/** What has to be typed before something is destroyed: the name of a protected environment. Undefined elsewhere. */
export function useTypedName(): string | undefined {
  const environment = useEnvironment();
  return environment?.protected === true ? environment.name : undefined;
}
