import { copyJson, isJsonObject } from '../../json/json-value.ts'
import { type Fields, fallBack, ownPart, part, parts } from '../fields.ts'
import type { SetDefaults } from '../go-json/defaults.ts'

export const templateGeneration = 'deprecated.daemonset.template.generation'

/** Defaults of the kinds with pod templates, by id of the definition. */
export const workloadDefaults: Readonly<Record<string, SetDefaults>> = {
  'apps.v1.Deployment': (deployment) => {
    const spec = ownPart(deployment, 'spec')
    fallBack(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
    const strategy = ownPart(spec, 'strategy')
    fallBack(strategy, { type: 'RollingUpdate' })
    if (strategy.type === 'RollingUpdate') {
      fallBack(ownPart(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' })
    }
  },
  'apps.v1.ReplicaSet': (set) => fallBack(ownPart(set, 'spec'), { replicas: 1 }),
  'apps.v1.DaemonSet': (set) => {
    const spec = ownPart(set, 'spec')
    fallBack(spec, { revisionHistoryLimit: 10 })
    // Set before ownership is computed, so that the writer owns the field as in kube-apiserver.
    fallBack(ownPart(ownPart(set, 'metadata'), 'annotations'), { [templateGeneration]: '0' })
    const strategy = ownPart(spec, 'updateStrategy')
    fallBack(strategy, { type: 'RollingUpdate' })
    if (strategy.type === 'RollingUpdate') {
      fallBack(ownPart(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 })
    }
  },
  'apps.v1.StatefulSet': (set) => {
    const spec = ownPart(set, 'spec')
    fallBack(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' })
    const strategy = ownPart(spec, 'updateStrategy')
    if ((strategy.type ?? '') === '') {
      strategy.type = 'RollingUpdate'
      ownPart(strategy, 'rollingUpdate')
    }
    if (strategy.type === 'RollingUpdate' && isJsonObject(strategy.rollingUpdate)) {
      fallBack(strategy.rollingUpdate, { partition: 0 })
    }
    for (const claim of parts(spec, 'volumeClaimTemplates')) {
      fallBack(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' })
    }
    fallBack(ownPart(spec, 'persistentVolumeClaimRetentionPolicy'), {
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    })
  },
  'core.v1.ReplicationController': (controller) => {
    const spec = ownPart(controller, 'spec')
    const { labels } = part(part(spec, 'template'), 'metadata')
    fallBack(spec, { replicas: 1 })
    if (!isJsonObject(labels)) return
    if (!isJsonObject(spec.selector)) spec.selector = copyJson(labels)
    adoptLabels(controller, labels)
  },
  'batch.v1.Job': (job) => {
    jobDefaults(ownPart(job, 'spec'))
    const { labels } = part(part(part(job, 'spec'), 'template'), 'metadata')
    if (isJsonObject(labels)) adoptLabels(job, labels)
  },
  'batch.v1.CronJob': (cronJob) => {
    fallBack(ownPart(cronJob, 'spec'), {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    })
  },
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': (pattern) =>
    fallBack(pattern, { status: 'True' }),
}

function jobDefaults(spec: Fields): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
  fallBack(spec, {
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  })
}

/** Labels default to those of the pod template. */
function adoptLabels(object: Fields, labels: Fields): void {
  const metadata = ownPart(object, 'metadata')
  const own = part(metadata, 'labels')
  if (Object.keys(own).length === 0 && Object.keys(labels).length > 0) {
    metadata.labels = copyJson(labels)
  }
}
