// npm run check: the one gate. Format, lint and types, then all tests (architecture and generated files among them).
await import('./lint.mjs');
await import('./test.mjs');
