import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sendJson } from './http.ts';

test('a large answer is compressed beside the event loop of the main thread', async () => {
  const body = Array.from({ length: 5_000 }, (_, i) => ({ name: `image-${i}` }));
  const sent: Buffer[] = [];
  const heads: object[] = [];
  const request = { method: 'GET', headers: { 'accept-encoding': 'gzip' } } as unknown as IncomingMessage;
  const response = {
    writeHead: (_: number, headers: object) => void heads.push(headers),
    end: (data: Buffer) => void sent.push(data),
  } as unknown as ServerResponse;
  const sending = sendJson(request, response, { body });
  expect(sent).toEqual([]);
  await sending;
  expect(heads).toEqual([expect.objectContaining({ 'content-encoding': 'gzip', 'content-length': sent[0]!.length })]);
  expect(JSON.parse(gunzipSync(sent[0]!).toString())).toEqual(body);
});
