import { afterEach, describe, expect, it } from 'vitest';
import type { ChangeMessage } from '../../../src/dashboard/protocol.ts';
import { createLive, type LiveState, type LiveSurroundings } from './live.ts';

// One stream of a server, written by the test.
interface Connection {
  readonly lastId: string | undefined;
  readonly signal: AbortSignal;
  send(text: string): void;
  drop(): void;
}

const hello = (isResumed: boolean, id = '1') => `id: ${id}\nevent: hello\ndata: {"isResumed":${isResumed}}\n\n`;
const change = (id: string) => `id: ${id}\nevent: change\ndata: {"views":["images"]}\n\n`;

/** A browser with tabs: they share a lock and a channel. */
function browser(status = 200) {
  const connections: Connection[] = [];
  const pauses: number[] = [];
  const listeners = new Set<readonly [object, (event: MessageEvent) => void]>();
  let held: Promise<unknown> = Promise.resolve();
  const surroundings = (): LiveSurroundings => {
    const channel = {
      postMessage: (data: unknown) => {
        for (const [owner, listener] of [...listeners]) if (owner !== channel) listener({ data } as MessageEvent);
      },
      addEventListener: (_: string, listener: unknown) =>
        listeners.add([channel, listener as (event: MessageEvent) => void]),
      removeEventListener: (_: string, listener: unknown) => {
        for (const entry of [...listeners]) if (entry[0] === channel && entry[1] === listener) listeners.delete(entry);
      },
    };
    return {
      channel: channel as unknown as LiveSurroundings['channel'],
      locks: {
        request: (async (_: string, { signal }: LockOptions, hold: () => Promise<void>) => {
          const before = held;
          const aborted = new Promise<never>((_, reject) => {
            signal!.addEventListener('abort', () => reject(new Error('aborted')));
          });
          aborted.catch(() => undefined);
          let isWaiting = true;
          const done = before.then(() => {
            isWaiting = false;
            return signal!.aborted ? undefined : hold();
          });
          held = done.catch(() => undefined);
          await Promise.race([done, aborted]).catch((thrown) => {
            if (isWaiting) throw thrown;
          });
          await done;
        }) as LockManager['request'],
      },
      async fetch(_, { headers, signal }) {
        if (status !== 200) return new Response('', { status });
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            let isOpen = true;
            const end = () => {
              if (isOpen) controller.error(new Error('dropped'));
              isOpen = false;
            };
            signal!.addEventListener('abort', end);
            connections.push({
              lastId: (headers as Record<string, string>)['last-event-id'],
              signal: signal!,
              send: (text) => controller.enqueue(new TextEncoder().encode(text)),
              drop: end,
            });
          },
        });
        return new Response(body);
      },
      sleep: async (ms) => {
        pauses.push(ms);
      },
      random: () => 1,
      now: () => 0,
    };
  };
  return { connections, pauses, surroundings };
}

const ended: AbortController[] = [];
afterEach(() => {
  for (const one of ended.splice(0)) one.abort();
});

function tab({ surroundings }: ReturnType<typeof browser>, firstId = '') {
  const states: LiveState[] = [];
  const changes: ChangeMessage[] = [];
  const seen = { states, changes, gaps: 0, hide: () => undefined as undefined, show: () => undefined as undefined };
  const live = createLive(
    {
      onState: (state) => states.push(state),
      onChange: (one) => changes.push(one),
      onGap: () => {
        seen.gaps += 1;
      },
    },
    surroundings(),
  );
  let visible = new AbortController();
  seen.show = () => {
    visible = new AbortController();
    ended.push(visible);
    void live.run(visible.signal, firstId);
  };
  seen.hide = () => {
    visible.abort();
  };
  seen.show();
  return seen;
}

const until = (holds: () => boolean) => expect.poll(holds, { interval: 5, timeout: 60_000 }).toBe(true);

describe('the live stream', () => {
  it('is one for all visible tabs, and every one of them hears it', async () => {
    const chrome = browser();
    const [first, second] = [tab(chrome), tab(chrome)];
    await until(() => chrome.connections.length === 1);
    chrome.connections[0]!.send(hello(false) + change('2'));
    await until(() => first.changes.length === 1 && second.changes.length === 1);
    expect([first.gaps, second.gaps]).toEqual([1, 1]);
    expect(second.states.at(-1)).toBe('open');
    expect(chrome.connections).toHaveLength(1);
  });

  it('ends when its tab is hidden, and another visible tab continues after the last message', async () => {
    const chrome = browser();
    const first = tab(chrome);
    await until(() => chrome.connections.length === 1);
    const second = tab(chrome);
    chrome.connections[0]!.send(hello(false) + change('2'));
    await until(() => second.changes.length === 1);
    first.hide();
    await until(() => chrome.connections.length === 2);
    expect(chrome.connections[0]!.signal.aborted).toBe(true);
    expect(chrome.connections[1]!.lastId).toBe('2');
    chrome.connections[1]!.send(hello(true, '2') + change('3'));
    await until(() => second.changes.length === 2);
    expect(second.gaps).toBe(1);
  });

  it('tells a tab that was hidden that it missed something, if it did', async () => {
    const chrome = browser();
    const [first, second] = [tab(chrome), tab(chrome)];
    await until(() => chrome.connections.length === 1);
    chrome.connections[0]!.send(hello(false));
    await until(() => second.gaps === 1);
    second.hide();
    second.show();
    await until(() => second.states.at(-1) === 'open');
    expect(second.gaps).toBe(1);
    second.hide();
    // The browser runs other tasks before a tab that was hidden misses anything.
    await new Promise((done) => setTimeout(done));
    chrome.connections[0]!.send(change('2'));
    await until(() => first.changes.length === 1);
    second.show();
    await until(() => second.gaps === 2);
  });

  it('begins after the answer that the tab has already, and continues after its own last message', async () => {
    const chrome = browser();
    const seen = tab(chrome, '7');
    await until(() => chrome.connections.length === 1);
    expect(chrome.connections[0]!.lastId).toBe('7');
    chrome.connections[0]!.send(hello(true, '8') + change('8'));
    await until(() => seen.changes.length === 1);
    expect(seen.gaps).toBe(0);
    seen.hide();
    seen.show();
    await until(() => chrome.connections.length === 2);
    expect(chrome.connections[1]!.lastId).toBe('8');
  });

  it('returns after a drop, with longer pauses each time', async () => {
    const chrome = browser();
    const seen = tab(chrome);
    for (let i = 1; i <= 3; i++) {
      await until(() => chrome.connections.length === i);
      chrome.connections[i - 1]!.drop();
    }
    await until(() => chrome.connections.length === 4);
    expect(chrome.pauses).toEqual([500, 1000, 2000]);
    chrome.connections[3]!.send(hello(false));
    await until(() => seen.states.at(-1) === 'open' && seen.gaps === 1);
  });

  it('stops when the session has ended', async () => {
    const chrome = browser(401);
    const seen = tab(chrome);
    await until(() => seen.states.at(-1) === 'stopped');
    expect(chrome.pauses).toEqual([]);
  });
});
