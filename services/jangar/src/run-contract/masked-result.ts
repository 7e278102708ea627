import { mapText } from './map-text.ts'
import type { RunResult } from './run-result.ts'
import { hiddenNotice, type SecretMask } from './secrets/secret-mask.ts'
import { maskedUsage } from './usage.ts'

/**
 * The result with secrets masked. What the runner itself decided stays as it is, so that the outcome of a run is
 * recorded even if a Secret holds a word such as `succeeded`.
 */
export function maskedResult(result: RunResult, mask: SecretMask): RunResult {
  const { outcome, reason, exitCode, startedAt, finishedAt, usage, outputs } = result
  return {
    ...mapText(result, mask),
    outcome,
    reason,
    exitCode,
    startedAt,
    finishedAt,
    ...(usage !== undefined && { usage: maskedUsage(usage, mask) }),
    ...(outputs !== undefined && { outputs: maskedOutputs(outputs, mask) }),
    ...(mask.hidesAll && { message: hiddenNotice, artifacts: [], missingArtifacts: [] }),
  }
}

/** Names of outputs are chosen by the program, as their values are. */
export function maskedOutputs(
  outputs: Readonly<Record<string, string>>,
  mask: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [mask(name), mask(value)]),
  )
}
