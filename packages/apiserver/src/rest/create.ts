import type { KubeObject } from '@agents/kube'
import { parseApiVersion } from '@agents/kube'
import { copyJson } from '../json/json-value.ts'
import { generateName, generateNameAttempts } from '../metadata/generate-name.ts'
import { subdomainName } from '../metadata/name-rules.ts'
import {
  dropDuplicateOwners,
  fillSystemFields,
  managerOf,
  matchNamespace,
  wipeSystemFields,
} from '../metadata/system-metadata.ts'
import { validateMetadata } from '../metadata/validate-metadata.ts'
import type { Resource } from '../registry/resource.ts'
import type { RequestContext } from '../request/request-context.ts'
import {
  ApiError,
  alreadyExists,
  forbidden,
  type GroupKind,
  generatedNameConflict,
  invalid,
  notFound,
} from '../status/api-error.ts'
import type { Entry } from '../store/store.ts'
import type { AdmissionAttributes } from './admission.ts'
import { converting } from './conversion-pending.ts'
import {
  limited,
  objectKey,
  type RestEnvironment,
  reportWrite,
  type Target,
} from './environment.ts'
import { versionProblem } from './resource-version.ts'
import { convertedEntry, type ResponseObject, toResponseObject } from './response-object.ts'

/** Creates an object from a decoded, pruned and defaulted body, which it mutates. */
export async function createObject(
  environment: RestEnvironment,
  target: Target,
  body: KubeObject,
  context: RequestContext,
): Promise<ResponseObject> {
  const { resource } = target
  wipeSystemFields(body)
  matchNamespace(body, resource.namespaced ? target.namespace : '')
  dropDuplicateOwners(body, context)
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
    // The strategy may mutate the object, so each attempt starts with a copy.
    const object = generated && attempt < generateNameAttempts ? copyJson(managed) : managed
    limited(environment, () => prepareNew(environment, target, object, context))
    try {
      return await insert(environment, target, object, context)
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists' || !generated)
        throw error
      if (attempt === generateNameAttempts) {
        throw generatedNameConflict(resource, object.metadata.name)
      }
    }
  }
}

/** Runs admission, strategy and validation for a new object. Mutates `object`. */
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
  matchNamespace(object, resource.namespaced ? target.namespace : '')
  dropDuplicateOwners(object, context)
  const { name = '', generateName: base = '' } = object.metadata
  if (name === '' && base !== '') object.metadata.name = generateName(base)
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
  environment.admission.validate({ ...attributes, name: object.metadata.name })
}

/** The kind in error messages, which is the one of the object. */
export function kindOf(
  { group, refusedAs, isCustom }: Resource,
  { kind, apiVersion }: KubeObject,
): GroupKind {
  return refusedAs ?? { group: isCustom ? parseApiVersion(apiVersion).group : group, kind }
}

/**
 * Converts to the storage version. kind and apiVersion of built-ins come first, so that lists can omit them cheaply.
 */
export function storedForm(resource: Resource, object: KubeObject): KubeObject {
  const stored = resource.toStorage === undefined ? object : resource.toStorage(object)
  if (resource.isCustom) return stored
  const { kind, apiVersion, ...rest } = stored
  return { kind, apiVersion, ...rest }
}

async function insert(
  environment: RestEnvironment,
  target: Target,
  object: KubeObject,
  context: RequestContext,
): Promise<ResponseObject> {
  const { store } = environment
  const { resource } = target
  const { name } = object.metadata
  const key = objectKey(resource, target.namespace, name)
  if (context.dryRun) {
    refuseExisting(resource, name, store.get(key))
    return toResponseObject(object)
  }
  refuseVersion(object)
  const result = await converting(() =>
    store.write(key, (current) => {
      refuseExisting(resource, name, current)
      return { value: storedForm(resource, object) }
    }),
  )
  reportWrite(environment, context, result)
  if (result.entry === undefined) throw new Error(`the store returned no entry for ${key}`)
  return convertedEntry(resource, result.entry)
}

/** Like upstream, a dry run does not get here, and a version that is not a number does not count. */
function refuseVersion({ metadata: { resourceVersion = '' } }: KubeObject): void {
  if (versionProblem(resourceVersion) !== undefined || Number(resourceVersion) === 0) return
  throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
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
