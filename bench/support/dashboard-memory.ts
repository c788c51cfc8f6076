/**
 * Prints the bytes that the facts of one image take, with the caches of its watches, and with kept answers. Run by
 * bench/dashboard-memory.test.ts with --expose-gc, alone in its process.
 */
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { readCargo } from '../../src/dashboard/index.ts';
import { createInformerFactory } from '../../src/kube/index.ts';
import { createListedCluster } from './listed-cluster.ts';
import { shownObjects } from './shown-objects.ts';

const images = Number(process.argv[2]);
const collect = (globalThis as { gc?: () => void }).gc!;
const usedBytes = async () => {
  for (let round = 0; round < 5; round++) {
    // Between two tasks: what weak references hold lives until the end of one.
    await systemClock.sleep(1);
    collect();
  }
  return process.memoryUsage().heapUsed;
};

const { client } = createListedCluster(shownObjects({ images, namespaces: 20 }));
const end = new AbortController();
const before = await usedBytes();
const informers = createInformerFactory({ client, log: silentLogger });
const reading = readCargo(
  { informers, installation: 'supercargo', namespace: undefined, clock: systemClock },
  end.signal,
);
void informers.run(end.signal);
const cargo = await reading;
const facts = (await usedBytes()) - before;
const { total } = cargo.images('limit=1');
for (const sort of ['name', 'pods', 'copy', 'results', 'seen']) cargo.images(`sort=${sort}`);
const kept = (await usedBytes()) - before;
process.stdout.write(JSON.stringify({ total, facts: facts / images, kept: kept / images }));
end.abort();
