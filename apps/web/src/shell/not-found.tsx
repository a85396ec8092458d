import { Link } from '@tanstack/react-router';
import css from './shell.module.css';

export function NotFound() {
  return (
    <main id="main" className={css.notFound}>
      <h1>There is nothing at this address</h1>
      <p>
        This version of the page has no screen for it. The data may still be there: every operation
        is described in the <a href="/docs">API reference</a>.
      </p>
      <Link to="/">All projects</Link>
    </main>
  );
}
