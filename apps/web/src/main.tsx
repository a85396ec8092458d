import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ApiError, whenSignedOut } from './api/client.js';
import { endSession } from './login/session.js';
import { createPageRouter } from './router.js';
import './ui/tokens.css';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // The server's refusals stay the same; only a lost connection is worth another attempt.
      retry: (failures, error) =>
        !(error instanceof ApiError && error.status < 500) && failures < 2,
    },
  },
});
whenSignedOut((reason) => endSession(queries, reason));

createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={createPageRouter()} />
    </QueryClientProvider>
  </StrictMode>,
);
