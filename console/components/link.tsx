import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useInEnvironment } from './location.ts';

/** A link to a screen of this environment: the path as in the table of screens, without `/e/{id}`. */
export function To({
  path,
  search,
  children,
  className,
}: {
  path: string;
  search?: Record<string, string>;
  children: ReactNode;
  className?: string;
}) {
  const inEnvironment = useInEnvironment();
  return (
    <Link to={inEnvironment(path)} search={search ?? {}} {...(className === undefined ? {} : { className })}>
      {children}
    </Link>
  );
}
