/**
 * `kyverno`: variables and conditions of policies, where a key that is not there is an error of its own kind.
 * `community`: JMESPath Community as assertion trees speak it: such a key is null; `let`, `$variables`, arithmetic,
 * slices of text, and functions of its own beside Kyverno's.
 */
export type Dialect = 'kyverno' | 'community';
