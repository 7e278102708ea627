import type { KubeObject } from '@agents/kube'

export function partialMetadata(object: KubeObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
}
