import { randomUUID } from 'node:crypto'
import { type KubeObject, parseApiVersion } from '@agents/kube'
import type { BoundObject, ServiceAccountTokens } from '../../auth/tokens/service-account-token.ts'
import { isJsonObject } from '../../json/json-value.ts'
import { secondsTimestamp } from '../../metadata/timestamps.ts'
import type { ActionRequest } from '../../registry/resource.ts'
import { badRequest, conflict, invalid, notFound } from '../../status/api-error.ts'
import { invalidValue } from '../../status/field-errors.ts'
import type { Store } from '../../store/store.ts'
import { type Fields, number, part, text, texts } from '../fields.ts'

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' }
const minimumSeconds = 600

/** Handles POST to `serviceaccounts/<name>/token`. */
export function requestToken(
  tokens: ServiceAccountTokens,
  store: Store,
): (request: ActionRequest) => Promise<KubeObject> {
  return async ({ resource, namespace, name, body, context }) => {
    const account = store.get(`${resource.storagePrefix}${namespace}/${name}`)
    if (account === undefined) throw notFound(resource, name)
    const spec = part(body as KubeObject & Fields, 'spec')
    const seconds = number(spec, 'expirationSeconds') ?? 3600
    if (seconds < minimumSeconds) {
      throw invalid(kind, '', [
        invalidValue(
          'spec.expirationSeconds',
          seconds,
          'may not specify a duration less than 10 minutes',
        ),
      ])
    }
    const audiences = texts(spec, 'audiences')
    const granted = audiences.length === 0 ? [tokens.issuer] : audiences
    const bound = isJsonObject(spec.boundObjectRef)
      ? boundObject(store, namespace, spec.boundObjectRef)
      : undefined
    const { token, expiresAt } = tokens.issue(
      {
        namespace,
        name,
        uid: account.value.metadata.uid ?? '',
        ...(bound === undefined ? {} : { bound }),
      },
      { audiences: granted, seconds, now: context.now },
    )
    return {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {
        name,
        namespace,
        uid: randomUUID(),
        creationTimestamp: secondsTimestamp(context.now),
      },
      spec: {
        audiences: granted,
        expirationSeconds: seconds,
        boundObjectRef: spec.boundObjectRef ?? null,
      },
      status: { token, expirationTimestamp: secondsTimestamp(expiresAt) },
    }
  }
}

const boundKinds = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const

function boundObject(store: Store, namespace: string, reference: Fields): BoundObject {
  const boundKind = text(reference, 'kind')
  if (boundKind !== 'Pod' && boundKind !== 'Secret' && boundKind !== 'Node') {
    const { group, version } = parseApiVersion(text(reference, 'apiVersion'))
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${boundKind}`)
  }
  const plural = boundKinds[boundKind]
  const name = text(reference, 'name')
  const place = boundKind === 'Node' ? '' : `${namespace}/`
  const found = store.get(`/core/${plural}/${place}${name}`)
  if (found === undefined) throw notFound({ group: '', plural }, name)
  const uid = found.value.metadata.uid ?? ''
  const wanted = text(reference, 'uid')
  if (wanted !== '' && wanted !== uid) {
    throw conflict(
      { group: '', plural },
      name,
      `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  }
  return { kind: boundKind, name, uid }
}
