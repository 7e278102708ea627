import type { KubeObject } from '@agents/kube'
import { parseApiVersion } from '@agents/kube'
import {
  ApiError,
  alreadyExists,
  forbidden,
  type GroupKind,
  generatedNameConflict,
  invalid,
  notFound,
} from '../endpoints/api-error.ts'
import { copyJson } from '../json/json-value.ts'
import type { Resource } from '../registry/resource.ts'
import type { Entry, Store } from '../store/store.ts'
import type { AdmissionAttributes } from './admission.ts'
import { objectKey, type RestEnvironment, type Target } from './environment.ts'
import { generateName, generateNameAttempts } from './generate-name.ts'
import { subdomainName } from './name-rules.ts'
import type { RequestContext } from './request-context.ts'
import { type Shown, shownEntry, shownValue } from './shown.ts'
import {
  dropDuplicateOwners,
  fillSystemFields,
  managerOf,
  matchNamespace,
  wipeSystemFields,
} from './system-metadata.ts'
import { validateMetadata } from './validate-metadata.ts'

/** Creates an object from a decoded, pruned and defaulted body, which it takes over and changes. */
export async function createObject(
  environment: RestEnvironment,
  target: Target,
  body: KubeObject,
  context: RequestContext,
): Promise<Shown> {
  const { resource } = target
  wipeSystemFields(body)
  matchNamespace(body, resource.namespaced ? target.namespace : '')
  dropDuplicateOwners(body, context)
  if ((body.metadata.resourceVersion ?? '') !== '') {
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
  }
  const managed =
    environment.fieldManager?.onUpdate({
      resource,
      strategy: target.strategy,
      subresource: target.subresource,
      live: undefined,
      next: body,
      manager: managerOf(context),
      now: context.now,
    }) ?? body

  const generated =
    (managed.metadata.name ?? '') === '' && (managed.metadata.generateName ?? '') !== ''
  for (let attempt = 1; ; attempt++) {
    // The rules of the kind may change the object, so a second attempt starts from the same one.
    const object = generated && attempt < generateNameAttempts ? copyJson(managed) : managed
    if (generated) object.metadata.name = generateName(managed.metadata.generateName ?? '')
    prepareNew(environment, target, object, context)
    try {
      return await insert(environment.store, target, object, context)
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists' || !generated)
        throw error
      if (attempt === generateNameAttempts) {
        throw generatedNameConflict(resource, object.metadata.name)
      }
    }
  }
}

/** Admission, the rules of the kind and validation for an object that does not exist yet. Changes `object`. */
export function prepareNew(
  environment: RestEnvironment,
  target: Target,
  object: KubeObject,
  context: RequestContext,
): void {
  const { resource, strategy } = target
  if (resource.isTerminating === true) {
    const why = 'create not allowed while custom resource definition is terminating'
    throw forbidden(resource, object.metadata.name ?? '', why)
  }
  checkNamespace(environment, target, object)
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource,
    subresource: target.subresource,
    namespace: target.namespace,
    name: object.metadata.name ?? '',
    object,
    old: undefined,
    context,
  }
  environment.admission.admit(attributes)
  fillSystemFields(object, context.now)
  strategy.prepareForCreate(object, context)
  const errors = [
    ...validateMetadata(
      object,
      resource.namespaced,
      (name, prefix) => strategy.nameRule?.(name, prefix) ?? subdomainName(name, prefix),
    ),
    ...strategy.validate(object, context),
  ]
  if (errors.length > 0) throw invalid(kindOf(resource, object), object.metadata.name ?? '', errors)
  context.warnings.push(...(strategy.warnings?.(object, undefined) ?? []))
  environment.admission.validate(attributes)
}

/** Errors name the kind that the object claims to be. */
export function kindOf(
  { group, refusedAs, isCustom }: Resource,
  { kind, apiVersion }: KubeObject,
): GroupKind {
  return refusedAs ?? { group: isCustom ? parseApiVersion(apiVersion).group : group, kind }
}

/** The stored form: in the storage version. The type of built-ins comes first, where lists can leave it out cheaply. */
export function storedForm(resource: Resource, object: KubeObject): KubeObject {
  const stored = resource.toStorage === undefined ? object : resource.toStorage(object)
  if (resource.isCustom) return stored
  const { kind, apiVersion, ...rest } = stored
  return { kind, apiVersion, ...rest }
}

async function insert(
  store: Store,
  target: Target,
  object: KubeObject,
  context: RequestContext,
): Promise<Shown> {
  const { resource } = target
  const { name } = object.metadata
  const key = objectKey(resource, target.namespace, name)
  if (context.dryRun) {
    refuseExisting(resource, name, store.get(key))
    return shownValue(object)
  }
  const result = await store.write(key, (current) => {
    refuseExisting(resource, name, current)
    return { value: storedForm(resource, object) }
  })
  if (result.entry === undefined) throw new Error(`the store kept nothing of ${key}`)
  return shownEntry(resource, result.entry)
}

function refuseExisting(resource: Resource, name: string, current: Entry | undefined): void {
  if (current === undefined) return
  const error = alreadyExists(resource, name)
  if (current.value.metadata.deletionTimestamp === undefined) throw error
  throw new ApiError(
    error.code,
    error.reason,
    `object is being deleted: ${error.message}`,
    error.details,
  )
}

function checkNamespace(
  { namespaceState }: RestEnvironment,
  { resource, namespace }: Target,
  object: KubeObject,
): void {
  if (namespaceState === undefined || !resource.namespaced) return
  const state = namespaceState(namespace)
  if (state === 'missing') throw notFound({ group: '', plural: 'namespaces' }, namespace)
  if (state !== 'terminating') return
  const refusal = forbidden(
    resource,
    object.metadata.name ?? '',
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  throw new ApiError(refusal.code, refusal.reason, refusal.message, {
    ...refusal.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  })
}
