import { maxYamlBytes, UsageError } from '../base/index.ts';
import type { Files } from '../manifests/index.ts';
import { shownFile } from '../manifests/index.ts';
import { jsonItems, startsJson } from './json-items.ts';

/** Some whole documents of a file: what is read, handed on and judged at a time. */
export interface Batch {
  readonly file: string;
  /** Where the text begins in the file. */
  readonly line: number;
  readonly text: string;
}

/** Large enough that a batch's own costs vanish, small enough that a few of them are nothing to hold. */
const batchLength = 256 * 1024;

/** A file in batches, cut between documents; of one large JSON list, between its items. */
export async function* readBatches(files: Files, file: string): AsyncGenerator<Batch> {
  const pieces = files.stream(file)[Symbol.asyncIterator]();
  let text = '';
  let line = 1;
  let enough = batchLength;
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) break;
    text += value;
    if (text.length < enough) continue;
    if (line === 1 && startsJson(text)) {
      yield* jsonItems(file, text, pieces, batchLength);
      return;
    }
    const end = lastBoundary(text);
    if (end > 0) {
      const whole = text.slice(0, end);
      yield { file, line, text: whole };
      line += lineBreaks(whole);
      text = text.slice(end);
      enough = batchLength;
    } else if (text.length >= maxYamlBytes) {
      throw new UsageError(
        'offline-too-large',
        `${shownFile(file)}:${line}: a document longer than ${maxYamlBytes} bytes; write lists as JSON, or as documents`,
      );
    } else {
      // A long document is searched for its end now and then, not with every piece of it.
      enough = Math.min(2 * text.length, maxYamlBytes);
    }
  }
  if (text.trim() !== '') yield { file, line, text };
}

/** Where the last document of the text begins, if one before it is whole. */
function lastBoundary(text: string): number {
  for (let at = text.lastIndexOf('\n---'); at > 0; at = text.lastIndexOf('\n---', at - 1)) {
    const next = text[at + 4];
    const isSeparator = next === '\n' || next === ' ' || next === '\r' || next === '\t';
    // Directives stand before the mark and belong to what comes after it.
    const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
    if (isSeparator && !before.startsWith('%')) return at + 1;
  }
  return 0;
}

export function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
