/** Prints the faults and the sums. `directory` has the logs and the data when a check has failed. */
export function print(result, directory) {
  const ms = (value) => (value === Infinity ? 'never' : Math.round(value).toLocaleString('en'));
  table([
    ['fault', 'kills', 'outage ms', 'next ack ms', '429', '503', 'broken', ''],
    ...result.faults.map((one) => [
      one.fault,
      String(one.kills),
      ms(one.outageMs),
      ms(one.nextAckMs),
      String(one.refused429),
      String(one.refused503),
      String(one.broken),
      one.note,
    ]),
  ]);
  table([
    ['command', 'runs', 'done', 'refused', 'paused', 'killed', 'failed', ''],
    ...byCommand(result.commands),
  ]);
  const count = (value) => value.toLocaleString('en');
  const { found, later, http, writes, misbehaving } = result;
  const finding = (name) =>
    `${found[name].count}${later ? ` (${later[name].count} after another 30 s)` : ''}`;
  table([
    ['', ''],
    ['facts acknowledged', count(result.facts)],
    ['calls, stored', `${count(result.calls)}, ${count(result.stored)}`],
    ['processes killed', `${result.kills} (${result.failedStarts} starts had to be repeated)`],
    [
      'requests: 200, 429, 503, broken, given up',
      [writes.acknowledged, writes.refused429, writes.refused503, writes.broken, writes.givenUp]
        .map(count)
        .join(', '),
    ],
    ['drained after', `${ms(result.drainMs)} ms`],
    ['acknowledged calls lost', finding('lost')],
    ['acknowledged ends lost', finding('lostEnds')],
    ['visible twice', finding('double')],
    ['other contents than sent', finding('different')],
    ['visible and never sent', finding('unknown')],
    ['counted by id over HTTP', `${count(http.counted)} of ${count(http.requested)}`],
    ['read over HTTP, different', `${count(http.read)}, ${http.different.length}`],
    [
      'slowest count of 500 ids, slowest read, reads_busy',
      `${ms(http.slowestMs['/calls/query_stats'])} ms, ${ms(http.slowestMs['/call/read'])} ms, ${http.repeats}`,
    ],
    [
      'parts of calls, merges, mutations before these reads',
      `${http.background.parts}, ${http.background.merges}, ${http.background.mutations}`,
    ],
    ['dead letters', String(result.deadLetters.own)],
    ['erased or expired, and back; or lost beside it', String(result.revived.length)],
    ['large starts with late ends', count(result.largeCalls)],
    [
      'misbehaving client: 2xx, 4xx, 503, broken, dead letters',
      [
        ...[misbehaving.accepted, misbehaving.refused, misbehaving.unavailable],
        ...[misbehaving.broken, result.deadLetters.others],
      ]
        .map(count)
        .join(', '),
    ],
    ['ledger', result.ledger.state],
    ['time, seed', `${Math.round(result.seconds)} s, ${result.seed}`],
  ]);
  for (const text of result.unexpected) console.log(`unexpected response: ${text}`);
  if (result.ledger.state === 'broken') console.log(result.ledger.text);
  if (!result.hasPassed) console.log(`\nlogs and data are kept in ${directory}`);
  console.log(result.hasPassed ? '\nall checks passed' : `\nFAILED: ${result.failures.join('; ')}`);
}

/** One line per command: how often it ran, and how its runs ended. */
function byCommand(runs) {
  const names = [...new Set(runs.map(({ command }) => command))].sort();
  return names.map((name) => {
    const own = runs.filter(({ command }) => command === name);
    const having = (test) => String(own.filter(test).length);
    return [
      `cli ${name}`,
      String(own.length),
      ...['done', 'refused'].map((end) => having(({ outcome }) => outcome === end)),
      having(({ disturbance }) => disturbance === 'paused'),
      ...['killed', 'failed'].map((end) => having(({ outcome }) => outcome === end)),
      '',
    ];
  });
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    const cells = row.map((cell, i) =>
      i === 0 || i === 7 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
    );
    console.log(cells.join('  ').trimEnd());
  }
}
