import { expect, it } from 'vitest';
import { compile } from '../program.ts';
import { type AccessQuestion, authorizerType, CelAuthorizer } from './authorizer.ts';

const variables = new Map([['authorizer', authorizerType]]);

function ask(expression: string, allowed = true) {
  const asked: AccessQuestion[] = [];
  const authorizer = new CelAuthorizer((question) => {
    asked.push(question);
    return { allowed, reason: 'because' };
  }, 'alice');
  return { asked, ...compile(expression, { variables }).evaluate([authorizer]) };
}

it('asks about a resource with all that was said of it', () => {
  const expression =
    'authorizer.group("apps").resource("deployments").subresource("scale").namespace("shop").name("web").check("update").allowed()';
  const { value, asked } = ask(expression);
  expect(value).toBe(true);
  expect(asked).toEqual([
    {
      user: 'alice',
      verb: 'update',
      group: 'apps',
      resource: 'deployments',
      subresource: 'scale',
      namespace: 'shop',
      name: 'web',
    },
  ]);
});

it('asks about a path, and for a service account', () => {
  const { value, asked } = ask(
    'authorizer.serviceAccount("shop", "cart").path("/healthz").check("get").allowed()',
    false,
  );
  expect(value).toBe(false);
  expect(asked).toEqual([{ user: 'system:serviceaccount:shop:cart', verb: 'get', path: '/healthz' }]);
});

it('tells the reason of a decision and whether there was an error', () => {
  const decision = 'authorizer.path("/x").check("get")';
  expect(ask(`${decision}.reason() + ":" + ${decision}.error()`).value).toBe('because:');
  expect(ask(`${decision}.errored()`).value).toBe(false);
});

it('refuses empty paths and resources and wrong accounts', () => {
  expect(ask('authorizer.path(" ").check("get").allowed()').value).toMatchObject({ message: 'path must not be empty' });
  expect(ask('authorizer.group("").resource("").check("get").allowed()').value).toMatchObject({
    message: 'resource must not be empty',
  });
  expect(ask('authorizer.serviceAccount("A", "b").path("/x").check("get").allowed()').value).toMatchObject({
    message: 'Invalid service account namespace',
  });
});

it('has room for two questions in one expression', () => {
  const check = 'authorizer.path("/x").check("get").allowed()';
  expect(ask(`${check} && ${check}`).cost).toBeGreaterThan(700_000);
  expect(ask(`${check} && ${check} && ${check}`).value).toMatchObject({
    message: 'operation cancelled: actual cost limit exceeded',
  });
});
