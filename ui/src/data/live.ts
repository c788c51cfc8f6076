import type { ChangeMessage } from '../../../src/dashboard/protocol.ts';
import { parseChange, parseHello } from '../model/changes.ts';
import { createStreamReader } from '../model/event-stream.ts';
import { createReconnect } from '../model/reconnect.ts';

/** `idle`: no stream is wanted, as the tab is hidden. `stopped`: the session has ended. */
export type LiveState = 'idle' | 'waiting' | 'open' | 'stopped';

export interface LiveEvents {
  readonly onState: (state: LiveState) => void;
  readonly onChange: (change: ChangeMessage) => void;
  /** Anything may have changed since the last message. */
  readonly onGap: () => void;
}

/** What the browser gives; tests give their own. */
export interface LiveSurroundings {
  readonly fetch: (path: string, options: RequestInit) => Promise<Response>;
  /** Web Locks; absent on origins that are not secure: then each tab has a stream of its own. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly channel: Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'removeEventListener'>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
}

/** What tabs tell each other. `asks`: a tab that has become visible wants to know where the stream is. */
interface Shared {
  readonly asks?: true;
  readonly answers?: true;
  readonly lastId?: string;
  readonly state?: LiveState;
  readonly change?: ChangeMessage;
  readonly gap?: true;
}

export interface Live {
  /** Receives changes until `signal` is aborted, or the session has ended. The first time those after `firstId`. */
  run(signal: AbortSignal, firstId: string): Promise<void>;
}

/**
 * One stream for all tabs: of the visible ones one holds it and tells the others. It lets go when its tab is hidden;
 * another visible tab then continues after the last message, so that the server can send what came in between.
 */
export function createLive(events: LiveEvents, surroundings: LiveSurroundings): Live {
  const { channel, locks, now, random, sleep } = surroundings;
  let lastId = '';

  function hear({ answers, change, gap, lastId: newest, state }: Shared): void {
    // The answer to a tab that was hidden: it missed messages if there were any.
    const missed = answers === true && newest !== lastId;
    if (newest !== undefined) lastId = newest;
    if (state !== undefined) events.onState(state);
    if (gap || missed) events.onGap();
    if (change !== undefined) events.onChange(change);
  }

  async function hold(signal: AbortSignal): Promise<void> {
    let state: LiveState = 'waiting';
    const tell = (message: Shared) => {
      if (message.state !== undefined) state = message.state;
      channel.postMessage(message);
      hear(message);
    };
    const answer = ({ data }: MessageEvent<Shared>) => {
      if (data.asks) channel.postMessage({ answers: true, state, lastId } satisfies Shared);
    };
    channel.addEventListener('message', answer);
    const reconnect = createReconnect(random);
    try {
      while (!signal.aborted) {
        let openedAt: number | undefined;
        const outcome = await readStream(lastId, surroundings, signal, (message) => {
          openedAt ??= now();
          tell(message);
        });
        if (signal.aborted) return;
        if (outcome === 'signedOut') {
          tell({ state: 'stopped' });
          return;
        }
        tell({ state: 'waiting' });
        await sleep(reconnect.nextPause(openedAt === undefined ? 0 : now() - openedAt), signal);
      }
    } finally {
      channel.removeEventListener('message', answer);
    }
  }

  return {
    async run(signal, firstId) {
      if (lastId === '') lastId = firstId;
      const listen = ({ data }: MessageEvent<Shared>) => hear(data);
      channel.addEventListener('message', listen);
      events.onState('waiting');
      channel.postMessage({ asks: true } satisfies Shared);
      try {
        if (locks === undefined) await hold(signal);
        else await locks.request('supercargo-live', { signal }, () => hold(signal));
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
      } finally {
        channel.removeEventListener('message', listen);
      }
    },
  };
}

/** One connection, until it ends. A connection without any byte for three heartbeats is dead. */
async function readStream(
  lastId: string,
  { fetch }: LiveSurroundings,
  signal: AbortSignal,
  tell: (message: Shared) => void,
): Promise<'ended' | 'signedOut'> {
  const dead = new AbortController();
  let silenceMs = 45_000;
  let timer = setTimeout(() => dead.abort(), silenceMs);
  try {
    const response = await fetch('/api/events', {
      headers: { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
      cache: 'no-store',
      credentials: 'same-origin',
      signal: AbortSignal.any([signal, dead.signal]),
    });
    if (response.status === 401) return 'signedOut';
    if (!response.ok || response.body === null) return 'ended';
    const read = createStreamReader();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'ended';
      clearTimeout(timer);
      timer = setTimeout(() => dead.abort(), silenceMs);
      for (const { event, data, id } of read(decoder.decode(value, { stream: true }))) {
        const place = id === '' ? {} : { lastId: id };
        if (event === 'hello') {
          const hello = parseHello(data);
          silenceMs = 3 * hello.heartbeatMs;
          tell({ ...place, state: 'open', ...(hello.isResumed ? {} : { gap: true }) });
        } else if (event === 'change') {
          const change = parseChange(data);
          tell({ ...place, ...(change === undefined ? { gap: true } : { change }) });
        }
      }
    }
  } catch {
    // A dropped connection, or an abort: the caller tells them apart by the signal.
    return 'ended';
  } finally {
    clearTimeout(timer);
    dead.abort();
  }
}
