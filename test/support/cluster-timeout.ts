import { jest } from '@jest/globals';

// Three ClickHouse nodes share the machine, so a query takes several times as long as on one.
jest.setTimeout(90_000);
