import { type Clock, systemClock } from '../../base/index.ts';
import { plain, type StatusResponder, type StatusResponse } from '../status-responses.ts';

/** Requests to another thread that may not respond. */
interface PendingRequests {
  readonly send: StatusResponder;
  onResponse(id: number, response: StatusResponse): void;
}

/** Shorter than most configured time-outs of probes and scrapes, so that they get the reason. */
const patienceMs = 5_000;
const maxOpen = 64;

export function createPendingRequests(
  post: (id: number, url: string) => void,
  clock: Clock = systemClock,
): PendingRequests {
  const open = new Map<number, (response: StatusResponse) => void>();
  let last = 0;
  return {
    send: (url) => {
      if (open.size >= maxOpen) return Promise.resolve(plain(503, 'too many requests are pending'));
      return new Promise((resolve) => {
        const id = ++last;
        const end = (response: StatusResponse) => {
          cancel();
          open.delete(id);
          resolve(response);
        };
        const cancel = clock.after(patienceMs, () =>
          end(plain(503, `the event loop did not respond within ${patienceMs / 1000} s`)),
        );
        open.set(id, end);
        post(id, url);
      });
    },
    onResponse: (id, response) => open.get(id)?.(response),
  };
}
