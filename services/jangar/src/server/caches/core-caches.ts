import { type ResourceCache, resourceCache } from '@agents/controller'
import {
  byOwner,
  type ConfigMap,
  ConfigMapKind,
  type Informers,
  type Job,
  JobKind,
  ownerIndex,
  type Pod,
  PodKind,
  type Secret,
  SecretKind,
} from '@agents/kube'
import { labels } from '../kubernetes/labels.ts'
import { configMapFields, jobFields, podFields, secretFields } from './cached-fields.ts'
import { withoutContent, withoutValues } from './key-only.ts'
import { withoutPodSpec, withoutTemplate } from './status-only.ts'

/** Kinds of Kubernetes itself that every group of controllers reads. */
export interface CoreCaches {
  /** Keys without values. */
  readonly secrets: ResourceCache<Secret>
  /** Keys without values; without the ConfigMaps of attempts. */
  readonly configMaps: ResourceCache<ConfigMap>
  /** Jobs of runs, without their pod templates; indexed by owner. */
  readonly jobs: ResourceCache<Job>
  /** Pods of runs, without their specs; indexed by owner. */
  readonly pods: ResourceCache<Pod>
}

export function coreCaches(informers: Informers, namespaces: readonly string[]): CoreCaches {
  // Runs of all kinds label what executes them with the attempt.
  const ofRuns = { labelSelector: labels.attempt, indexers: { [ownerIndex]: byOwner } }
  return {
    secrets: resourceCache(informers, SecretKind, namespaces, {
      fields: secretFields,
      transform: withoutValues,
    }),
    configMaps: resourceCache(informers, ConfigMapKind, namespaces, {
      labelSelector: `!${labels.attempt}`,
      fields: configMapFields,
      transform: withoutContent,
    }),
    jobs: resourceCache(informers, JobKind, namespaces, {
      ...ofRuns,
      fields: jobFields,
      transform: withoutTemplate,
    }),
    pods: resourceCache(informers, PodKind, namespaces, {
      ...ofRuns,
      fields: podFields,
      transform: withoutPodSpec,
    }),
  }
}
