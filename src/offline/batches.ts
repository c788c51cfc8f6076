import { maxYamlBytes, UsageError } from '../base/index.ts';
import type { Files } from '../manifests/index.ts';
import { shownFile } from '../manifests/index.ts';
import { jsonItems, startsJson } from './json-items.ts';

/** Some whole documents of a file: the unit of reading and evaluating. */
export interface Batch {
  readonly file: string;
  /** Where the text begins in the file. */
  readonly line: number;
  readonly text: string;
}

/** Large enough to amortise the cost per batch, small enough to hold several in memory. */
const batchLength = 256 * 1024;

/** Splits a file into batches between documents; a large JSON list between its items. */
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
      // The end of a long document is searched now and then, not after every piece.
      enough = Math.min(2 * text.length, maxYamlBytes);
    }
  }
  if (text.trim() !== '') yield { file, line, text };
}

/** Where the last document of the text begins, if there is a complete one before it. */
function lastBoundary(text: string): number {
  for (let at = text.lastIndexOf('\n---'); at > 0; at = text.lastIndexOf('\n---', at - 1)) {
    const next = text[at + 4];
    const isSeparator = next === '\n' || next === ' ' || next === '\r' || next === '\t';
    // Directives stand before the separator and belong to the document after it.
    const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
    if (isSeparator && !before.startsWith('%')) return at + 1;
  }
  return 0;
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
