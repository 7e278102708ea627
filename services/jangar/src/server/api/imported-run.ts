import { formatApiVersion, parseJson } from '@agents/kube'
import { ApiError } from './api-error.ts'
import type { ImportedRun } from './archived-runs.ts'
import { readTime } from './run-position.ts'
import { type AnyRun, runKinds } from './run-summary.ts'

/** Reads lines of JSON as an export has them. Throws for the first that is not a finished run in the namespace. */
export function importedRuns(text: string, namespace: string | undefined): readonly ImportedRun[] {
  return text.split('\n').flatMap((content, at) => {
    if (content.trim() === '') return []
    const line = at + 1
    const run = objectIn(content, line)
    const problem = problemOf(run, namespace)
    if (problem !== undefined) throw new ApiError('BadRequest', `line ${line}: ${problem}`)
    return [{ line, run: run as unknown as AnyRun }]
  })
}

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectIn(content: string, line: number): Fields {
  try {
    const value = parseJson(content)
    if (isFields(value)) return value
  } catch {
    // Said below: what the parser says may quote the line.
  }
  throw new ApiError('BadRequest', `line ${line} is not a JSON object`)
}

const dnsName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What of the object is not as the API server and the controllers write it, of all that the archive reads. */
function problemOf(run: Fields, only: string | undefined): string | undefined {
  const { apiVersion, kind, metadata, spec, status } = run
  const of = runKinds.find((one) => one.kind === kind)
  if (of === undefined) return 'it is not a run'
  if (apiVersion !== formatApiVersion(of)) return `a ${of.kind} has another apiVersion`
  if (!isFields(metadata) || !isFields(status)) return 'it has no metadata or no status'
  if (spec !== undefined && !isFields(spec)) return 'spec is not an object'
  const { name, namespace, uid, creationTimestamp, labels = {} } = metadata
  if (!matches(name, dnsName)) return 'metadata.name is not a name'
  if (!matches(namespace, dnsLabel)) return 'metadata.namespace is not a name'
  if (only !== undefined && namespace !== only) return `it is not in namespace ${only}`
  if (!matches(uid, uuid)) return 'metadata.uid is not one'
  if (!isTime(creationTimestamp)) return 'metadata.creationTimestamp is not a time'
  const areTexts = isFields(labels) && Object.values(labels).every((one) => typeof one === 'string')
  if (!areTexts) return 'metadata.labels are not texts'
  const { phase = '', startedAt, finishedAt, conditions = [] } = status
  if (!isTime(finishedAt)) return 'it has not finished: status.finishedAt is not a time'
  if (startedAt !== undefined && !isTime(startedAt)) return 'status.startedAt is not a time'
  if (!matches(phase, /^[A-Za-z]{0,63}$/)) return 'status.phase is not one'
  if (!Array.isArray(conditions) || !conditions.every(isCondition)) {
    return 'status.conditions are not conditions'
  }
  const refs = ['agentRef', 'toolRef', 'orchestrationRef'].map((field) => spec?.[field])
  return refs.every(isReference) ? undefined : 'a reference in spec has no name'
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && readTime(value) !== undefined
}

function isCondition(value: unknown): boolean {
  if (!isFields(value)) return false
  return ['type', 'status', 'reason', 'message'].every((field) =>
    ['string', 'undefined'].includes(typeof value[field]),
  )
}

function isReference(value: unknown): boolean {
  return value === undefined || (isFields(value) && matches(value.name ?? '', /^[^\0]{0,253}$/u))
}
