import { type AnyRouter, createRootRoute, createRouter } from '@tanstack/react-router';
import { Frame } from './components/frame.tsx';
import { parseSearchText, searchTextOf } from './components/location.ts';
import { Screen } from './components/screen.tsx';
import { Failure, Loading, Notice } from './components/states.tsx';
import { routesOf } from './screens.ts';

const SHOWS_LOADING_AFTER_MS = 150;

export function makeRouter(): AnyRouter {
  const root = createRootRoute({ component: Frame, notFoundComponent: NoScreen });
  return createRouter({
    routeTree: root.addChildren(routesOf(root)),
    basepath: '/console',
    // Plain texts: an address is read and written by people.
    parseSearch: parseSearchText,
    stringifySearch: searchTextOf,
    defaultPendingComponent: Loading,
    defaultPendingMs: SHOWS_LOADING_AFTER_MS,
    defaultPreload: 'intent',
    defaultErrorComponent: ({ error }) => <Broken error={error} />,
    scrollRestoration: false,
    // Another environment, run or action is another screen: what was opened and typed in one says nothing of the next.
    defaultRemountDeps: ({ params }) => params,
  });
}

function NoScreen() {
  return (
    <Screen title="There is no such page">
      <Notice title="Nothing has this address">
        <p>It may have been renamed. Choose an area on the left, or press / and paste an id.</p>
      </Notice>
    </Screen>
  );
}

/** A file of an earlier release is gone: to load the page again is what helps. */
function Broken({ error }: { error: unknown }) {
  return (
    <Screen title="This page broke">
      <Failure error={error} retry={() => window.location.reload()} />
    </Screen>
  );
}
