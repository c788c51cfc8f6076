import { expect, test } from 'vitest';
import recorded from './generated/messages.json' with { type: 'json' };
import { type MessagePlan, planOfKind } from './message-plan.ts';

test('every kind of the tables compiles, with all that it contains', () => {
  const seen = new Set<MessagePlan>();
  const visit = (plan: MessagePlan) => {
    if (seen.has(plan)) return;
    seen.add(plan);
    for (const field of plan.fields) if (typeof field?.type === 'object') visit(field.type);
  };
  for (const key of Object.keys(recorded.kinds)) {
    const slash = key.lastIndexOf('/');
    const plan = planOfKind(key.slice(0, slash), key.slice(slash + 1));
    expect(plan, key).toBeDefined();
    visit(plan!);
  }
  expect(seen.size).toBe(Object.keys(recorded.messages).length);
});

test('each scalar of the tables is one that the decoder knows', () => {
  const types = Object.values(recorded.messages as Record<string, string | readonly (readonly unknown[])[]>)
    .flatMap((message) => (typeof message === 'string' ? [message] : message.map((field) => String(field[2]))))
    .map((type) => type.replace(/^(\[\]|\{\})/, ''))
    .filter((type) => !type.includes('.'));
  expect([...new Set(types)].sort()).toEqual(['bool', 'bytes', 'double', 'int32', 'int64', 'json', 'string']);
});

test('a kind that no table has is not found, whatever its name', () => {
  expect(planOfKind('v1', 'Ship')).toBeUndefined();
  expect(planOfKind('', 'constructor')).toBeUndefined();
});
