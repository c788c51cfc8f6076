import type { JSX } from 'preact';
import { render } from 'preact';
import { session } from './data/app-state.ts';
import { start } from './data/start.ts';
import { ErrorNotice } from './parts/notice.tsx';
import { Shell } from './views/shell.tsx';
import { SignIn } from './views/sign-in.tsx';

function App(): JSX.Element | null {
  const state = session.value;
  if (state.kind === 'loading') return null;
  if (state.kind === 'signedOut') return <SignIn wasSignedIn={state.wasSignedIn} message={state.message} />;
  if (state.kind === 'failed')
    return (
      <main class="gate">
        <ErrorNotice error={state.error} />
      </main>
    );
  return <Shell session={state.session} />;
}

start();
render(<App />, document.querySelector('#app')!);
