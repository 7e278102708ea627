import type { KubeObject } from '@agents/kube'
import type { MetaVersion } from './negotiate.ts'

export function partialMetadata({ metadata }: KubeObject, version: MetaVersion): object {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata }
}
