import {
  type PodSecuritySettings,
  readPodSecurity,
} from '../../../primitives-policy/pod-security-settings.ts'
import { tolerationProblem } from '../../../primitives-policy/tolerations.ts'
import type { Found } from './problem.ts'
import { refused } from './problem.ts'
import type { Refused } from './resolution.ts'

/** What `spec.runtime.config` of a run may set for its Jobs. If omitted, the platform's settings apply. */
export interface RuntimeSettings {
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly tolerations?: readonly JsonObject[]
  readonly affinity?: JsonObject
  readonly topologySpreadConstraints?: readonly JsonObject[]
  readonly podSecurityContext?: PodSecuritySettings
  readonly imagePullSecrets?: readonly string[]
  readonly priorityClassName?: string
  readonly schedulerName?: string
  readonly backoffLimit?: number
  /** TTL of the Job after its outcome is recorded. Applied by the caller. */
  readonly ttlSecondsAfterFinished?: number
  readonly logRetentionSeconds?: number
}

type JsonObject = Readonly<Record<string, unknown>>

/** Parses a value. Undefined if it is invalid. */
type Read<T> = (value: unknown) => T | undefined

interface Setting<T> {
  readonly expected: string
  readonly read: Read<T>
}

const text: Setting<string> = {
  expected: 'a text',
  read: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
}
const flag: Setting<boolean> = {
  expected: 'true or false',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
}
const count: Setting<number> = {
  expected: 'a whole number, 0 or more',
  read: (value) => (Number.isInteger(value) && Number(value) >= 0 ? Number(value) : undefined),
}
const object: Setting<JsonObject> = {
  expected: 'an object',
  read: (value) => (isObject(value) ? value : undefined),
}
const texts: Setting<Readonly<Record<string, string>>> = {
  expected: 'a map of strings',
  read: (value) => {
    const isFine = isObject(value) && Object.values(value).every((one) => typeof one === 'string')
    return isFine ? (value as Record<string, string>) : undefined
  },
}
const objects: Setting<readonly JsonObject[]> = {
  expected: 'a list of objects',
  read: (value) => (Array.isArray(value) && value.every(isObject) ? value : undefined),
}
/** Entries are names, or objects `{ name: x }` as in a pod spec. */
const names: Setting<readonly string[]> = {
  expected: 'a list of names',
  read: (value) => {
    if (!Array.isArray(value)) return undefined
    const read = value.map((one: unknown) => text.read(isObject(one) ? one.name : one))
    return read.every((name) => name !== undefined) ? read : undefined
  },
}

/** `readPodSecurity` validates the fields afterwards, with a message for each. */
const podSecurity: Setting<PodSecuritySettings> = {
  expected: 'an object',
  read: (value) => (isObject(value) ? value : undefined),
}

const settings: {
  readonly [Name in keyof RuntimeSettings]-?: Setting<NonNullable<RuntimeSettings[Name]>>
} = {
  serviceAccount: text,
  automountServiceAccountToken: flag,
  nodeSelector: texts,
  tolerations: objects,
  affinity: object,
  topologySpreadConstraints: objects,
  podSecurityContext: podSecurity,
  imagePullSecrets: names,
  priorityClassName: text,
  schedulerName: text,
  backoffLimit: count,
  ttlSecondsAfterFinished: count,
  logRetentionSeconds: count,
}

/** Unknown settings, null and wrong types are errors: a misspelled setting would silently keep its default. */
export function readRuntimeSettings(
  config: Readonly<Record<string, unknown>> = {},
): Found<RuntimeSettings> {
  const read: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(config)) {
    const setting = Object.hasOwn(settings, name)
      ? settings[name as keyof RuntimeSettings]
      : undefined
    if (setting === undefined) {
      return invalid(name, `is not supported; use one of ${Object.keys(settings).join(', ')}`)
    }
    const value = setting.read(given)
    if (value === undefined) return invalid(name, `must be ${setting.expected}`)
    read[name] = value
  }
  const { podSecurityContext, tolerations } = read as RuntimeSettings
  const tolerated = tolerationProblem(tolerations)
  if (tolerated !== undefined) {
    return refused('InvalidRuntimeConfig', `runtime.config.${tolerated}`)
  }
  if (podSecurityContext === undefined) return { kind: 'found', value: read }
  const security = readPodSecurity(podSecurityContext)
  if (security.ok) {
    return { kind: 'found', value: { ...read, podSecurityContext: security.settings } }
  }
  return invalid(
    `podSecurityContext.${security.field}`,
    `must be ${security.expected}; only JANGAR_AGENT_RUNNER_POD_SECURITY_CONTEXT can set anything else`,
  )
}

function invalid(setting: string, problem: string): Refused {
  return refused('InvalidRuntimeConfig', `runtime.config.${setting} ${problem}`)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
