import type { FieldError, Json } from '@agents/crd'
import { isJsonObject } from '../json/json-value.ts'
import { isTrue } from '../request/request-info.ts'
import type { DeleteOptions } from '../rest/delete-options.ts'
import { parseInteger } from '../rest/list-options.ts'
import { badRequest, invalid, quote } from '../status/api-error.ts'
import { invalidValue, unsupportedValue } from '../status/field-errors.ts'
import { dryRunErrors } from './write-options.ts'

/** Reads the options from the body if there is one, otherwise from the query. `body` is the parsed DeleteOptions. */
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
  const uid = query.get('uid') ?? ''
  const resourceVersion = query.get('resourceVersion') ?? ''
  return {
    gracePeriodSeconds: parseInteger(query.get('gracePeriodSeconds')),
    orphanDependents: query.has('orphanDependents')
      ? isTrue(query.get('orphanDependents'))
      : undefined,
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    preconditions: {
      ...(uid === '' ? {} : { uid }),
      ...(resourceVersion === '' ? {} : { resourceVersion }),
    },
    dryRun: query.getAll('dryRun').filter((value) => value !== ''),
  }
}

function fromBody(body: Json): RawOptions {
  if (!isJsonObject(body)) throw wrong(body, '', 'v1.DeleteOptions')
  const { kind } = body
  if (typeof kind === 'string' && kind !== '' && kind !== 'DeleteOptions') {
    const version = typeof body.apiVersion === 'string' ? body.apiVersion : ''
    throw badRequest(
      `no kind ${quote(kind)} is registered for version ${quote(version)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  const grace = field(body, 'gracePeriodSeconds', 'int64', Number.isInteger)
  const orphan = field(body, 'orphanDependents', 'bool', isBoolean)
  const policy = field(body, 'propagationPolicy', 'v1.DeletionPropagation', isText)
  const dryRun = field(body, 'dryRun', '[]string', isTextList)
  return {
    gracePeriodSeconds: grace as number | undefined,
    orphanDependents: orphan as boolean | undefined,
    propagationPolicy: policy as string | undefined,
    preconditions: readPreconditions(
      field(body, 'preconditions', 'v1.Preconditions', isJsonObject),
    ),
    dryRun: (dryRun as string[] | undefined) ?? [],
  }
}

function readPreconditions(value: unknown): DeleteOptions['preconditions'] {
  if (!isJsonObject(value)) return undefined
  const uid = field(value, 'uid', 'types.UID', isText, 'Preconditions')
  const resourceVersion = field(value, 'resourceVersion', 'string', isText, 'Preconditions')
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  }
}

function field(
  object: Record<string, unknown>,
  name: string,
  type: string,
  fits: (value: unknown) => boolean,
  struct = 'DeleteOptions',
): unknown {
  const value = object[name]
  if (value === undefined || value === null) return undefined
  if (!fits(value)) throw wrong(value, `${struct}.${name}`, type)
  return value
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}
function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

/** The message of Go's decoder. */
function wrong(value: unknown, where: string, type: string): Error {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  const into = where === '' ? 'Go value' : `Go struct field ${where}`
  return badRequest(`json: cannot unmarshal ${found} into ${into} of type ${type}`)
}
