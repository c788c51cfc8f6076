import { expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { plain } from '../status-responses.ts';
import { createPendingRequests } from './pending-requests.ts';

it('passes responses on, and reports when the other thread does not respond in time', async () => {
  const clock = createFakeClock(0);
  const requests: [number, string][] = [];
  const { send, onResponse } = createPendingRequests((id, url) => requests.push([id, url]), clock);
  const first = send('/readyz?verbose');
  const second = send('/metrics');
  expect(requests).toEqual([
    [1, '/readyz?verbose'],
    [2, '/metrics'],
  ]);
  onResponse(1, plain(200, 'ok'));
  expect(await first).toEqual(plain(200, 'ok'));
  await clock.advance(5_000);
  expect(await second).toMatchObject({ status: 503, body: 'the event loop did not respond within 5 s\n' });
  onResponse(2, plain(200, 'late'));
});

it('keeps at most 64 requests pending', async () => {
  const { send } = createPendingRequests(() => {}, createFakeClock(0));
  for (let i = 0; i < 64; i++) void send('/readyz');
  expect(await send('/readyz')).toMatchObject({ status: 503, body: 'too many requests are pending\n' });
});
