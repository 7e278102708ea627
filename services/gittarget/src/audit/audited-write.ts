import { parseJson } from '@agents/kube'
import type { RequestedObject } from '../mirror/authors/change-authors.ts'

const writeVerbs = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const

/** A write that an API server carried out, as its audit event describes it. */
export interface AuditedWrite {
  /** The name is empty if the request was for a collection. */
  readonly object: RequestedObject
  /** Empty for the object itself. */
  readonly subresource: string
  readonly verb: (typeof writeVerbs)[number]
  /** The user that the API server authenticated, or whom that user impersonated. */
  readonly user: string
  /** The field manager that the API server derives from the request; empty if the request has none. */
  readonly manager: string
  readonly receivedMs: number
  readonly completedMs: number
  /** The resource version that the request was conditional on. */
  readonly previousVersion: string | undefined
  /** The resource version of the answer; audit events contain it only at the level RequestResponse. */
  readonly resourceVersion: string | undefined
}

/** The text can be shown to the sender. */
export class InvalidAuditBatch extends Error {}

/** The API server sends 400 by default. */
const mostEvents = 10_000

/** Longer than any name of the Kubernetes API. */
const longestName = 253
const longestUser = 1024

/**
 * The writes in an EventList of audit.k8s.io/v1. Events of other requests, and of requests that wrote nothing, are left
 * out. Throws InvalidAuditBatch if it is not such a list.
 */
export function readAuditBatch(body: Buffer): AuditedWrite[] {
  const list = parse(body)
  if (list.kind !== 'EventList' || list.apiVersion !== 'audit.k8s.io/v1') {
    throw new InvalidAuditBatch('the body must be an EventList of audit.k8s.io/v1')
  }
  const { items } = list
  if (!Array.isArray(items)) throw new InvalidAuditBatch('items must be a list')
  if (items.length > mostEvents) {
    throw new InvalidAuditBatch(`a batch may have at most ${mostEvents} events`)
  }
  return items.flatMap((item: unknown, index) => {
    if (!isRecord(item)) throw new InvalidAuditBatch(`items[${index}] must be an object`)
    return readEvent(item) ?? []
  })
}

type JsonRecord = Readonly<Record<string, unknown>>

function parse(body: Buffer): JsonRecord {
  let value: unknown
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new InvalidAuditBatch('the body must be JSON', { cause })
  }
  if (!isRecord(value)) throw new InvalidAuditBatch('the body must be an object')
  return value
}

function readEvent(event: JsonRecord): AuditedWrite | undefined {
  const verb = writeVerbs.find((one) => one === event.verb)
  if (verb === undefined || event.stage !== 'ResponseComplete' || !hasSucceeded(event)) {
    return undefined
  }
  const uri = URL.parse(textOf(event.requestURI), 'http://localhost')
  if (uri?.searchParams.has('dryRun')) return undefined
  const reference = recordOf(event.objectRef)
  const answered = recordOf(recordOf(event.responseObject).metadata)
  const object = objectOf(reference, answered, verb)
  const user = userOf(event)
  const receivedMs = Date.parse(textOf(event.requestReceivedTimestamp))
  const completedMs = Date.parse(textOf(event.stageTimestamp))
  if (object === undefined || user === '' || !(receivedMs <= completedMs)) return undefined
  return {
    object,
    subresource: textOf(reference.subresource),
    verb,
    user,
    manager: uri?.searchParams.get('fieldManager') || managerOf(textOf(event.userAgent)),
    receivedMs,
    completedMs,
    previousVersion: textOf(reference.resourceVersion) || undefined,
    resourceVersion: textOf(answered.resourceVersion) || undefined,
  }
}

function hasSucceeded({ responseStatus }: JsonRecord): boolean {
  const { code } = recordOf(responseStatus)
  return typeof code === 'number' && code >= 200 && code < 300
}

function objectOf(
  { apiGroup, resource, namespace, name }: JsonRecord,
  answered: JsonRecord,
  verb: AuditedWrite['verb'],
): RequestedObject | undefined {
  const object = {
    group: textOf(apiGroup),
    resource: textOf(resource),
    namespace: textOf(namespace),
    // A name that the API server generated is only in its answer.
    name: verb === 'deletecollection' ? '' : textOf(name) || textOf(answered.name),
  }
  const isNamed = object.name !== '' || verb === 'deletecollection'
  const isShort = Object.values(object).every((text) => text.length <= longestName)
  return isNamed && isShort && object.resource !== '' ? object : undefined
}

function userOf({ user, impersonatedUser }: JsonRecord): string {
  const { username } = recordOf(impersonatedUser ?? user)
  return textOf(username).slice(0, longestUser)
}

/** As kube-apiserver derives it: the printable characters before the first slash, at most 128 bytes. */
function managerOf(userAgent: string): string {
  let manager = ''
  for (const character of userAgent.split('/', 1)[0] ?? '') {
    if (/\p{C}|\p{Zl}|\p{Zp}/u.test(character)) continue
    if (Buffer.byteLength(manager + character) > 128) break
    manager += character
  }
  return manager
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
