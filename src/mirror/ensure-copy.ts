import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import { renderReference } from '../image/index.ts';
import { withDeadline } from './deadline.ts';
import type { CopyState, MirroredImageStore, MirrorRequest } from './mirrored-image-store.ts';
import { conflictMessage } from './mirrored-images.ts';
import type { CopyPresence } from './presence.ts';
import type { MirrorSettings } from './settings.ts';

export interface EnsureCopyOptions {
  readonly store: MirroredImageStore;
  readonly presence: CopyPresence;
  readonly settings: Pick<MirrorSettings, 'mode' | 'waitMs' | 'waitBytes'>;
  readonly clock: Clock;
  readonly log: Logger;
}

interface EnsureCopyRequest {
  readonly isDryRun: boolean;
  /** False for an unauthenticated review: only existing copies are used, and none is requested. */
  readonly mayRequest: boolean;
  readonly signal: AbortSignal;
}

/** `isUnderWay`: the copy is in progress, and the store will report its end. */
type CopyAvailability =
  | { readonly ok: true; readonly digest: string }
  | { readonly ok: false; readonly isUnderWay: boolean; readonly reason: string };

/**
 * The digest of a copy that can be pulled now, or the reason why there is none. Requests a missing copy and waits as
 * the mode says. A dry run requests nothing. Never throws: failures become reasons.
 */
export async function ensureCopy(
  mirrorRequest: MirrorRequest,
  options: EnsureCopyOptions,
  request: EnsureCopyRequest,
): Promise<CopyAvailability> {
  const { settings, clock, log } = options;
  const { signal } = request;
  try {
    if (settings.mode === 'sync') return await obtain(mirrorRequest, options, { ...request, deadline: signal });
    return await withDeadline({ clock, ms: settings.waitMs, signal }, (deadline) =>
      obtain(mirrorRequest, options, { ...request, deadline }),
    );
  } catch (thrown) {
    log.warn('requesting a copy failed', {
      source: renderReference(mirrorRequest.source),
      error: errorMessage(thrown),
    });
    return no(errorMessage(thrown));
  }
}

async function obtain(
  mirrorRequest: MirrorRequest,
  options: EnsureCopyOptions,
  request: EnsureCopyRequest & { readonly deadline: AbortSignal },
): Promise<CopyAvailability> {
  const { store, settings } = options;
  const { isDryRun, mayRequest, signal, deadline } = request;
  const conflicting = store.conflictingSource(mirrorRequest);
  if (conflicting !== undefined) return no(conflictMessage(renderReference(mirrorRequest.copy), conflicting));
  const known = store.stateOf(mirrorRequest);
  if (known.phase === 'Copied') {
    const found = await verified(mirrorRequest, known, options, deadline);
    if (found !== 'absent') return found;
  }
  if (isDryRun || !mayRequest) {
    if (known.phase === 'Failed') return no(reasonOf(known));
    return underWay(
      isDryRun ? 'it is not copied yet' : 'it will be copied in the background once the workload is stored',
    );
  }
  if (!(await store.request(mirrorRequest, signal))) return no(reasonOf(known));
  if (settings.mode === 'async') return underWay('it is copied in the background');
  const state = await store.waitFor(
    mirrorRequest,
    (now) => hasProgressed(now, known) && isDecided(now, settings),
    deadline,
  );
  if (hasProgressed(state, known) && state.phase === 'Copied') {
    const found = await verified(mirrorRequest, state, options, signal);
    return found === 'absent' ? no(lost) : found;
  }
  if (hasProgressed(state, known) && state.phase === 'Failed') return no(reasonOf(state));
  return underWay('the copy takes longer than the request can wait; it continues in the background');
}

const lost = 'the copy is no longer in the registry';
const no = (reason: string): CopyAvailability => ({ ok: false, isUnderWay: false, reason });
const underWay = (reason: string): CopyAvailability => ({ ok: false, isUnderWay: true, reason });
const reasonOf = ({ phase, message }: CopyState) => message || (phase === 'Copied' ? lost : 'the copy failed');

const isEnd = ({ phase }: CopyState) => phase === 'Copied' || phase === 'Failed';

/** An end state that was known before counts only after another attempt. */
const hasProgressed = (now: CopyState, known: CopyState) =>
  !isEnd(now) || !isEnd(known) || now.attempts !== known.attempts;

function isDecided(state: CopyState, { mode, waitBytes }: EnsureCopyOptions['settings']): boolean {
  if (isEnd(state)) return true;
  return mode === 'auto' && state.phase === 'Copying' && (state.bytesTotal ?? 0) > waitBytes;
}

async function verified(
  { copy }: MirrorRequest,
  { digest }: CopyState,
  { presence, log }: EnsureCopyOptions,
  signal: AbortSignal,
): Promise<CopyAvailability | 'absent'> {
  if (digest === undefined) return 'absent';
  try {
    return (await presence.exists(copy, digest, signal)) ? { ok: true, digest } : 'absent';
  } catch (thrown) {
    // An unreachable copy cannot be used, but is no reason to copy again.
    const error = errorMessage(thrown);
    log.warn('the backup registry does not answer', { copy: renderReference(copy), error });
    return no(`the backup registry does not answer: ${error}`);
  }
}
