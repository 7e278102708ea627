import {
  byKubelet,
  type ReadResults,
  shownText,
  systemReasonOf,
} from '../../jobs/attempt-results.ts'
import { endOfWork, wasEvicted } from '../../jobs/pod-state.ts'
import { readOutputs } from './tool-outputs.ts'

/**
 * Reads what the program of a tool left. If it succeeded, its termination message holds its outputs; if it failed,
 * perhaps why.
 */
export const toolResults: ReadResults = (pod, output) => {
  const end = endOfWork(pod)
  const message = end?.message ?? ''
  const systemReason = systemReasonOf(pod, end)
  const hasSucceeded = end?.exitCode === 0
  const text = hasSucceeded ? undefined : shownText(message, output) || byKubelet(pod)
  return {
    ...(end && { exitCode: end.exitCode }),
    ...(text && { text }),
    ...(systemReason && { systemReason }),
    isEvicted: wasEvicted(pod),
    ...(hasSucceeded && readOutputs(message, output)),
  }
}
