import { createHash } from 'node:crypto'
import { formatApiVersion, isAlreadyExists, isNotFound } from '@agents/kube'
import type { Caller } from './access/caller.ts'
import { ApiError } from './api-error.ts'
import type { CallerClient } from './caller-client.ts'
import { type AnyRun, runKinds } from './run-summary.ts'

export interface RunRequest {
  readonly kind?: string
  readonly namespace: string
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec: object
}

interface SubmitOptions {
  /** The idempotency key. */
  readonly key: string | undefined
  /** Whether the run is checked in full, and not created. */
  readonly dryRun?: boolean
}

interface SubmittedRun {
  readonly run: AnyRun
  /** False if an earlier request with the same key has created it, and for a dry run. */
  readonly isNew: boolean
}

/** The digest of the request that created a run, by which a repeated request is recognised. */
const digestAnnotation = 'agents.proompteng.ai/request-digest'

/**
 * Creates a run as the caller. With a key, the name of the run follows from the key, so that the API server creates it
 * once, however many control planes are asked and whenever one of them ends.
 */
export async function submitRun(
  client: CallerClient,
  caller: Caller,
  request: RunRequest,
  { key, dryRun = false }: SubmitOptions,
  signal: AbortSignal,
): Promise<SubmittedRun> {
  const { namespace, labels, annotations, spec } = request
  const kind = runKinds.find((each) => each.kind === (request.kind ?? 'AgentRun'))
  if (kind === undefined) throw new ApiError('BadRequest', `${request.kind} is not a kind of run`)
  const digest = sha256(canonical(request))
  const name =
    request.name ?? (key === undefined ? undefined : nameOf(caller.username, kind.kind, key))
  const object = {
    apiVersion: formatApiVersion(kind),
    kind: kind.kind,
    metadata: {
      namespace,
      ...(name === undefined ? { generateName: 'run-' } : { name }),
      ...(labels && { labels }),
      annotations: { ...annotations, ...(key !== undefined && { [digestAnnotation]: digest }) },
    },
    spec,
  }
  try {
    const run = await client.create(caller, kind, namespace, object, signal, { dryRun })
    return { run, isNew: !dryRun }
  } catch (error) {
    if (key === undefined || name === undefined || !isAlreadyExists(error)) throw error
  }
  const run = await client
    .get(caller, kind, { namespace, name }, signal)
    .catch((error: unknown) => {
      throw isNotFound(error)
        ? new ApiError('Conflict', 'the run was just deleted; try again')
        : error
    })
  if (run.metadata.annotations?.[digestAnnotation] === digest) return { run, isNew: false }
  throw new ApiError(
    'Conflict',
    request.name === undefined
      ? `the idempotency key was used with another body, for run ${namespace}/${name}`
      : `run ${namespace}/${name} exists, and was created by another request`,
  )
}

/** Of one caller: the keys of others do not matter. */
function nameOf(username: string, kind: string, key: string): string {
  return `run-${sha256(JSON.stringify([username, kind, key])).slice(0, 24)}`
}

/** The same text for the same content, in whatever order the fields were sent. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'bigint') return String(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`)
  return `{${fields.join(',')}}`
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
