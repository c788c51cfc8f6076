/**
 * The foundation of all other folders: errors, logging, time, retries, limits, JSON and YAML, and Go's formats of
 * times, durations and letters, which several languages here share. Nothing here is about Kubernetes, images or
 * policies, and it imports no other folder.
 */

export { type LinkedAbort, linkAbort, onAbort, orAborted, whenAborted } from './abort.ts';
export {
  type AddressClass,
  AddressError,
  type AddressPolicy,
  checkHost,
  classifyAddress,
  forbiddenAddress,
  guardedLookup,
  isAllowedAddress,
  isLoopbackOrigin,
  type Resolve,
} from './address-filter.ts';
export { addressFamily, parseAddressRange } from './address-range.ts';
export {
  type AuthorityOptions,
  type CertificateOptions,
  certificateBackdateMs,
  createAuthority,
  issueCertificate,
  type KeyPair,
} from './certificate.ts';
export { type Clock, rfc3339, rfc3339Micro, systemClock } from './clock.ts';
export { closestName } from './closest-name.ts';
export { CronError, type CronSchedule, parseCron } from './cron.ts';
export {
  errorCode,
  errorMessage,
  isAbort,
  type Retry,
  retryOf,
  SupercargoError,
  UsageError,
} from './errors.ts';
export { createBusyLoopBackoff, createTimeSlice } from './event-loop.ts';
export { DurationError, parseDuration, parseDurationMs, renderDuration } from './go/duration.ts';
export { isAscii, toLower, toUpper } from './go/letter-case.ts';
export { cleanPath } from './go/path.ts';
export { escapeGo, isPrintable, quoteGo } from './go/quote.ts';
export { expandTemplate } from './go/regex-template.ts';
export { type LayoutPart, parseLayout } from './go/time-layout.ts';
export { type ParsedTime, parseTime, rfc3339Layout, TimeError } from './go/time-parse.ts';
export {
  findDuplicateKeys,
  isJsonObject,
  isStackOverflow,
  type Json,
  type JsonObject,
  maxJsonDepth,
  parseJson,
  renderJson,
} from './json.ts';
export { JsonError } from './json-error.ts';
export { lazy } from './lazy.ts';
export { createLimiter, type Limiter, mapConcurrent } from './limiter.ts';
export {
  createLogger,
  type Fields,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  logFormats,
  logLevels,
  silentLogger,
} from './log.ts';
export { andThen, type MaybePromise } from './maybe-promise.ts';
export { assignOwn, getOwn, setOwn } from './own.ts';
export { isProcessRunning, processStartTime } from './process-state.ts';
export { type BackoffOptions, backoffMs, type RetryOptions, retry } from './retry.ts';
export { parseRetryAfter } from './retry-after.ts';
export { compareVersions, parseStrictVersion, parseVersion, SemverError, type Version } from './semver.ts';
export { parseVersionRange, type VersionRange } from './semver-range.ts';
export { serverCiphers } from './server-ciphers.ts';
export { lowerThreadPriority } from './thread-priority.ts';
export { openZipEntry, readZipEntry, ZipError } from './unzip.ts';
export { maxYamlBytes, parseYaml, parseYamlDocuments, type YamlOptions } from './yaml.ts';
export type { YamlDocument } from './yaml-build.ts';
export { YamlError } from './yaml-error.ts';
export { lineAt, locateYaml, type YamlPlace } from './yaml-places.ts';
export { type RenderYamlOptions, renderYaml } from './yaml-render.ts';
