// npm run check: the single gate. Format, lint and types, then all tests, including architecture and generated files.
await import('./lint.mjs');
await import('./test.mjs');
