import type { ServerResponse } from 'node:http';

/** Enough to make a write worth its while; from 128 KB on, V8 keeps strings where making and dropping them is slow. */
const chunkLength = 64 * 1024;

/** Joins short texts to chunks worth a write each. */
export function* inChunks(texts: Iterable<string>): Iterable<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Writes the texts at the pace of the reader, so that no more than a chunk waits in memory; stops when the reader goes. */
export async function streamText(response: ServerResponse, texts: Iterable<string>): Promise<void> {
  for (const chunk of inChunks(texts)) {
    if (response.destroyed) return;
    if (!response.write(Buffer.from(chunk))) await writable(response);
  }
}

function writable(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
