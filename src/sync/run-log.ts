import { renderDiff } from './diff.ts';
import type { OperationResult } from './execute.ts';
import type { Operation } from './plan.ts';
import type { PolicyRef } from './policy.ts';
import { actionOf, objectOf } from './report-status.ts';
import type { SyncFailure, SyncLine, SyncResult } from './result.ts';

/** Where the log of a run goes. */
export interface SyncOutput {
  /** One line per operation, and the last line of the run. */
  line(line: SyncLine): void;
  /** The changes of a dry run, as readable text. */
  diff(title: string, text: string): void;
}

const doneMessages = { apply: 'Policy applied', update: 'Policy updated', remove: 'Policy removed' } as const;
const pastWords = { apply: 'applied', update: 'updated', remove: 'removed' } as const;

/** Collects the results of a run and writes each entry as it comes. */
export class SyncRunLog {
  private done: Operation[] = [];
  private readonly rolledBack: Operation[] = [];
  private readonly failed: SyncFailure[] = [];
  private isIncomplete = false;

  constructor(private readonly output: SyncOutput) {}

  fail(failure: SyncFailure): void {
    this.failed.push(failure);
    this.output.line({ level: 'error', msg: 'Policy failed', policy: failure.label, error: failure.reason });
  }

  wouldDo(operation: Operation): void {
    this.done.push(operation);
    const { action, ref } = operation;
    this.output.diff(`would ${action} ${describe(ref)}`, renderDiff(operation));
    this.output.line({
      level: 'info',
      msg: `Policy would be ${pastWords[action]}`,
      policy: ref.label,
      kind: ref.type.kind,
    });
  }

  note({ operation, result, reason = '' }: OperationResult): void {
    const { ref } = operation;
    if (result === 'done') {
      this.done.push(operation);
      this.output.line({ level: 'info', msg: doneMessages[operation.action], policy: ref.label, kind: ref.type.kind });
    } else if (result === 'rolled-back') {
      this.done = this.done.filter((one) => one !== operation);
      this.rolledBack.push(operation);
      this.output.line({ level: 'warn', msg: 'Policy rolled back', policy: ref.label, kind: ref.type.kind });
    } else {
      if (result === 'not-rolled-back') {
        this.isIncomplete = true;
        this.done = this.done.filter((one) => one !== operation);
      }
      const why = result === 'failed' ? reason : `it could not be rolled back: ${reason}`;
      this.fail({ ref, label: ref.label, reason: why, object: objectOf(operation), action: actionOf(operation) });
    }
  }

  result(rest: Pick<SyncResult, 'isDryRun' | 'durationMs' | 'unchanged'>): SyncResult {
    const of = (action: Operation['action']) => this.done.filter((operation) => operation.action === action);
    return {
      ...rest,
      outcome: this.isIncomplete ? 'incomplete' : this.failed.length > 0 ? 'failed' : 'succeeded',
      applied: of('apply'),
      updated: of('update'),
      removed: of('remove'),
      failed: this.failed,
      rolledBack: this.rolledBack,
    };
  }
}

const describe = ({ type, name, namespace }: PolicyRef) =>
  `${type.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
