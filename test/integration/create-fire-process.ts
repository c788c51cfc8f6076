import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Publish, PublishItem, PublishResult } from '../../src/create/index.ts';
import { GitError } from '../../src/git/index.ts';
import { plainGitAsync } from '../support/git-server.ts';
import { detectionOf, itemOf, localPublisher, localTemplate } from './create-publisher.ts';

/** Those who write to one branch, each in a process of its own: how fast one starts git depends on its own size. */
const [role, repository = '', ...rest] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
if (role === 'publish') await publishAll(Number(rest[0]), Number(rest[1]));
else await writeUntilStopped(rest[0]!);

/** Publishes so many detections at once, and says of each what became of it. */
async function publishAll(count: number, maxItems: number): Promise<void> {
  const { publish, remove } = localPublisher({ maxItems });
  const template = localTemplate(repository);
  const items = Array.from({ length: count }, (_, i) => itemOf(detectionOf(`image-${i}`, 'v1'), template));
  const results = await Promise.all(items.map((item) => publishAtLast(publish, item)));
  for (const result of results) say(`result ${result.kind === 'committed' ? result.commit : result.kind}`);
  remove();
}

/** As the controller does: when others were faster every time, the detection comes back later. */
async function publishAtLast(publish: Publish, item: PublishItem): Promise<PublishResult> {
  for (;;) {
    try {
      return await publish(item, new AbortController().signal);
    } catch (thrown) {
      if (!(thrown instanceof GitError) || thrown.code !== 'git-branch-moved') throw thrown;
    }
  }
}

/** Another writer, in a clone of its own; every file it pushes has its number. */
async function writeUntilStopped(dir: string): Promise<void> {
  let isStopped = false;
  process.once('SIGTERM', () => {
    isStopped = true;
  });
  await plainGitAsync(dir, 'clone', '--quiet', repository, 'c');
  const clone = join(dir, 'c');
  await plainGitAsync(clone, 'checkout', '--quiet', '-B', 'main');
  await plainGitAsync(clone, 'config', 'gc.auto', '0');
  for (let count = 0; !isStopped; count++) {
    const blob = join(dir, 'content');
    writeFileSync(blob, `${count}`);
    const object = await plainGitAsync(clone, 'hash-object', '-w', blob);
    const commit = async () => {
      await plainGitAsync(clone, 'update-index', '--add', '--cacheinfo', `100644,${object},other/${count}`);
      await plainGitAsync(clone, 'commit', '--quiet', '-m', `other ${count}`);
    };
    await commit();
    while (!(await push(clone))) {
      await plainGitAsync(clone, 'fetch', '--quiet', 'origin', 'main');
      await plainGitAsync(clone, 'reset', '--quiet', '--soft', 'origin/main');
      await plainGitAsync(clone, 'read-tree', 'origin/main');
      await commit();
    }
    say(`pushed ${count}`);
    await sleep(100);
  }
}

function push(clone: string): Promise<boolean> {
  return plainGitAsync(clone, 'push', '--quiet', 'origin', 'main').then(
    () => true,
    () => false,
  );
}
