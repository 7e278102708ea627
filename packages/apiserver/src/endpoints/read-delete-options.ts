import type { FieldError, Json } from '@agents/crd'
import type { DeleteOptions } from '../rest/delete-options.ts'
import { invalidValue, unsupportedValue } from '../rest/field-errors.ts'
import { isJsonObject } from '../rest/json-value.ts'
import { parseInteger } from '../rest/list-options.ts'
import { badRequest, invalid } from './api-error.ts'
import { isTrue } from './request-info.ts'
import { dryRunErrors } from './write-options.ts'

/** From the body when there is one, else from the query. `body` is a parsed DeleteOptions or undefined. */
export function readDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const raw = body === undefined ? fromQuery(query) : fromBody(body)
  const errors: FieldError[] = []
  if (raw.orphanDependents !== undefined && raw.propagationPolicy !== undefined) {
    errors.push(
      invalidValue(
        'propagationPolicy',
        raw.propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    )
  }
  const policy = raw.propagationPolicy
  if (policy !== undefined && !isPolicy(policy)) {
    errors.push(
      unsupportedValue('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']),
    )
  }
  errors.push(...dryRunErrors(raw.dryRun))
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  return {
    dryRun: raw.dryRun.length > 0,
    ...(raw.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: raw.gracePeriodSeconds }),
    ...(raw.orphanDependents === undefined ? {} : { orphanDependents: raw.orphanDependents }),
    ...(policy !== undefined && isPolicy(policy) ? { propagationPolicy: policy } : {}),
    ...(raw.preconditions === undefined ? {} : { preconditions: raw.preconditions }),
  }
}

interface RawOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly orphanDependents: boolean | undefined
  readonly propagationPolicy: string | undefined
  readonly preconditions: DeleteOptions['preconditions']
  readonly dryRun: readonly string[]
}

function isPolicy(text: string): text is 'Foreground' | 'Background' | 'Orphan' {
  return text === 'Foreground' || text === 'Background' || text === 'Orphan'
}

function fromQuery(query: URLSearchParams): RawOptions {
  const uid = query.get('preconditions.uid')
  return {
    gracePeriodSeconds: parseInteger(query.get('gracePeriodSeconds')),
    orphanDependents: query.has('orphanDependents')
      ? isTrue(query.get('orphanDependents'))
      : undefined,
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    preconditions: uid === null ? undefined : { uid },
    dryRun: query.getAll('dryRun').filter((value) => value !== ''),
  }
}

function fromBody(body: Json): RawOptions {
  if (!isJsonObject(body)) throw wrong('a DeleteOptions object')
  const { kind, gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions, dryRun } =
    body
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw badRequest('decoded object cannot be converted to DeleteOptions')
  }
  if (!isAbsent(gracePeriodSeconds) && !Number.isInteger(gracePeriodSeconds)) {
    throw wrong('gracePeriodSeconds of type int64')
  }
  if (!isAbsent(orphanDependents) && typeof orphanDependents !== 'boolean') {
    throw wrong('orphanDependents of type bool')
  }
  if (!isAbsent(propagationPolicy) && typeof propagationPolicy !== 'string') {
    throw wrong('propagationPolicy of type string')
  }
  if (
    !isAbsent(dryRun) &&
    !(Array.isArray(dryRun) && dryRun.every((one) => typeof one === 'string'))
  ) {
    throw wrong('dryRun of type []string')
  }
  return {
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    orphanDependents: typeof orphanDependents === 'boolean' ? orphanDependents : undefined,
    propagationPolicy: typeof propagationPolicy === 'string' ? propagationPolicy : undefined,
    preconditions: readPreconditions(preconditions),
    dryRun: Array.isArray(dryRun) ? dryRun.map(String) : [],
  }
}

function readPreconditions(value: unknown): DeleteOptions['preconditions'] {
  if (isAbsent(value)) return undefined
  if (!isJsonObject(value)) throw wrong('preconditions of type v1.Preconditions')
  const { uid, resourceVersion } = value
  if (!isAbsent(uid) && typeof uid !== 'string') throw wrong('preconditions.uid of type types.UID')
  if (!isAbsent(resourceVersion) && typeof resourceVersion !== 'string') {
    throw wrong('preconditions.resourceVersion of type string')
  }
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  }
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function wrong(expected: string): Error {
  return badRequest(`json: cannot unmarshal the body: expected ${expected}`)
}
