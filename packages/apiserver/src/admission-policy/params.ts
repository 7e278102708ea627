import { type KubeObject, parseApiVersion } from '@agents/kube'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import { listPrefix, objectKey } from '../rest/environment.ts'
import { responseEntry } from '../rest/response-object.ts'
import { selectsLabels } from '../selector/label-selector-object.ts'
import type { Store } from '../store/store.ts'
import type { ParamKind, ParamRef } from './policy-objects.ts'

/** A policy or binding is misconfigured, which is detected when a request is evaluated. */
export class ConfigurationError extends Error {}

/** Finds the resource of a param kind. Throws a ConfigurationError if it is not served. */
export function paramResource(registry: Registry, paramKind: ParamKind): Resource {
  const found = resourceOfKind(registry, paramKind)
  if (found !== undefined) return found
  const { group, version } = parseApiVersion(paramKind.apiVersion)
  throw new ConfigurationError(
    `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${paramKind.kind}'`,
  )
}

export function resourceOfKind(
  registry: Registry,
  { apiVersion, kind }: ParamKind,
): Resource | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  return registry
    .all()
    .find((one) => one.group === group && one.version === version && one.kind === kind)
}

/**
 * Finds the params of a binding, with each of which its policy is evaluated. `[undefined]` if the binding has no
 * paramRef: the policy is then evaluated once without params. With an empty list the policy is not evaluated.
 */
export function collectParams(
  store: Store,
  resource: Resource | undefined,
  paramRef: ParamRef | undefined,
  requestNamespace: string,
): (KubeObject | undefined)[] {
  if (resource === undefined || paramRef === undefined) return [undefined]
  const found = findParams(store, resource, paramRef, requestNamespace)
  if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    )
  }
  return found
}

function findParams(
  store: Store,
  resource: Resource,
  { name = '', namespace: fixed = '', selector }: ParamRef,
  requestNamespace: string,
): KubeObject[] {
  const namespace = fixed === '' ? requestNamespace : fixed
  if (resource.namespaced && namespace === '') {
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    )
  }
  if (!resource.namespaced && fixed !== '') {
    throw new ConfigurationError(
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    )
  }
  if (name !== '') {
    const entry = store.get(objectKey(resource, namespace, name))
    return entry === undefined ? [] : [responseEntry(resource, entry).value]
  }
  return store
    .list(listPrefix(resource, namespace))
    .entries.map((entry) => responseEntry(resource, entry).value)
    .filter(({ metadata }) => selectsLabels(selector ?? {}, metadata.labels ?? {}))
}
