import {
  anyText,
  blank,
  boolean,
  inline,
  integer,
  listOf,
  mapOf,
  message,
  nested,
  nonZero,
  objectMessage,
  text,
  time,
} from '@agents/kube'

/**
 * The fields of Kubernetes' own kinds that the caches keep, for a server that sends protobuf: it spares the server a
 * second encoding, and the process nine tenths of each object. From other servers whole objects arrive, which the
 * transforms in `status-only.ts` and `key-only.ts` reduce to the same.
 */

/** The names of the Secrets that a pod uses: see `secretsOf`. */
const secretName = inline(message({ name: [1, text] }))
const secretVolume = message({ secretName: [1, text] })
const projectedSecret = message({ secret: [1, nested(message({ name: [1, secretName] }))] })
const volumeSource = message({
  secret: [6, nested(secretVolume)],
  projected: [26, nested(message({ sources: [1, listOf(nested(projectedSecret))] }))],
})
const volume = message({ name: [1, anyText], source: [2, inline(volumeSource)] })

const secretKeyRef = message({ name: [1, secretName], key: [2, anyText] })
const variable = message({
  name: [1, anyText],
  valueFrom: [3, nested(message({ secretKeyRef: [4, nested(secretKeyRef)] }))],
})
const variables = message({ secretRef: [3, nested(message({ name: [1, secretName] }))] })
const container = message({
  name: [1, anyText],
  env: [7, listOf(nested(variable))],
  envFrom: [19, listOf(nested(variables))],
})

const podSpec = message({
  volumes: [1, listOf(nested(volume))],
  containers: [2, listOf(nested(container))],
  nodeName: [10, text],
  initContainers: [20, listOf(nested(container))],
})

const containerState = message({
  waiting: [1, nested(message({ reason: [1, text], message: [2, text] }))],
  running: [2, nested(message({ startedAt: [1, time] }))],
  terminated: [
    3,
    nested(
      message({
        exitCode: [1, integer],
        signal: [2, nonZero],
        reason: [3, text],
        message: [4, text],
        startedAt: [5, time],
        finishedAt: [6, time],
        containerID: [7, text],
      }),
    ),
  ],
})

const containerStatus = message({
  name: [1, anyText],
  state: [2, nested(containerState)],
  ready: [4, boolean],
  restartCount: [5, integer],
})

const conditionFields = {
  type: [1, anyText],
  status: [2, anyText],
  lastProbeTime: [3, time],
  lastTransitionTime: [4, time],
  reason: [5, text],
  message: [6, text],
} as const

const podStatus = message({
  phase: [1, text],
  conditions: [
    2,
    listOf(nested(message({ ...conditionFields, observedGeneration: [7, nonZero] }))),
  ],
  message: [3, text],
  reason: [4, text],
  containerStatuses: [8, listOf(nested(containerStatus))],
  initContainerStatuses: [10, listOf(nested(containerStatus))],
})

export const podFields = objectMessage({
  spec: [2, nested(podSpec)],
  status: [3, nested(podStatus)],
})

const jobSpec = message({ backoffLimit: [7, integer], ttlSecondsAfterFinished: [8, integer] })

const uncountedPods = message({ succeeded: [1, listOf(anyText)], failed: [2, listOf(anyText)] })

const jobStatus = message({
  conditions: [1, listOf(nested(message(conditionFields)))],
  startTime: [2, time],
  completionTime: [3, time],
  active: [4, nonZero],
  succeeded: [5, nonZero],
  failed: [6, nonZero],
  completedIndexes: [7, text],
  uncountedTerminatedPods: [8, nested(uncountedPods)],
  ready: [9, integer],
  failedIndexes: [10, text],
  terminating: [11, integer],
})

export const jobFields = objectMessage({
  spec: [2, nested(jobSpec)],
  status: [3, nested(jobStatus)],
})

/** The values are skipped: they never become strings in this process. */
export const secretFields = objectMessage({
  data: [2, mapOf(blank)],
  type: [3, text],
  immutable: [5, boolean],
})

export const configMapFields = objectMessage({
  data: [2, mapOf(blank)],
  binaryData: [3, mapOf(blank)],
  immutable: [4, boolean],
})
