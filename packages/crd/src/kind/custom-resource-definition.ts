import type { Schema } from '../schema/schema.ts'
import type { AnyKind, PrinterColumn } from './define-kind.ts'

export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'CustomResourceDefinition'
  metadata: { name: string; annotations: Record<string, string> }
  spec: {
    group: string
    names: {
      kind: string
      listKind: string
      plural: string
      singular: string
      shortNames?: string[]
      categories?: string[]
    }
    scope: 'Namespaced' | 'Cluster'
    versions: CustomResourceDefinitionVersion[]
  }
}

interface CustomResourceDefinitionVersion {
  name: string
  served: boolean
  storage: boolean
  additionalPrinterColumns: PrinterColumn[]
  schema: { openAPIV3Schema: Schema }
  subresources: { status: Record<string, never> }
}

/**
 * Annotations that keep deployment tools from deleting a CRD, which would delete every object of the kind: `keep` stops
 * Helm, `Prune=false` stops Argo CD, and `IgnoreExtraneous` keeps a rolled-back application from showing as out of
 * sync.
 */
const protection = {
  'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  'argocd.argoproj.io/sync-options': 'Prune=false,ServerSideApply=true',
  'helm.sh/resource-policy': 'keep',
}

const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

export function customResourceDefinition(kind: AnyKind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}`, annotations: protection },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames ? { shortNames: [...kind.shortNames] } : {}),
        ...(kind.categories ? { categories: [...kind.categories] } : {}),
      },
      scope: kind.scope,
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          additionalPrinterColumns: [...kind.columns, age],
          schema: { openAPIV3Schema: kind.schema },
          subresources: { status: {} },
        },
      ],
    },
  }
}
