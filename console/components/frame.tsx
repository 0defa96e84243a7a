import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useEnvironment, useEnvironments, useSession } from '../api/queries.ts';
import { CommandPalette } from './command-palette.tsx';
import { rememberEnvironment, useEnvironmentId } from './location.ts';
import { Rail } from './rail.tsx';
import { Screen } from './screen.tsx';
import { Failure, Notice } from './states.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { StepUp } from './step-up.tsx';
import { TopBar } from './top-bar.tsx';

/** A browser that has looked at no environment begins in development: what is done there concerns nobody. */
function useFirstEnvironment(): void {
  const { data: environments } = useEnvironments();
  const chosen = useEnvironmentId();
  useEffect(() => {
    if (chosen !== undefined) return;
    const first = environments?.find(({ kind }) => kind === 'development') ?? environments?.[0];
    if (first !== undefined) rememberEnvironment(first.id);
  }, [chosen, environments]);
}

/** The bar, the rail and the screen. */
export function Frame() {
  useFirstEnvironment();
  const environment = useEnvironment();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const id = environment?.id;
  useEffect(() => {
    if (id !== undefined) rememberEnvironment(id);
  }, [id]);
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [pathname]);
  return (
    <div className={environment?.kind === 'production' ? 'console production' : 'console'}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <TopBar />
      <Band />
      <div className="body">
        <Rail />
        <main id="main" ref={main} tabIndex={-1}>
          <Content />
        </main>
      </div>
      <CommandPalette />
      <Shortcuts />
      <StepUp />
    </div>
  );
}

/** Nobody has to ask whether this is production, or whether it runs. */
function Band() {
  const environment = useEnvironment();
  if (environment === undefined || environment === null) return null;
  return (
    <>
      {environment.kind === 'production' && (
        <p className="band">
          <strong>Production</strong> – what you do here is real
        </p>
      )}
      {environment.haltedAt !== null && (
        <p className="band halted" role="status">
          <strong>{environment.name} is halted</strong>: nothing is sent. {environment.haltedReason}
        </p>
      )}
    </>
  );
}

function Content() {
  const session = useSession();
  const { error } = useEnvironments();
  const environment = useEnvironment();
  const { pathname } = useLocation();
  const failed = session.error ?? error;
  if (failed !== null && environment === undefined)
    return <Failure error={failed} retry={() => window.location.reload()} />;
  if (environment === null && pathname.startsWith('/e/')) {
    return (
      <Screen title="There is no such environment">
        <Notice title="You are in no environment with this id">
          <p>It is another workspace&rsquo;s, or it was never made. Choose one of yours at the top.</p>
        </Notice>
      </Screen>
    );
  }
  return <Outlet />;
}
