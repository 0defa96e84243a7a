import { Navigate } from '@tanstack/react-router';
import { Screen } from '../components/screen.tsx';
import { InWorkspace } from '../components/workspace.tsx';

/** Leads to the environment that was looked at last, or to the first one. */
export function StartScreen() {
  return (
    <Screen title="Console">
      <InWorkspace>{({ id }) => <Navigate to={`/e/${id}/overview`} replace />}</InWorkspace>
    </Screen>
  );
}
