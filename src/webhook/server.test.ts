import { request as plainRequest } from 'node:http';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/index.ts';
import type { AdmissionDecision } from './review.ts';
import { ReviewError } from './review.ts';
import type { Reviewer } from './reviewer.ts';
import { post, reviewOf, type Serving, serve } from './testing/serving.ts';

let serving: Serving | undefined;
afterEach(async () => {
  await serving?.stop();
  serving = undefined;
});

const reviewer = (
  decision: AdmissionDecision | (() => AdmissionDecision | Promise<AdmissionDecision>) = {},
): Reviewer => ({
  path: 'validate',
  review: () => (typeof decision === 'function' ? decision() : decision),
});

/** Asserts that the server still answers reviews. */
async function stillAnswers(current: Serving): Promise<void> {
  expect(JSON.parse((await post(current, '/validate/fail', reviewOf({}))).text).response).toEqual({
    uid: 'u1',
    allowed: true,
  });
}

describe('a server that is told to end', () => {
  it('answers new connections until its delay is over', async () => {
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const clock = { ...systemClock, sleep: () => over };
    serving = await serve([reviewer()], { shutdownDelayMs: 5_000, clock });
    const stopped = serving.stop();
    const reply = await post(serving, '/validate/fail', reviewOf({})).finally(end);
    expect(reply).toMatchObject({ status: 200 });
    await stopped;
    await expect(post(serving, '/validate/fail', reviewOf({}))).rejects.toThrow('ECONNREFUSED');
    serving = undefined;
  });
});

describe('a review', () => {
  it('is answered with its uid and the decision of the reviewer', async () => {
    serving = await serve([reviewer({ warnings: ['careful'], patch: [{ op: 'add', path: '/x', value: 1 }] })]);
    const { response } = JSON.parse((await post(serving, '/validate/fail?timeout=10s', reviewOf({}))).text);
    expect(response).toMatchObject({ uid: 'u1', allowed: true, warnings: ['careful'], patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(response.patch, 'base64').toString())).toEqual([{ op: 'add', path: '/x', value: 1 }]);
  });

  it('that is denied carries the message and no patch', async () => {
    serving = await serve([reviewer({ denied: 'no: "why"', patch: [{ op: 'add', path: '/x', value: 1 }] })]);
    const { response } = JSON.parse((await post(serving, '/validate', reviewOf({ uid: 'a"b' }))).text);
    expect(response).toEqual({ uid: 'a"b', allowed: false, status: { status: 'Failure', message: 'no: "why"' } });
  });

  it('is aborted in time for a response when the reviewer takes too long', async () => {
    const seen: AbortSignal[] = [];
    serving = await serve([
      {
        path: 'validate',
        review: async (_, { signal }) => {
          seen.push(signal);
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return { denied: 'too late' };
        },
      },
    ]);
    const answer = await post(serving, '/validate/fail?timeout=1s', reviewOf({}));
    expect(answer).toMatchObject({ status: 200 });
    expect(seen[0]?.aborted).toBe(true);
  });
});

describe('a review that cannot be evaluated', () => {
  const overflow = () => {
    throw new RangeError('Maximum call stack size exceeded');
  };

  it('is denied under Fail and admitted with a warning under Ignore, each with a count', async () => {
    serving = await serve([reviewer(overflow)]);
    expect(await post(serving, '/validate/fail', reviewOf({}))).toMatchObject({ status: 500 });
    const ignored = await post(serving, '/validate/ignore', reviewOf({}));
    expect(ignored.status).toBe(200);
    expect(JSON.parse(ignored.text).response).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('could not be evaluated')],
    });
    expect(await serving.metrics()).toContain('reviews_total{path="validate",outcome="failed"} 2');
  });

  it('after its deadline or with an unknown kind causes a warning under Ignore too', async () => {
    serving = await serve([
      reviewer(() => {
        throw new ReviewError('review-unknown-kind', 500, 'the cluster does not serve this kind');
      }),
    ]);
    expect(await post(serving, '/validate/fail', reviewOf({}))).toMatchObject({ status: 500 });
    const ignored = await post(serving, '/validate/ignore/shop/a', reviewOf({}));
    expect(ignored.status).toBe(200);
    expect(JSON.parse(ignored.text).response).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('could not be evaluated')],
    });
  });
});

describe('an invalid request', () => {
  it.each([
    ['no JSON', '{"kind":', 400, 'not valid JSON'],
    ['an empty body', '', 400, 'not valid JSON'],
    ['null', 'null', 400, 'not an object'],
    ['another version', reviewOf({}).replace('.io/v1"', '.io/v1beta1"'), 400, 'expected admission.k8s.io/v1'],
    ['another kind', '{"kind":"Pod","apiVersion":"v1"}', 400, 'got "v1" "Pod"'],
    ['a review without a request', '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', 400, 'request is'],
    ['a request full of nulls', reviewOf({ kind: null, resource: null, object: null }), 400, 'request.kind'],
    ['a request without uid', reviewOf({ uid: null }), 400, 'request.uid'],
    ['an unknown operation', reviewOf({ operation: 'PATCH' }), 400, 'request.operation'],
    ['JSON nested without end', `${'['.repeat(5000)}`, 400, 'not valid JSON'],
  ])('%s is refused with a line in the log and a count, and the server goes on', async (_, body, status, text) => {
    serving = await serve([reviewer()]);
    const answer = await post(serving, '/validate/fail', body);
    expect(answer).toMatchObject({ status });
    expect(answer.text).toContain(text);
    expect(serving.lines.filter((line) => line.startsWith('review rejected'))).toHaveLength(1);
    expect(await serving.metrics()).toContain('reviews_total{path="validate",outcome="refused"} 1');
    await stillAnswers(serving);
  });

  it.each([
    ['another path', '/nowhere', {}, 404],
    ['a GET', '/validate', { method: 'GET' }, 405],
    ['another content type', '/validate', { type: 'text/plain' }, 415],
  ])('%s is rejected with its status', async (_, path, options, status) => {
    serving = await serve([reviewer()]);
    expect(await post(serving, path, reviewOf({}), options)).toMatchObject({ status });
    await stillAnswers(serving);
  });

  it('of 20 MB is rejected, with and without a content-length', async () => {
    serving = await serve([reviewer()]);
    const body = Buffer.alloc(20 << 20, 0x20);
    // The server may close the connection while the body is still being sent.
    const sized = await post(serving, '/validate', body).catch(() => ({ status: 413 }));
    expect(sized.status).toBe(413);
    const untold = await sendChunked(serving, body);
    expect(untold).toMatch(/^HTTP\/1\.1 413 /);
    expect(await serving.metrics()).toContain('outcome="refused"} 2');
    await stillAnswers(serving);
  });

  it('in plain HTTP is answered in plain HTTP', async () => {
    serving = await serve([reviewer()]);
    const { port } = serving;
    const answer = await new Promise<string>((resolve, reject) => {
      plainRequest({ host: '127.0.0.1', port, path: '/validate' }, (response) => {
        let text = `${response.statusCode} `;
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
    expect(answer).toMatch(/^400 this is an HTTPS server/);
    expect(await serving.metrics()).toContain('connections_rejected_total{reason="plain-http"} 1');
    await stillAnswers(serving);
  });

  it('that is sent too slowly is aborted', async () => {
    serving = await serve([reviewer()], { headersTimeoutMs: 200, requestTimeoutMs: 300 });
    const answer = await talk(
      serving,
      'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(await serving.metrics()).toContain('connections_rejected_total{reason="timeout"} 1');
    await stillAnswers(serving);
  });

  it('of random bytes inside TLS closes only that connection', async () => {
    serving = await serve([reviewer()]);
    expect(await talk(serving, '\u0000\u0001nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    await stillAnswers(serving);
  });
});

describe('a reviewer', () => {
  it('that throws causes a failure whose message is only logged', async () => {
    let isBroken = true;
    serving = await serve([
      reviewer(() => {
        if (isBroken) throw new Error('token=secret');
        return {};
      }),
    ]);
    const answer = await post(serving, '/validate', reviewOf({}));
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(await serving.metrics()).toContain('outcome="failed"} 1');
    isBroken = false;
    await stillAnswers(serving);
  });

  it('that is not ready is not called', async () => {
    serving = await serve([{ ...reviewer(), ready: () => 'policies are not known' }]);
    const answer = await post(serving, '/validate', reviewOf({}));
    expect(answer).toMatchObject({ status: 503, text: 'not ready yet: policies are not known\n' });
  });
});

describe('a certificate', () => {
  it('is changed under load without losing a request', async () => {
    serving = await serve([reviewer()]);
    const current = serving;
    let isDone = false;
    let answered = 0;
    const work = async () => {
      for (; !isDone; answered++) await stillAnswers(current);
    };
    const clients = Promise.all(Array.from({ length: 4 }, work));
    for (let swaps = 0; swaps < 20; swaps++) {
      const before = answered;
      current.server.use(current.certificate());
      while (answered < before + 3) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    isDone = true;
    await clients;
    expect(answered).toBeGreaterThan(50);
    expect(await current.metrics()).toContain('supercargo_admission_certificate_changes_total 20');
  });
});

/** Writes raw bytes into a TLS connection and returns what is received until it is closed. */
function talk({ port, authority }: Serving, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: authority.certPem }, () => socket.write(text, 'latin1'));
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    socket.on('close', () => resolve(received));
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
  });
}

function sendChunked(current: Serving, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, authority } = current;
    const socket = connect({ host: '127.0.0.1', port, ca: authority.certPem });
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      socket.destroy();
    });
    socket.on('close', () => resolve(received));
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
    socket.write(
      'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    socket.write(`${body.length.toString(16)}\r\n`);
    socket.write(body);
  });
}
