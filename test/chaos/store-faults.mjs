import { lasting } from './lasting.mjs';

/**
 * Codes that no value of a fact causes: timeouts, too many queries or parts, network, memory, read-only, no space, an
 * insert of unknown status, Keeper, a missing table, column or grant, and errors that Heddle does not know.
 */
const SERVER_CODES = [
  ...[159, 202, 203, 209, 210, 241, 242, 243, 252, 319, 425, 999],
  ...[16, 60, 497],
  ...[49, 173, 204, 218],
];
/** Codes that a value can cause. A fact is the cause only when ClickHouse accepts others, so these are sent to all inserts. */
const VALUE_CODES = [6, 27, 38, 70, 117, 131, 321];
const SHARE_OF_ERRORS = 0.7;
const SHARE_OF_LOST = 0.5;

const isInsert = (path) => /[?&]query=INSERT/i.test(path);

/** ClickHouse refuses most inserts, each for another reason. */
export function serverErrors(faults, ms) {
  const nextCode = () =>
    faults.random() < SHARE_OF_ERRORS ? oneOf(SERVER_CODES, faults) : undefined;
  return errors(faults, `ClickHouse refuses most inserts, ${seconds(ms)} s`, ms, nextCode);
}

/** ClickHouse refuses all inserts for reasons that a value of a fact can cause. */
export function valueErrors(faults, ms) {
  const name = `ClickHouse refuses all inserts as invalid, ${seconds(ms)} s`;
  return errors(faults, name, ms, () => oneOf(VALUE_CODES, faults));
}

/** ClickHouse executes statements of all kinds, and the connection breaks before half of the responses arrive. */
export function responsesLost(faults, ms) {
  return faults.fault(`responses of ClickHouse lost, ${seconds(ms)} s`, async () => {
    const { proxy } = faults.server;
    const before = proxy.lost;
    proxy.losesResponse = () => faults.random() < SHARE_OF_LOST;
    await lasting(ms, () => proxy.lost > before);
    proxy.losesResponse = () => false;
    const count = proxy.lost - before;
    return { outageMs: ms, note: count === 0 ? 'no response was lost' : `${count} lost` };
  });
}

function errors(faults, name, ms, nextCode) {
  return faults.fault(name, async () => {
    const { proxy } = faults.server;
    const before = total(proxy.sent);
    proxy.nextCode = (path) => (isInsert(path) ? nextCode() : undefined);
    await lasting(ms, () => total(proxy.sent) > before);
    proxy.nextCode = () => undefined;
    const count = total(proxy.sent) - before;
    return { outageMs: ms, note: count === 0 ? 'no insert was refused' : `${count} refused` };
  });
}

const seconds = (ms) => Math.round(ms / 1000);
const oneOf = (list, { random }) => list[Math.floor(random() * list.length)];
const total = (counts) => [...counts.values()].reduce((sum, count) => sum + count, 0);
