/**
 * Run as a process of its own and killed by its parent: writes to a store with a journal that rotates all the time, and
 * says each change on standard output after it was acknowledged. `state name value revision`, value `-` for a removal.
 */
import { writeSync } from 'node:fs';
import { Journal, Store } from '../../src/apiserver/store/index.ts';
import { seeded } from './random.ts';

const [dir, seed, rotateBytes] = process.argv.slice(2) as [string, string, string];
const pick = seeded(Number(seed));
const storage = '/configmaps';
let journal: Journal | undefined;
const store = Journal.open(
  dir,
  (opened) => {
    journal = opened;
    return new Store(opened);
  },
  { rotateBytes: Number(rotateBytes) },
);

const say = (text: string) => writeSync(1, `${text}\n`);
say('open');
for (let written = 0; ; written++) {
  // Many keys: a snapshot of all of them takes so long that most kills meet one.
  const name = `key-${pick(600)}`;
  const key = `default/${name}`;
  const stored = store.collection(storage).get(key);
  if (stored && pick(3) === 0) {
    const { revision } = store.remove(storage, key, stored.object);
    say(`state ${name} - ${revision}`);
  } else {
    const value = `${written}-${'é'.repeat(pick(120))}`;
    const metadata = { name, namespace: 'default' };
    const { revision } = store.put(storage, key, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } });
    say(`state ${name} ${value} ${revision}`);
  }
  if (journal?.wantsRotation) {
    say('rotating');
    journal.rotate(store);
    say('rotated');
  }
}
