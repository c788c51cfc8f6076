import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { launch, type Running } from '../support/program.ts';
import { type AdmissionSession, crdFiles, run } from './admission-scenario.ts';

/** `supercargo run` with admission against a cluster on this machine. */
export async function startAdmission(options: {
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly folder: string;
  readonly installation: string;
}): Promise<AdmissionSession & { stop(): Promise<void>; stderr(): string }> {
  const { kubectl, kubeconfig, folder, installation } = options;
  const target = { kubectl, kubeconfig };
  const applied = await run(target, ['apply', '--server-side', '-f', '-'], crdFiles());
  if (applied.exitCode !== 0) throw new Error(applied.stderr);
  await run(target, ['wait', '--for=condition=Established', '--timeout=120s', 'crd', '--all']);
  await run(target, ['create', 'namespace', installation]);
  const config = path.join(folder, 'config.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      installation,
      namespace: installation,
      features: ['admission'],
      server: { port: 0 },
      policies: { selector: {}, exceptionNamespaces: ['*'] },
      webhook: { port: 0, exposure: 'loopback', removeOnStop: false },
      // Short enough that a killed leader is followed within the time of a test.
      leaderElection: { leaseDuration: '2s', renewDeadline: '1500ms', retryPeriod: '300ms' },
    }),
  );
  let program: Running | undefined;
  const start = async () => {
    program = launch(['run', '--config', config, '--kubeconfig', kubeconfig]);
    await program.until((_, stderr) => (stderr.includes('"runnable":"webhook-registrar"') ? true : undefined));
    const address = await program.until((_, stderr) => /"address":"([^"]+)"/.exec(stderr)?.[1]);
    await program.until((_, stderr) => (stderr.includes('webhook server listening') ? true : undefined));
    const ready = await fetch(`http://${address}/readyz`);
    if (ready.status !== 200) throw new Error(await ready.text());
  };
  await start();
  return {
    ...target,
    start,
    kill: async () => void (await program?.kill9()),
    stop: async () => void (await program?.stop()),
    stderr: () => program?.stderr() ?? '',
  };
}
