import { createContext, useContext } from 'react';
import type { Session } from '../api/types.js';

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of a screen, which is only shown with one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('A screen was shown without a session.');
  return session;
}
