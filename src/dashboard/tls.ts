import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { type Clock, errorMessage, type Logger, SupercargoError, serverCiphers } from '../base/index.ts';

/** A certificate chain and its key, as PEM files: those of a mounted Secret, mostly. */
export interface TlsFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** A mounted Secret changes within a minute or two anyway. */
const lookMs = 15_000;
const maxBytes = 1 << 20;

interface FollowOptions {
  readonly files: TlsFiles;
  /** Called with each other certificate that is in the files. */
  readonly use: (context: SecureContextOptions) => void;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Logger;
}

/** The options of a TLS server with the certificate of these files. Rejects when they cannot be used. */
export async function readTls(files: TlsFiles): Promise<SecureContextOptions> {
  const [cert, key] = await Promise.all([readPem(files.certificateFile), readPem(files.keyFile)]);
  const context: SecureContextOptions = { cert, key, minVersion: 'TLSv1.2', ciphers: serverCiphers };
  try {
    // A certificate that does not belong to the key is refused here and not at the first handshake.
    createSecureContext(context);
  } catch (thrown) {
    throw new SupercargoError(
      'dashboard-certificate',
      `${files.certificateFile} and ${files.keyFile} are no certificate with its key: ${errorMessage(thrown)}`,
      { cause: thrown },
    );
  }
  return context;
}

async function readPem(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    throw new SupercargoError('dashboard-certificate', `cannot read ${file}: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
  if (text.length > maxBytes) throw new SupercargoError('dashboard-certificate', `${file} is too large for a PEM file`);
  return text;
}

/** Follows the files until the signal aborts. While they cannot be used, the last certificate stays. */
export async function followTls(
  { files, use, clock, log }: FollowOptions,
  current: SecureContextOptions,
  signal: AbortSignal,
): Promise<void> {
  let known = current;
  let told = '';
  while (!signal.aborted) {
    await clock.sleep(lookMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const next = await readTls(files);
      told = '';
      if (next.cert === known.cert && next.key === known.key) continue;
      use(next);
      known = next;
      log.info('the certificate of the dashboard changed');
    } catch (thrown) {
      const error = errorMessage(thrown);
      if (error !== told) log.error('the dashboard keeps its last certificate', { error });
      told = error;
    }
  }
}
