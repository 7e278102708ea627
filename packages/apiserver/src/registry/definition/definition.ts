import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { TableColumn } from '../resource.ts'

/** A CustomResourceDefinition as it is stored: checked and defaulted. */
export interface Definition extends KubeObject {
  spec: DefinitionSpec
  status?: DefinitionStatus
}

export interface DefinitionSpec {
  group: string
  names: DefinitionNames
  scope: 'Namespaced' | 'Cluster'
  versions: DefinitionVersion[]
  conversion?: { strategy: string }
  preserveUnknownFields?: boolean
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
/** Keeps a deleted definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

export function isConditionTrue(definition: Definition, type: string): boolean {
  return (
    definition.status?.conditions?.some(
      (condition) => condition.type === type && condition.status === 'True',
    ) === true
  )
}

/** Puts a condition in place of the one of its type; the time moves only with the status. */
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
