import { createRootRoute } from '@tanstack/react-router';
import { NotFound } from './shell/not-found.js';
import { Shell } from './shell/shell.js';

/** Parent of every screen. */
export const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
export const getParentRoute = () => root;
