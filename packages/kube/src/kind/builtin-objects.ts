import type { Condition } from '../condition.ts'
import type { KubeObject } from '../object.ts'

/**
 * Built-in objects of Kubernetes, with the fields that the platform reads or writes. Other fields are kept in a round
 * trip: nothing is pruned.
 */

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>
  /** Base64. */
  binaryData?: Record<string, string>
  immutable?: boolean
}

export interface Secret extends KubeObject {
  type?: string
  /** Base64. */
  data?: Record<string, string>
  /** Written only; the server turns it into `data`. */
  stringData?: Record<string, string>
  immutable?: boolean
}

export interface Namespace extends KubeObject {
  status?: { phase?: 'Active' | 'Terminating' }
}

export interface ServiceAccount extends KubeObject {
  secrets?: { name: string }[]
  imagePullSecrets?: { name: string }[]
  automountServiceAccountToken?: boolean
}

export interface EnvVar {
  name: string
  value?: string
  valueFrom?: {
    secretKeyRef?: { name: string; key: string; optional?: boolean }
    configMapKeyRef?: { name: string; key: string; optional?: boolean }
    fieldRef?: { fieldPath: string; apiVersion?: string }
    resourceFieldRef?: { resource: string; containerName?: string; divisor?: string }
  }
}

export interface Container {
  name: string
  image?: string
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  command?: string[]
  args?: string[]
  workingDir?: string
  env?: EnvVar[]
  envFrom?: {
    prefix?: string
    secretRef?: { name: string; optional?: boolean }
    configMapRef?: { name: string; optional?: boolean }
  }[]
  ports?: { name?: string; containerPort: number; protocol?: string }[]
  resources?: {
    requests?: Record<string, string>
    limits?: Record<string, string>
  }
  volumeMounts?: {
    name: string
    mountPath: string
    subPath?: string
    readOnly?: boolean
  }[]
  securityContext?: Record<string, unknown>
  restartPolicy?: string
  terminationMessagePath?: string
  terminationMessagePolicy?: string
}

/** A name and one source: `{ name, secret: { secretName } }`. */
export type Volume = { name: string } & Record<string, unknown>

export interface PodSpec {
  containers: Container[]
  initContainers?: Container[]
  volumes?: Volume[]
  restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  serviceAccountName?: string
  automountServiceAccountToken?: boolean
  nodeName?: string
  nodeSelector?: Record<string, string>
  tolerations?: Record<string, unknown>[]
  affinity?: Record<string, unknown>
  topologySpreadConstraints?: Record<string, unknown>[]
  enableServiceLinks?: boolean
  imagePullSecrets?: { name: string }[]
  priorityClassName?: string
  schedulerName?: string
  activeDeadlineSeconds?: number
  terminationGracePeriodSeconds?: number
  runtimeClassName?: string
  securityContext?: Record<string, unknown>
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string }
  running?: { startedAt?: string }
  terminated?: {
    exitCode: number
    signal?: number
    reason?: string
    message?: string
    startedAt?: string
    finishedAt?: string
  }
}

export interface ContainerStatus {
  name: string
  ready: boolean
  restartCount: number
  image?: string
  imageID?: string
  containerID?: string
  started?: boolean
  state?: ContainerState
  lastState?: ContainerState
}

/** Conditions of built-in kinds often have no reason and no message. */
export type BuiltinCondition = Pick<Condition, 'type' | 'status'> &
  Partial<Condition> & { lastProbeTime?: string | null }

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
    reason?: string
    message?: string
    startTime?: string
    podIP?: string
    conditions?: BuiltinCondition[]
    containerStatuses?: ContainerStatus[]
    initContainerStatuses?: ContainerStatus[]
  }
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: PodSpec
}

export interface JobSpec {
  template: PodTemplate
  parallelism?: number
  completions?: number
  backoffLimit?: number
  activeDeadlineSeconds?: number
  ttlSecondsAfterFinished?: number
  suspend?: boolean
  selector?: LabelSelector
  manualSelector?: boolean
  podFailurePolicy?: Record<string, unknown>
}

export interface Job extends KubeObject {
  spec: JobSpec
  status?: {
    active?: number
    ready?: number
    succeeded?: number
    failed?: number
    startTime?: string
    completionTime?: string
    conditions?: BuiltinCondition[]
  }
}

export interface CronJob extends KubeObject {
  spec: {
    schedule: string
    timeZone?: string
    suspend?: boolean
    concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
    startingDeadlineSeconds?: number
    successfulJobsHistoryLimit?: number
    failedJobsHistoryLimit?: number
    jobTemplate: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
      spec: JobSpec
    }
  }
  status?: { lastScheduleTime?: string; lastSuccessfulTime?: string }
}

export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: {
    key: string
    operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
    values?: string[]
  }[]
}

export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string
    leaseDurationSeconds?: number
    /** RFC 3339 with microseconds. */
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
  }
}

/** An `Event` of the core group, named differently from the JavaScript class. */
export interface ClusterEvent extends KubeObject {
  involvedObject: {
    apiVersion?: string
    kind?: string
    namespace?: string
    name?: string
    uid?: string
    resourceVersion?: string
    fieldPath?: string
  }
  type?: 'Normal' | 'Warning'
  reason?: string
  message?: string
  count?: number
  firstTimestamp?: string | null
  lastTimestamp?: string | null
  eventTime?: string | null
  source?: { component?: string; host?: string }
  reportingComponent?: string
  reportingInstance?: string
  action?: string
}

export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: string[]
    storageClassName?: string
    volumeName?: string
    volumeMode?: string
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> }
  }
  status?: { phase?: 'Pending' | 'Bound' | 'Lost'; capacity?: Record<string, string> }
}

export interface PersistentVolume extends KubeObject {
  spec: {
    accessModes?: string[]
    capacity?: Record<string, string>
    claimRef?: { namespace?: string; name?: string; uid?: string }
    hostPath?: { path: string }
    persistentVolumeReclaimPolicy?: 'Delete' | 'Retain'
    storageClassName?: string
    volumeMode?: string
  }
  status?: { phase?: 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed' }
}

export interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: Record<string, string>[] }
  status?: {
    conditions?: BuiltinCondition[]
    capacity?: Record<string, string>
    allocatable?: Record<string, string>
    nodeInfo?: Record<string, unknown>
  }
}

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string
    scope: 'Namespaced' | 'Cluster'
    names: { kind: string; plural: string; singular?: string; listKind?: string }
    versions: { name: string; served: boolean; storage: boolean }[]
  }
  status?: { conditions?: BuiltinCondition[]; storedVersions?: string[] }
}
