import { type Clock, systemClock } from '../../base/index.ts';
import { type AnswerStatus, plain, type StatusAnswer } from '../status-answers.ts';

/** Questions to another thread that may not answer. */
export interface Questions {
  readonly ask: AnswerStatus;
  answered(id: number, answer: StatusAnswer): void;
}

/** Shorter than the time-out of most probes and scrapes that are set by hand: they read why. */
const patienceMs = 5_000;
const maxOpen = 64;

export function createQuestions(post: (id: number, url: string) => void, clock: Clock = systemClock): Questions {
  const open = new Map<number, (answer: StatusAnswer) => void>();
  let last = 0;
  return {
    ask: (url) => {
      if (open.size >= maxOpen) return Promise.resolve(plain(503, 'too many questions are open'));
      return new Promise((resolve) => {
        const id = ++last;
        const end = (answer: StatusAnswer) => {
          cancel();
          open.delete(id);
          resolve(answer);
        };
        const cancel = clock.after(patienceMs, () =>
          end(plain(503, `the event loop did not answer within ${patienceMs / 1000} s`)),
        );
        open.set(id, end);
        post(id, url);
      });
    },
    answered: (id, answer) => open.get(id)?.(answer),
  };
}
