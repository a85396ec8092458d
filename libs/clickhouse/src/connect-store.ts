import type { ClickHouseConfig } from '@app/config';
import { connectClickHouse } from './connection.js';
import { Store } from './store.js';
import { topologyOf } from './topology.js';

/** A Store with a connection of its own. */
export function connectStore(config: ClickHouseConfig, application: string): Store {
  return new Store(connectClickHouse(config, application), topologyOf(config));
}
