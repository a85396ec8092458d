// Exits before calls are sent and while one is open: `exit-with-open-call.mjs <project>`.
import * as weave from 'weave';

await weave.init(process.argv[2]);
const quick = weave.op(async function quick(n) {
  return n;
});
const never = weave.op(function never() {
  return new Promise(() => undefined);
});

for (let n = 0; n < 100; n++) await quick(n);
void never();
