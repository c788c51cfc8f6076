import type { Answer, HttpClient } from '../support/http-client.ts';
import type { Pick } from './random.ts';

/** What is known of one object: undefined when it does not exist. */
export interface Known {
  readonly value: string;
  readonly version: string;
}

/** One key's past: what was acknowledged last, and the request that was under way when the server went. */
export interface KeyRecord {
  readonly path: string;
  readonly collection: string;
  readonly name: string;
  readonly kind: string;
  acknowledged: Known | undefined;
  pending: { readonly value: string | undefined } | undefined;
}

export interface WriterCounts {
  acknowledged: number;
  highestVersion: number;
}

/**
 * Creates, replaces, patches and deletes its own keys one request at a time, until the server no longer answers.
 * Every answer goes into the record of its key; a request without an answer stays there as pending.
 */
export async function writeUntilGone(
  api: HttpClient,
  keys: readonly KeyRecord[],
  pick: Pick,
  counts: WriterCounts,
): Promise<void> {
  for (;;) {
    const record = keys[pick(keys.length)]!;
    const step = chooseStep(record, pick);
    record.pending = { value: step.value };
    let answer: Answer;
    try {
      answer = await step.send(api);
    } catch {
      // The connection broke: whether the write happened is not known, and the record says so.
      return;
    }
    record.pending = undefined;
    if (answer.status >= 300) throw new Error(`${step.name} ${record.path}: ${answer.status} ${answer.text}`);
    counts.acknowledged++;
    if (step.value === undefined) record.acknowledged = undefined;
    else {
      const { resourceVersion } = answer.body.metadata;
      const before = Number(record.acknowledged?.version ?? 0);
      if (Number(resourceVersion) <= before) throw new Error(`${record.path} went back to ${resourceVersion}`);
      record.acknowledged = { value: step.value, version: resourceVersion };
      counts.highestVersion = Math.max(counts.highestVersion, Number(resourceVersion));
    }
  }
}

interface Step {
  readonly name: string;
  /** The value afterwards; undefined for a deletion. */
  readonly value: string | undefined;
  send(api: HttpClient): Promise<Answer>;
}

let written = 0;

function chooseStep({ acknowledged, path, collection, name, kind }: KeyRecord, pick: Pick): Step {
  // Text that is base64 as well, since some of the keys are Secrets.
  const value = String(++written).padStart(12, '0') + 'x'.repeat(4 * pick(75));
  const body = { metadata: { name }, data: { value } };
  if (!acknowledged) {
    if (pick(4) === 0) {
      const applied = { apiVersion: 'v1', kind, ...body };
      return {
        name: 'apply',
        value,
        send: (api) => api.patch(`${path}?fieldManager=crash&force=true`, applied, 'apply'),
      };
    }
    return { name: 'create', value, send: (api) => api.post(collection, body) };
  }
  const { version } = acknowledged;
  switch (pick(5)) {
    case 0:
      return { name: 'delete', value: undefined, send: (api) => api.delete(path) };
    case 1:
      return { name: 'patch', value, send: (api) => api.patch(path, { data: { value } }, 'merge') };
    case 2:
      return {
        name: 'json patch',
        value,
        send: (api) => api.patch(path, [{ op: 'replace', path: '/data/value', value }], 'json'),
      };
    default: {
      const replaced = { metadata: { name, resourceVersion: version }, data: { value } };
      return { name: 'replace', value, send: (api) => api.put(path, replaced) };
    }
  }
}
