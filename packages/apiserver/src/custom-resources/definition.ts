import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { TableColumn } from '../registry/resource.ts'

/** A stored CustomResourceDefinition, which has been validated and defaulted. */
export interface Definition extends KubeObject {
  spec: DefinitionSpec
  status?: DefinitionStatus
}

interface DefinitionSpec {
  group: string
  names: DefinitionNames
  scope: 'Namespaced' | 'Cluster'
  versions: DefinitionVersion[]
  conversion?: DefinitionConversion
  preserveUnknownFields?: boolean
}

interface DefinitionConversion {
  strategy: string
  webhook?: {
    clientConfig?: {
      url?: string
      service?: { namespace: string; name: string; path?: string; port?: number }
      /** Base64 of PEM. */
      caBundle?: string
    }
    conversionReviewVersions?: string[]
  }
}

export interface DefinitionNames {
  plural: string
  singular?: string
  kind: string
  listKind?: string
  shortNames?: string[]
  categories?: string[]
}

export interface DefinitionVersion {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  deprecationWarning?: string
  schema?: { openAPIV3Schema?: Schema }
  subresources?: {
    status?: Record<string, never>
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string }
  }
  additionalPrinterColumns?: TableColumn[]
  selectableFields?: { jsonPath: string }[]
}

export interface DefinitionStatus {
  conditions?: DefinitionCondition[]
  acceptedNames?: DefinitionNames
  storedVersions?: string[]
}

export interface DefinitionCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export const definitionGroup = 'apiextensions.k8s.io'
export const definitionPlural = 'customresourcedefinitions'
export const definitionPrefix = `/${definitionGroup}/${definitionPlural}/`
/** The finalizer that keeps a definition until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

export function isConditionTrue(definition: Definition, type: string): boolean {
  return (
    definition.status?.conditions?.some(
      (condition) => condition.type === type && condition.status === 'True',
    ) === true
  )
}

/** Sets a condition. lastTransitionTime changes only with the status of the condition. */
export function setCondition(
  conditions: readonly DefinitionCondition[],
  next: DefinitionCondition,
): DefinitionCondition[] {
  const old = conditions.find(({ type }) => type === next.type)
  const kept: DefinitionCondition =
    old?.status === next.status && old.lastTransitionTime !== undefined
      ? { ...next, lastTransitionTime: old.lastTransitionTime }
      : next
  if (old === undefined) return [...conditions, kept]
  return conditions.map((condition) => (condition.type === next.type ? kept : condition))
}
