import {
  anyObject,
  type DocumentProblem,
  flag,
  listOf,
  mapOf,
  type ReadBy,
  type Reader,
  readDocument,
  settings,
  someText,
  text,
  wholeNumber,
} from '../../../../reader/reader.ts'
import { podSecurity } from '../../../primitives-policy/pod-security-settings.ts'
import { tolerationProblem } from '../../../primitives-policy/tolerations.ts'
import { type Found, found, refused } from './problem.ts'
import type { Refused } from './resolution.ts'

/** The maximum that Kubernetes and the runner allow. */
const count = wholeNumber(0, 2 ** 31 - 1)

/** Like a reference in a pod spec, or the name alone. */
const secretName: Reader<string> = {
  read(value, path, problems) {
    const given =
      typeof value === 'object' && value !== null && 'name' in value ? value.name : value
    if (typeof given === 'string' && given !== '') return given
    problems.push({ path, message: 'must be a name or {name: NAME}' })
    return ''
  },
}

/** What `spec.runtime.config` of a run may set for its Jobs. If omitted, the platform's settings apply. */
const runtimeSettings = settings({
  serviceAccount: someText,
  automountServiceAccountToken: flag,
  nodeSelector: mapOf(text),
  tolerations: listOf(anyObject),
  affinity: anyObject,
  topologySpreadConstraints: listOf(anyObject),
  podSecurityContext: podSecurity,
  imagePullSecrets: listOf(secretName),
  priorityClassName: someText,
  schedulerName: someText,
  backoffLimit: count,
  /** TTL of the Job after its outcome is recorded. Applied by the caller. */
  ttlSecondsAfterFinished: count,
  logRetentionSeconds: count,
})

export type RuntimeSettings = ReadBy<typeof runtimeSettings>

/** Reports the first problem only: a run may have any number of them. */
export function readRuntimeSettings(
  config: Readonly<Record<string, unknown>> = {},
): Found<RuntimeSettings> {
  const read = readDocument(runtimeSettings, config)
  if (!read.ok) return invalid(messageOf(read.problems[0]))
  const tolerated = tolerationProblem(read.value.tolerations)
  return tolerated === undefined ? found(read.value) : invalid(tolerated)
}

function messageOf({ path, message }: DocumentProblem): string {
  const isOfPlatform = path.startsWith('podSecurityContext.')
  const advice = '; only JANGAR_AGENT_RUNNER_POD_SECURITY_CONTEXT can set anything else'
  return `${path} ${message}${isOfPlatform ? advice : ''}`
}

function invalid(problem: string): Refused {
  return refused('InvalidRuntimeConfig', `runtime.config.${problem}`)
}
