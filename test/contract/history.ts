import { expect, it } from 'vitest';
import { defineWidgets } from './crd-fixture.ts';
import { expectFailure, type Fixture } from './fixture.ts';

const forgotten = 5;

export function defineHistory(fixture: Fixture): void {
  // A real server keeps recent history in memory for each resource, whatever its database has forgotten; the history of
  // a resource that is defined after the fact begins late enough.
  const forget = async (skip: (reason: string) => never) => {
    await (fixture.target.forgetHistory ?? (() => skip('the target cannot be made to forget')))(forgotten);
    return (await defineWidgets(fixture)).path();
  };

  it('sends an ERROR event to a watch whose version is too old, and ends it', async ({ skip }) => {
    const stream = await fixture.watch(`${await forget(skip)}?resourceVersion=1`);
    const { type, object } = await stream.next();
    expect(type).toBe('ERROR');
    expect(object).toMatchObject({ kind: 'Status', status: 'Failure', code: 410, reason: 'Expired' });
    expect(object.message).toMatch(/^too old resource version: 1 \(\d+\)$/);
    await stream.ended;
  });

  it('answers 410 to a list of exactly a version that it has forgotten', async ({ skip }) => {
    const path = await forget(skip);
    const answer = fixture.api.get(`${path}?resourceVersion=1&resourceVersionMatch=Exact`);
    const body = await expectFailure(answer, 410, 'Expired');
    expect(body.message).toBe('The resourceVersion for the provided list is too old.');
  });
}
