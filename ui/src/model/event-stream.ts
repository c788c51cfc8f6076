export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

// A server that never ends a line must not fill the memory of the page.
const maxPending = 1 << 20;

/** Reads the `text/event-stream` format piece by piece; a message may be spread over pieces in any way. */
export function createStreamReader(): (text: string) => StreamMessage[] {
  let pending = '';
  let event = '';
  let data: string[] = [];
  let id = '';
  return (text) => {
    pending += text;
    const messages: StreamMessage[] = [];
    const lines = pending.split(/\r\n|\n|\r(?!$)/);
    pending = lines.pop()!;
    if (pending.length > maxPending) throw new Error('the event stream has a line of more than a megabyte');
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) messages.push({ event: event || 'message', data: data.join('\n'), id });
        event = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      // A line that begins with a colon is a comment: the heartbeat.
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
      else if (field === 'id') id = value;
    }
    return messages;
  };
}
