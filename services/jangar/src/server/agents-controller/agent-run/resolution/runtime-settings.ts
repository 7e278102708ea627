import type { Found } from './problem.ts'
import { refused } from './problem.ts'

/** What `spec.runtime.config` of a run may say about its Jobs. What it leaves out, the platform's settings say. */
export interface RuntimeSettings {
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly tolerations?: readonly JsonObject[]
  readonly affinity?: JsonObject
  readonly topologySpreadConstraints?: readonly JsonObject[]
  readonly podSecurityContext?: JsonObject
  readonly imagePullSecrets?: readonly string[]
  readonly priorityClassName?: string
  readonly schedulerName?: string
  readonly backoffLimit?: number
  /** Of the Job, once its outcome is recorded; for the caller. */
  readonly ttlSecondsAfterFinished?: number
  readonly logRetentionSeconds?: number
}

type JsonObject = Readonly<Record<string, unknown>>

/** The value as its setting wants it; undefined when it cannot be that. */
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
  expected: 'a whole number from 0 on',
  read: (value) => (Number.isInteger(value) && Number(value) >= 0 ? Number(value) : undefined),
}
const object: Setting<JsonObject> = {
  expected: 'an object',
  read: (value) => (isObject(value) ? value : undefined),
}
const texts: Setting<Readonly<Record<string, string>>> = {
  expected: 'texts by name',
  read: (value) => {
    const isFine = isObject(value) && Object.values(value).every((one) => typeof one === 'string')
    return isFine ? (value as Record<string, string>) : undefined
  },
}
const objects: Setting<readonly JsonObject[]> = {
  expected: 'a list of objects',
  read: (value) => (Array.isArray(value) && value.every(isObject) ? value : undefined),
}
/** As in a pod's spec, `{ name: x }`, or the bare name. */
const names: Setting<readonly string[]> = {
  expected: 'a list of names',
  read: (value) => {
    if (!Array.isArray(value)) return undefined
    const read = value.map((one: unknown) => text.read(isObject(one) ? one.name : one))
    return read.every((name) => name !== undefined) ? read : undefined
  },
}

const SETTINGS: {
  readonly [Name in keyof RuntimeSettings]-?: Setting<NonNullable<RuntimeSettings[Name]>>
} = {
  serviceAccount: text,
  automountServiceAccountToken: flag,
  nodeSelector: texts,
  tolerations: objects,
  affinity: object,
  topologySpreadConstraints: objects,
  podSecurityContext: object,
  imagePullSecrets: names,
  priorityClassName: text,
  schedulerName: text,
  backoffLimit: count,
  ttlSecondsAfterFinished: count,
  logRetentionSeconds: count,
}

/** Members that no Job has a use for are left alone: they may be meant for somebody else. */
export function readRuntimeSettings(
  config: Readonly<Record<string, unknown>> = {},
): Found<RuntimeSettings> {
  const read: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const given = config[name]
    if (given === undefined || given === null) continue
    const value = setting.read(given)
    if (value === undefined) {
      return refused('InvalidRuntimeConfig', `runtime.config.${name} must be ${setting.expected}`)
    }
    read[name] = value
  }
  return { kind: 'found', value: read }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
