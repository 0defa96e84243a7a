import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEnvironments, useSession } from '../api/queries.ts';
import { call } from '../api/client.ts';
import { useClock } from './clock.tsx';
import { openPalette } from './command-palette.tsx';
import { LiveDot } from './live-dot.tsx';
import { useEnvironmentId } from './location.ts';
import { capital } from './text.ts';
import { setTheme, THEMES, useTheme } from './theme.ts';

export function TopBar() {
  return (
    <header className="top">
      <strong className="product">Console</strong>
      <EnvironmentSwitcher />
      <button type="button" className="search" onClick={openPalette}>
        <span>
          Search<span className="roomy"> or paste an id</span>
        </span>{' '}
        <kbd>⌘K</kbd>
      </button>
      <div className="right">
        <LiveDot />
        <ZoneSwitch />
        <Person />
      </div>
    </header>
  );
}

/** Keeps the page: the list of one environment becomes that of the other. An id does not exist there, so a detail becomes its list. */
function EnvironmentSwitcher() {
  const environments = useEnvironments().data ?? [];
  const id = useEnvironmentId();
  const { pathname } = useLocation();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (to: string): void => {
    const [, area] = /^\/e\/[^/]+\/([^/]+)/.exec(pathname) ?? [];
    if (area !== undefined) void navigate({ to: `/e/${to}/${area}` });
    else void navigate({ to: pathname, search: { ...search, e: to } });
  };
  const workspaces = [...new Set(environments.map(({ workspaceName }) => workspaceName))];
  return (
    <label className="environment">
      <span className="unseen-text">Environment</span>
      <select value={id ?? ''} onChange={({ target }) => change(target.value)}>
        {workspaces.map((workspace) => (
          <optgroup key={workspace} label={workspace}>
            {environments
              .filter(({ workspaceName }) => workspaceName === workspace)
              .map((environment) => (
                <option key={environment.id} value={environment.id}>
                  {environment.name}
                  {environment.haltedAt !== null ? ' (halted)' : ''}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function ZoneSwitch() {
  const { isUtc, setUtc } = useClock();
  return (
    <button
      type="button"
      className="zone"
      title="Show times in UTC or in your zone"
      aria-pressed={isUtc}
      onClick={() => setUtc(!isUtc)}
    >
      {isUtc ? 'UTC' : 'Local time'}
    </button>
  );
}

function Person() {
  const user = useSession().data?.user;
  if (user === undefined) return null;
  const leave = async (): Promise<void> => {
    await call('delete', '/api/v2/auth/session');
    window.location.assign('/console/sign-in');
  };
  return (
    <>
      <button type="button" className="person" popoverTarget="person">
        {user.name}
      </button>
      <div id="person" popover="auto" className="menu">
        <p>
          {user.name}
          <br />
          <span className="quiet">{user.email}</span>
        </p>
        <ThemeChoice />
        <p>
          <a href="/console">Approvals that wait for you</a>
        </p>
        <button type="button" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
    </>
  );
}

function ThemeChoice() {
  const theme = useTheme();
  return (
    <label>
      <span>Colours</span>
      <select value={theme} onChange={({ target }) => setTheme(THEMES.find((one) => one === target.value) ?? 'system')}>
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {one === 'system' ? 'As the system' : capital(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
