import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import { Journal, JournalError, Store } from './index.ts';

const storage = '/configmaps';
let dir: string;
const opened: Journal[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'supercargo-journal-'));
});
afterEach(() => {
  for (const journal of opened.splice(0)) journal.close();
  rmSync(dir, { recursive: true, force: true });
});

function open(options: { rotateBytes?: number } = {}): { store: Store; journal: Journal } {
  let journal: Journal | undefined;
  const store = Journal.open(
    dir,
    (made) => {
      journal = made;
      return new Store(made);
    },
    options,
  );
  opened.push(journal!);
  return { store, journal: journal! };
}

const configMap = (name: string, value: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { value },
});
const put = (store: Store, name: string, value = 'x') => store.put(storage, `default/${name}`, configMap(name, value));
const remove = (store: Store, name: string) =>
  store.remove(storage, `default/${name}`, store.collection(storage).get(`default/${name}`)!.object);
const contents = (store: Store) =>
  store
    .collection(storage)
    .entries('')
    .map(({ object, revision }) => [object.metadata.name, (object['data'] as { value: string }).value, revision]);
const files = () =>
  readdirSync(dir)
    .filter((name) => name !== 'lock')
    .sort();
const file = (name: string) => join(dir, name);
const failure = (attempt: () => unknown): JournalError => {
  try {
    attempt();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(JournalError);
    return thrown as JournalError;
  }
  throw new Error('it did not fail');
};

describe('a journal', () => {
  it('restores puts and removals, with the revisions', () => {
    const { store } = open();
    put(store, 'a');
    put(store, 'b');
    put(store, 'a', 'y');
    remove(store, 'b');
    const again = open().store;
    expect(contents(again)).toEqual([['a', 'y', 4]]);
    expect(again.revision).toBe(5);
    expect(put(again, 'c').revision).toBe(6);
  });

  it('keeps text of every language, and whole numbers beyond the precision of a double', () => {
    const { store } = open();
    store.put(storage, 'default/a', { ...configMap('a', 'naïve 船荷 🚢\n\u2028'), big: 9007199254740993n });
    const { object } = open().store.collection(storage).get('default/a')!;
    expect(object).toMatchObject({ data: { value: 'naïve 船荷 🚢\n\u2028' }, big: 9007199254740993n });
  });

  it('lets no watch resume from before the restart', () => {
    const { store } = open();
    put(store, 'a');
    put(store, 'b');
    const again = open().store;
    expect(again.collection(storage).changesSince(2)).toBeUndefined();
    expect(again.collection(storage).entriesAt('', 2)).toBeUndefined();
    expect(again.collection(storage).changesSince(3)).toEqual([]);
    expect(again.collection('/secrets').changesSince(2)).toBeUndefined();
  });

  it('drops an incomplete last line of a killed process, cut at any byte, and continues after it', () => {
    const { store } = open();
    put(store, 'kept');
    const whole = readFileSync(file('log-0.jsonl'));
    put(store, 'torn', 'é'.repeat(20));
    const both = readFileSync(file('log-0.jsonl'));
    for (let cut = whole.length; cut < both.length; cut += 3) {
      writeFileSync(file('log-0.jsonl'), both.subarray(0, cut));
      expect(contents(open().store)).toEqual([['kept', 'x', 2]]);
      expect(statSync(file('log-0.jsonl')).size).toBe(whole.length);
      opened.pop()!.close();
    }
    put(open().store, 'next');
    expect(contents(open().store).map(([name]) => name)).toEqual(['kept', 'next']);
  });

  it('treats an empty log like a missing one', () => {
    writeFileSync(file('log-0.jsonl'), '');
    const { store } = open();
    expect(store.revision).toBe(1);
    put(store, 'a');
    expect(contents(open().store)).toHaveLength(1);
  });

  it.each([
    ['text that is no JSON', '{"s":"/configmaps","k":"default/a","r":', /Unexpected|JSON|end of/i],
    ['a value that is no record', 'null', /it has no revision/],
    ['a record without a key', '{"s":"/configmaps","r":7}', /it has no key/],
    ['an object that is none', '{"s":"/configmaps","k":"default/a","r":7,"o":5}', /its object is none/],
  ])('refuses a middle line with %s, naming file and line', (_, line, why) => {
    const { store } = open();
    put(store, 'a');
    appendFileSync(file('log-0.jsonl'), `${line}\n`);
    appendFileSync(file('log-0.jsonl'), '{"s":"/configmaps","k":"default/b","r":8}\n');
    const error = failure(open);
    expect(error.code).toBe('journal-corrupt');
    expect(error.message).toContain(`${file('log-0.jsonl')}:2: not a record`);
    expect(error.message).toMatch(why);
    expect(error.message).toMatch(/restore the file from a copy or remove the directory$/);
  });
});

describe('a rotation', () => {
  it('replaces log and snapshot by new ones with the same state', () => {
    const { store, journal } = open();
    put(store, 'a');
    put(store, 'b');
    journal.rotate(store);
    expect(files()).toEqual(['log-1.jsonl', 'snapshot-1.jsonl']);
    put(store, 'c');
    journal.rotate(store);
    put(store, 'd');
    expect(files()).toEqual(['log-2.jsonl', 'snapshot-2.jsonl']);
    expect(contents(open().store)).toEqual(contents(store));
  });

  it('is due once the log exceeds its size, and again only after as much', () => {
    const { store, journal } = open({ rotateBytes: 400 });
    put(store, 'a');
    expect(journal.wantsRotation).toBe(false);
    put(store, 'b', 'y'.repeat(400));
    expect(journal.wantsRotation).toBe(true);
    journal.rotate(store);
    expect(journal.wantsRotation).toBe(false);
  });

  it('keeps the revision of a removal that no object holds', () => {
    const { store, journal } = open();
    put(store, 'a');
    put(store, 'b');
    remove(store, 'b');
    journal.rotate(store);
    const again = open().store;
    expect(again.revision).toBe(4);
    expect(put(again, 'c').revision).toBe(5);
  });

  it('that was killed before its snapshot was complete leaves both logs readable', () => {
    const { store } = open();
    put(store, 'a');
    put(store, 'b');
    writeFileSync(file('log-1.jsonl'), '');
    writeFileSync(file('snapshot-1.jsonl.partial'), '{"s":"/configmaps","k":"default/a"');
    const second = open().store;
    expect(contents(second).map(([name]) => name)).toEqual(['a', 'b']);
    expect(existsSync(file('snapshot-1.jsonl.partial'))).toBe(false);
    put(second, 'c');
    expect(readFileSync(file('log-1.jsonl'), 'utf8')).toContain('default/c');
    const { store: third, journal } = open();
    expect(contents(third)).toEqual(contents(second));
    journal.rotate(third);
    expect(files()).toEqual(['log-2.jsonl', 'snapshot-2.jsonl']);
    expect(contents(open().store)).toEqual(contents(second));
  });

  it('that was killed before it removed the old files keeps the new state', () => {
    const { store, journal } = open();
    put(store, 'a');
    const old = readFileSync(file('log-0.jsonl'));
    journal.rotate(store);
    put(store, 'a', 'newer');
    writeFileSync(file('log-0.jsonl'), old);
    expect(contents(open().store)).toEqual([['a', 'newer', 3]]);
    expect(files()).toEqual(['log-1.jsonl', 'snapshot-1.jsonl']);
  });

  it('that fails leaves the old log in use, and is not retried with every write', () => {
    const { store, journal } = open({ rotateBytes: 100 });
    put(store, 'a', 'y'.repeat(100));
    // A directory in the snapshot's place cannot be replaced by a file.
    mkdirSync(file('snapshot-1.jsonl'));
    expect(journal.wantsRotation).toBe(true);
    expect(() => journal.rotate(store)).toThrow(/EISDIR/);
    expect(journal.wantsRotation).toBe(false);
    put(store, 'b');
    expect(files()).toEqual(['log-0.jsonl', 'snapshot-1.jsonl']);
    rmSync(file('snapshot-1.jsonl'), { recursive: true });
    expect(contents(open().store)).toEqual(contents(store));
  });
});

describe('a directory from which something is missing', () => {
  it.each([
    ['a log whose snapshot is gone', ['log-3.jsonl'], 'snapshot-3.jsonl'],
    ['a gap between two logs', ['log-0.jsonl', 'log-2.jsonl'], 'log-1.jsonl'],
    ['a gap after the snapshot', ['snapshot-2.jsonl', 'log-2.jsonl', 'log-4.jsonl'], 'log-3.jsonl'],
  ])('is refused instead of read in part: %s', (_, present, missing) => {
    for (const name of present) writeFileSync(file(name), '');
    const error = failure(open);
    expect(error.code).toBe('journal-incomplete');
    expect(error.message).toBe(`${dir} lacks ${missing}; restore the file from a copy or remove the directory`);
    expect(files()).toEqual([...present].sort());
  });

  it('continues from a snapshot whose log was never started', () => {
    const { store, journal } = open();
    put(store, 'a');
    journal.rotate(store);
    unlinkSync(file('log-1.jsonl'));
    const again = open().store;
    put(again, 'b');
    expect(contents(open().store).map(([name]) => name)).toEqual(['a', 'b']);
  });

  it('names the snapshot and the line when a snapshot ends in the middle', () => {
    const { store, journal } = open();
    put(store, 'a');
    journal.rotate(store);
    const text = readFileSync(file('snapshot-1.jsonl'), 'utf8');
    writeFileSync(file('snapshot-1.jsonl'), text.slice(0, -5));
    expect(failure(open).message).toContain(`${file('snapshot-1.jsonl')}:2: the last record is unfinished`);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk (needs /dev/full)', () => {
  it('fails the write with one clear line, leaves memory unchanged, and notifies no watcher', () => {
    const { store, journal } = open();
    put(store, 'a');
    // The next log is a device that is always full.
    symlinkSync('/dev/full', file('log-1.jsonl'));
    journal.rotate(store);
    const observed: string[] = [];
    store.collection(storage).listen(({ key }) => observed.push(key));
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = failure(() => put(store, 'b'));
      expect(error.code).toBe('journal-write');
      expect(error.retry).toBe('backoff');
      expect(error.message).toContain(`cannot write to ${dir}`);
      expect(failure(() => remove(store, 'a')).code).toBe('journal-write');
    }
    expect(contents(store)).toEqual([['a', 'x', 2]]);
    expect(store.revision).toBe(2);
    expect(observed).toEqual([]);
    // The device cannot be synced, so this journal cannot be closed as others are.
    opened.length = 0;
    unlinkSync(file('log-1.jsonl'));
    expect(contents(open().store)).toEqual([['a', 'x', 2]]);
  });
});

type Step = { readonly put: string; readonly value: string } | { readonly remove: string } | 'rotate' | 'reopen';
const name = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ put: name, value: fc.string({ unit: 'grapheme', maxLength: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ remove: name }) },
  { weight: 1, arbitrary: fc.constant('rotate' as const) },
  { weight: 1, arbitrary: fc.constant('reopen' as const) },
);

it('equals an in-memory store after any steps and restarts', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      rmSync(dir, { recursive: true, force: true });
      const inMemory = new Store();
      let { store, journal } = open();
      for (const one of steps) {
        if (one === 'rotate') journal.rotate(store);
        else if (one === 'reopen') ({ store, journal } = open());
        else if ('put' in one) for (const each of [inMemory, store]) put(each, one.put, one.value);
        else if (inMemory.collection(storage).get(`default/${one.remove}`))
          for (const each of [inMemory, store]) remove(each, one.remove);
      }
      const again = open().store;
      expect(contents(again)).toEqual(contents(inMemory));
      expect(again.revision).toBe(inMemory.revision);
      for (const each of opened.splice(0)) each.close();
    }),
    { numRuns: 60 },
  );
});
