import { expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { plain } from '../status-answers.ts';
import { createQuestions } from './questions.ts';

it('passes answers on, and says so when the other thread does not answer in time', async () => {
  const clock = createFakeClock(0);
  const asked: [number, string][] = [];
  const { ask, answered } = createQuestions((id, url) => asked.push([id, url]), clock);
  const first = ask('/readyz?verbose');
  const second = ask('/metrics');
  expect(asked).toEqual([
    [1, '/readyz?verbose'],
    [2, '/metrics'],
  ]);
  answered(1, plain(200, 'ok'));
  expect(await first).toEqual(plain(200, 'ok'));
  await clock.advance(5_000);
  expect(await second).toMatchObject({ status: 503, body: 'the event loop did not answer within 5 s\n' });
  answered(2, plain(200, 'late'));
});

it('keeps no more than 64 questions open', async () => {
  const { ask } = createQuestions(() => {}, createFakeClock(0));
  for (let i = 0; i < 64; i++) void ask('/readyz');
  expect(await ask('/readyz')).toMatchObject({ status: 503, body: 'too many questions are open\n' });
});
