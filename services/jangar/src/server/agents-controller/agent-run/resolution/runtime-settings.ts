/** What `spec.runtime.config` of a run may say about its Jobs. What it leaves out, the platform's settings say. */
export interface RuntimeSettings {
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly tolerations?: readonly Readonly<Record<string, unknown>>[]
  readonly affinity?: Readonly<Record<string, unknown>>
  readonly topologySpreadConstraints?: readonly Readonly<Record<string, unknown>>[]
  readonly podSecurityContext?: Readonly<Record<string, unknown>>
  readonly imagePullSecrets?: readonly string[]
  readonly priorityClassName?: string
  readonly schedulerName?: string
  readonly backoffLimit?: number
  /** Of the Job, once its outcome is recorded; for the caller. */
  readonly ttlSecondsAfterFinished?: number
  readonly logRetentionSeconds?: number
}
