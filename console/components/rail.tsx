import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { RAIL, WORKSPACE_AREAS } from '../screens.ts';
import { useEnvironmentId, useInEnvironment } from './location.ts';
import { useLocation } from '@tanstack/react-router';

/** The areas, in groups. On a narrow screen they are a menu. */
export function Rail() {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  const areas = useRef<HTMLDivElement>(null);
  useEffect(() => {
    setOpen(false);
    // On a low screen the rail scrolls by itself, and the area may stand below its edge.
    areas.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname]);
  return (
    <nav className={isOpen ? 'rail open' : 'rail'} aria-label="Areas">
      <button type="button" className="menu-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        ☰ Areas
      </button>
      <div className="areas" ref={areas}>
        <Areas />
      </div>
    </nav>
  );
}

function Areas() {
  const inEnvironment = useInEnvironment();
  const e = useEnvironmentId();
  return (
    <>
      <ul>
        <li>
          <a href="/console">Approvals</a>
        </li>
      </ul>
      {RAIL.map(({ group, areas }) => (
        <div key={group}>
          <h2>{group}</h2>
          <ul>
            {areas.map(({ title, path }) => (
              <li key={path}>
                <Link to={inEnvironment(path)} activeProps={{ 'aria-current': 'page' }}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {WORKSPACE_AREAS.length > 0 && (
        <div>
          <h2>Workspace</h2>
          <ul>
            {WORKSPACE_AREAS.map(({ title, path }) => (
              <li key={path}>
                <Link
                  to={path}
                  search={{ e }}
                  activeOptions={{ includeSearch: false }}
                  activeProps={{ 'aria-current': 'page' }}
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
