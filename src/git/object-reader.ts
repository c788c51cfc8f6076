import { BatchAnswers, type GitObject } from './batch-answers.ts';
import {
  failed,
  type GitCommand,
  type ProcessOptions,
  type RunningGit,
  startGit,
  timedOut,
  tooLarge,
} from './process.ts';

interface Question {
  readonly resolve: (object: GitObject | undefined) => void;
  readonly reject: (reason: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Objects of a repository by one `git cat-file --batch` that runs as long as it is needed. A question takes a moment
 * where a process of its own takes many, above all in a large program: others push while we look. What a fetch beside
 * it brings is seen.
 */
export class ObjectReader {
  private running: RunningGit | undefined;
  private readonly questions: Question[] = [];
  private isClosed = false;

  constructor(
    private readonly command: GitCommand,
    private readonly options: ProcessOptions,
  ) {}

  /** The object of a name that has no line break in it; undefined when there is none. */
  read(name: string): Promise<GitObject | undefined> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) throw new Error('the repository is no longer open');
      const running = (this.running ??= this.start());
      const timer = setTimeout(() => running.stop(timedOut(this.command, this.options)), this.options.timeoutMs);
      this.questions.push({ resolve, reject, timer });
      running.stdin.write(`${name}\n`);
    });
  }

  async close(): Promise<void> {
    const { running } = this;
    this.isClosed = true;
    running?.stdin.end();
    await running?.ended.catch(() => {});
  }

  private start(): RunningGit {
    const running = startGit({ ...this.command, args: ['cat-file', '--batch'] }, this.options);
    const answers = new BatchAnswers(this.options.maxOutputBytes);
    running.stdout.on('data', (chunk: Buffer) => {
      for (const answer of answers.take(chunk)) {
        if (answer === 'too-large') running.stop(tooLarge(this.command, this.options));
        else this.answered()?.resolve(answer);
      }
    });
    const giveUp = (reason: unknown) => {
      if (this.running === running) this.running = undefined;
      for (let question = this.answered(); question; question = this.answered()) question.reject(reason);
    };
    // An object that is not here is fetched by git itself: then it ends with what the transport said.
    running.ended.then((end) => giveUp(failed(this.command, end)), giveUp);
    return running;
  }

  private answered(): Question | undefined {
    const question = this.questions.shift();
    clearTimeout(question?.timer);
    return question;
  }
}
