import { basename } from 'node:path';
import { isJsonObject, UsageError } from '../base/index.ts';
import { type Files, manifestFiles, readDocuments } from '../manifests/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Payload } from '../policy/index.ts';

/** Files and folders of documents and of requests that proxies ask about. */
export interface PayloadPaths {
  readonly json?: readonly string[] | undefined;
  readonly http?: readonly string[] | undefined;
  readonly envoy?: readonly string[] | undefined;
}

/** A payload, and where it is written. */
export interface WrittenPayload {
  readonly payload: Payload;
  readonly file: string;
  readonly line: number;
}

/** Every document of the files, in order; of a folder those of its manifests. */
export function readPayloads(files: Files, paths: PayloadPaths): readonly WrittenPayload[] {
  const read = (mode: Payload['mode'], given: readonly string[] = []) =>
    [...new Set(given)].flatMap((path) =>
      [...manifestFiles(files, path)].flatMap((file) =>
        readDocuments(files, file).map(({ value, line }) => ({ payload: { mode, value }, file, line })),
      ),
    );
  return [...read('JSON', paths.json), ...read('HTTP', paths.http), ...read('Envoy', paths.envoy)];
}

/** What results of a payload are about: the name that it may have, else that of its file. */
export function subjectOfPayload({ payload, file }: WrittenPayload): KubeObject {
  const subject = nameOfPayload(payload);
  return { ...subject, kind: payload.mode, metadata: { name: basename(file), ...subject.metadata } };
}

/** In tests rows name a payload by its name alone. */
export function nameOfPayload({ value }: Payload): KubeObject {
  const metadata = isJsonObject(value) && isJsonObject(value['metadata']) ? value['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? { name: metadata['name'] } : {};
  return { apiVersion: '', kind: '', metadata: name };
}

/** Throws when nobody judges what is given: that would look like success. */
export function requireJudges(payloads: readonly WrittenPayload[], policies: readonly KubeObject[]): void {
  const modes = new Set(policies.map(modeOf));
  const unjudged = payloads.find(({ payload }) => !modes.has(payload.mode));
  if (unjudged)
    throw new UsageError(
      'offline-payload-mode',
      `${unjudged.file}: no policy judges it: none has evaluation.mode ${unjudged.payload.mode}`,
    );
}

function modeOf({ spec }: KubeObject & { readonly spec?: unknown }): unknown {
  const evaluation = isJsonObject(spec) ? spec['evaluation'] : undefined;
  return isJsonObject(evaluation) ? evaluation['mode'] : undefined;
}
