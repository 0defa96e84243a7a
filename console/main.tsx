import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Live } from './api/live.ts';
import { makeQueryClient, sessionQuery } from './api/queries.ts';
import { ClockProvider } from './components/clock.tsx';
import { LiveContext } from './components/live-dot.tsx';
import { startTheme } from './components/theme.ts';
import { makeRouter } from './router.tsx';
import './styles/console.css';

startTheme();
const queries = makeQueryClient();
// Asked for at once, beside the code of the screen.
void queries.prefetchQuery(sessionQuery);
const live = new Live(queries);
live.start();

const place = document.querySelector('#console');
if (place === null) throw new Error('the shell has no place for the console');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LiveContext value={live}>
        <ClockProvider>
          <RouterProvider router={makeRouter()} />
        </ClockProvider>
      </LiveContext>
    </QueryClientProvider>
  </StrictMode>,
);
