import type { Json, JsonObject } from '../../../src/base/index.ts';

/** One question to both engines: policies on resources, and what stands around them. */
export interface PolicyCase {
  readonly name: string;
  readonly policies: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly targets?: readonly JsonObject[];
  readonly sources?: readonly JsonObject[];
  readonly cluster?: readonly JsonObject[];
  readonly exceptions?: readonly JsonObject[];
  readonly values?: JsonObject;
  readonly userInfo?: JsonObject;
}

/** What one rule said of one resource. */
export interface RuleAnswer {
  readonly policy: string;
  readonly rule: string;
  readonly resource: string;
  readonly status: string;
  readonly message: string;
  readonly patched?: Json;
  readonly target?: Json;
  readonly generated?: readonly Json[];
}

export interface CaseAnswer {
  /** The whole case could not be evaluated. */
  readonly error?: string;
  /** Policies that nobody should run, by name. */
  readonly invalid?: Readonly<Record<string, string>>;
  readonly results?: readonly RuleAnswer[];
}
