/** Messages of exceptions that are bugs in the engine; none of its own errors match. */
export const stumbled =
  /Cannot read prop|is not a function|is not iterable|not defined|undefined \(|Maximum call stack|Invalid (array|string) length|Cannot convert|Reduce of empty|toString|Cannot mix BigInt|out of memory/;
