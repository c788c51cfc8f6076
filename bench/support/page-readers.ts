import { fork } from 'node:child_process';
import { Agent, get, type IncomingMessage } from 'node:http';

/** Pages that people have open, in a process of their own: each has a stream and reads again what it shows. */
export interface PageReaders {
  open(count: number): Promise<void>;
  /** Closes them all. */
  close(): Promise<ReadDone>;
  stop(): Promise<void>;
}

export interface ReadDone {
  readonly messages: number;
  readonly answers: number;
  readonly bytes: number;
}

export interface PageAddress {
  readonly origin: string;
  readonly token: string;
}

/** What a view asks for, with the changes that make it ask again. Each page also shows the counts of the overview. */
const views: readonly (readonly [path: string, change: string])[] = [
  ['/api/images?limit=200&offset=0', 'images'],
  ['/api/images?sort=results&limit=200&offset=0', 'images'],
  ['/api/copies?limit=200&offset=0', 'copies'],
  ['/api/images?q=service-1&limit=200&offset=0', 'images'],
  ['/api/results/groups?by=namespace', 'results'],
  ['/api/results?limit=200&offset=0', 'results'],
  ['/api/jobs?limit=200&offset=0', 'jobs'],
  ['/api/images?ns=team-3&limit=200&offset=0', 'images'],
  ['/api/detections?limit=200&offset=0', 'pipeline'],
  ['/api/system', 'system'],
];
const counts = ['/api/overview', 'overview'] as const;
/** As long as the page waits between two readings. */
const pauseMs = 500;

type Question = { readonly open: number } | 'close';

export async function startPageReaders(file: string, mode: string, address: PageAddress): Promise<PageReaders> {
  const child = fork(file, [mode], { execArgv: process.execArgv });
  const ask = <T>(question: Question | PageAddress): Promise<T> =>
    new Promise((resolve, reject) => {
      const failed = () => reject(new Error('the readers ended'));
      child.once('exit', failed);
      child.once('message', (answer) => {
        child.off('exit', failed);
        resolve(answer as T);
      });
      child.send(question);
    });
  await ask(address);
  return {
    open: (count) => ask({ open: count }),
    close: () => ask('close'),
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await exited;
    },
  };
}

/** The other side, in the child: the address, then questions until the parent goes. */
export async function servePageReaders(): Promise<void> {
  const answer = (value: object) => process.send!(value);
  let pages: Page[] = [];
  let address: PageAddress | undefined;
  process.on('message', async (message: Question | PageAddress) => {
    if (message === 'close') {
      for (const page of pages) page.close();
      answer(pages.reduce(sum, { messages: 0, answers: 0, bytes: 0 }));
      pages = [];
    } else if ('open' in message) {
      pages = Array.from({ length: message.open }, (_, index) => new Page(address!, views[index % views.length]!));
      await Promise.all(pages.map((page) => page.opened));
      answer({});
    } else {
      address = message;
      answer({});
    }
  });
  await new Promise<void>((resolve) => process.once('disconnect', resolve));
}

const sum = (a: ReadDone, b: ReadDone): ReadDone => ({
  messages: a.messages + b.messages,
  answers: a.answers + b.answers,
  bytes: a.bytes + b.bytes,
});

/** One page with as little work as a client can do: what it reads is counted, not shown. */
class Page implements ReadDone {
  messages = 0;
  answers = 0;
  bytes = 0;
  readonly opened: Promise<void>;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 6 });
  private readonly shown: readonly Reading[];
  private isClosed = false;

  constructor(
    private readonly address: PageAddress,
    view: readonly [path: string, change: string],
  ) {
    this.shown = [counts, view].map(([path, change]) => new Reading(change, () => this.read(path)));
    this.opened = this.follow();
  }

  close(): void {
    this.isClosed = true;
    this.agent.destroy();
  }

  private async follow(): Promise<void> {
    const stream = await this.ask('/api/events');
    let text = '';
    stream.on('error', () => this.fail('its stream broke'));
    stream.on('end', () => this.fail('its stream ended'));
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        this.hear(text.slice(0, end));
        text = text.slice(end + 2);
      }
    });
    await Promise.all(this.shown.map((reading) => reading.begin()));
  }

  private hear(message: string): void {
    const data = /^event: change\ndata: (.*)$/m.exec(message)?.[1];
    if (data === undefined) return;
    this.messages++;
    const { views: changed } = JSON.parse(data) as { readonly views: readonly string[] };
    for (const reading of this.shown) if (changed.includes(reading.change)) reading.request();
  }

  private async read(path: string): Promise<void> {
    const response = await this.ask(path);
    for await (const chunk of response) this.bytes += (chunk as Buffer).length;
    this.answers++;
  }

  private async ask(path: string): Promise<IncomingMessage> {
    const { origin, token } = this.address;
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      get(`${origin}${path}`, { agent: this.agent, headers }, resolve).on('error', reject),
    );
    if (response.statusCode !== 200) this.fail(`${path} answers ${response.statusCode}`);
    return response;
  }

  /** A page that reads nothing would be measured as one that costs nothing. */
  private fail(reason: string): void {
    if (this.isClosed) return;
    console.error(`a page: ${reason}`);
    process.exit(1);
  }
}

/** One answer that is shown: read once at a time, and again after a pause if it changed meanwhile. */
class Reading {
  private isWanted = false;
  private isBusy = false;

  constructor(
    readonly change: string,
    private readonly read: () => Promise<void>,
  ) {}

  /** Resolves with the first answer. */
  async begin(): Promise<void> {
    this.isBusy = true;
    await this.read();
    setTimeout(() => this.goOn(), pauseMs);
  }

  request(): void {
    this.isWanted = this.isBusy;
    // One that fails after its page was closed is over.
    if (!this.isBusy) this.begin().catch(() => {});
  }

  private goOn(): void {
    this.isBusy = false;
    if (this.isWanted) this.request();
  }
}
