import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { signInWith } from '../data/session.ts';
import { visibleText } from '../model/visible-text.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark } from './shell.tsx';

export function SignIn({ wasSignedIn, message }: { wasSignedIn: boolean; message?: string | undefined }): JSX.Element {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState(message);
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    const failure = await signInWith(token.trim());
    setBusy(false);
    setProblem(failure);
  };
  return (
    <main class="gate">
      <form
        class="gate-card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <span class="gate-mark">
          <Mark size={32} />
        </span>
        <h1>{wasSignedIn ? 'Your session has ended' : 'Sign in to Supercargo'}</h1>
        <p>
          You see what your token may list in the cluster. Easier: run <code>supercargo dashboard</code>, which uses
          your kubeconfig.
        </p>
        <label>
          <span>Bearer token</span>
          <input
            type="password"
            name="token"
            required
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
            aria-describedby="sign-in-problem"
          />
        </label>
        <p id="sign-in-problem" class="bad-text" role="alert">
          {problem !== undefined && (
            <>
              <Icon name="alert" size={14} /> {visibleText(problem)}
            </>
          )}
        </p>
        <button type="submit" class="button primary" disabled={isBusy || token.trim() === ''}>
          {isBusy ? 'Signing in' : 'Sign in'}
        </button>
        <p class="faint">
          For example: <code>kubectl create token my-account</code>
        </p>
      </form>
    </main>
  );
}
