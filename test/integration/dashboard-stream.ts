import type { ChangeMessage, HelloMessage } from '../../src/dashboard/protocol.ts';

interface Messages {
  readonly hello: HelloMessage;
  readonly change: ChangeMessage;
}

/** A client of the dashboard's Server-Sent Events. */
export async function readStream(url: string, headers: Readonly<Record<string, string>>) {
  const stop = new AbortController();
  const response = await fetch(url, { headers, signal: stop.signal });
  if (response.status !== 200) throw new Error(`the stream answers ${response.status}`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  let lastId = '';
  const block = async (): Promise<string> => {
    for (;;) {
      const end = buffer.indexOf('\n\n');
      if (end >= 0) {
        const text = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        return text;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream ended');
      buffer += value;
    }
  };
  const field = (text: string, name: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const next = async <K extends keyof Messages>(event: K): Promise<Messages[K]> => {
    for (;;) {
      const text = await block();
      lastId = field(text, 'id') ?? lastId;
      if (field(text, 'event') === event) return JSON.parse(field(text, 'data')!) as Messages[K];
    }
  };
  return {
    next,
    async until<K extends keyof Messages>(event: K, holds: (message: Messages[K]) => boolean): Promise<Messages[K]> {
      for (;;) {
        const message = await next(event);
        if (holds(message)) return message;
      }
    },
    get lastId() {
      return lastId;
    },
    close: () => stop.abort(),
  };
}
