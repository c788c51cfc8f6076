/** Runs tasks in sequence, each key at most once in the queue. A failure is reported and does not stop the others. */
interface TaskQueue {
  add(key: string, task: () => Promise<void>): void;
  /** Resolves when the queue is empty and nothing runs. */
  settle(): Promise<void>;
}

export function createTaskQueue(onError: (error: unknown) => void): TaskQueue {
  const tasks = new Map<string, () => Promise<void>>();
  let running: Promise<void> | undefined;

  const drain = async () => {
    // The first await leaves the caller's stack: tasks start after the change that caused them.
    await Promise.resolve();
    let done = 0;
    for (let next = tasks.entries().next(); !next.done; next = tasks.entries().next()) {
      const [key, task] = next.value;
      tasks.delete(key);
      // Yield to the event loop: tasks that only await resolved promises would starve requests.
      if (++done % 32 === 0) await new Promise((resolve) => setImmediate(resolve));
      try {
        await task();
      } catch (error) {
        onError(error);
      }
    }
    running = undefined;
  };

  return {
    add(key, task) {
      tasks.set(key, task);
      running ??= drain();
    },
    async settle() {
      while (running) await running;
    },
  };
}
