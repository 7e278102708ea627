import { randomUUID } from 'node:crypto'
import type { Json } from '@agents/crd'
import type { KubeObject, OwnerReference } from '@agents/kube'
import { identityOf } from '../json/identity.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest } from '../status/api-error.ts'
import { secondsTimestamp } from './timestamps.ts'

/** Removes the fields that clients cannot set on create. */
export function wipeSystemFields(object: KubeObject): void {
  const metadata = object.metadata as KubeObject['metadata'] & { selfLink?: unknown }
  delete metadata.creationTimestamp
  delete metadata.uid
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
}

export function fillSystemFields(object: KubeObject, now: Date): void {
  object.metadata.creationTimestamp = secondsTimestamp(now)
  object.metadata.uid = randomUUID()
}

/** Sets the namespace of the request, and rejects a different one in the object. */
export function matchNamespace(object: KubeObject, requestNamespace: string): void {
  const own = object.metadata.namespace ?? ''
  if (requestNamespace === '') delete object.metadata.namespace
  else if (own === '') object.metadata.namespace = requestNamespace
  else if (own !== requestNamespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
}

export function dropDuplicateOwners(object: KubeObject, context: RequestContext): void {
  const references = object.metadata.ownerReferences
  if (references === undefined || references.length < 2) return
  const kept = new Map<string, OwnerReference>()
  const duplicates: string[] = []
  for (const reference of references) {
    const identity = identityOf(reference as unknown as Json)
    if (kept.has(identity)) duplicates.push(reference.uid)
    else kept.set(identity, reference)
  }
  if (duplicates.length === 0) return
  object.metadata.ownerReferences = [...kept.values()]
  context.warnings.push(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  )
}

/** The field manager of a request, which defaults to a part of the user agent. */
export function managerOf(context: RequestContext): string {
  if (context.fieldManager !== undefined && context.fieldManager !== '') return context.fieldManager
  const prefix = context.userAgent.split('/')[0] ?? ''
  if (/^[ -~]{0,128}$/.test(prefix)) return prefix
  let manager = ''
  for (const character of prefix) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) continue
    if (Buffer.byteLength(manager + character) > 128) break
    manager += character
  }
  return manager
}
