import {
  anyObject,
  anyText,
  duration,
  json,
  listOf,
  mapOf,
  number,
  oneOf,
  type Reader,
  text,
} from '@agents/config'

const prefix = 'JANGAR_AGENT_RUNNER'
const workloadPath = 'controller.defaultWorkload'

/** Accepts the form of a pod spec, `{"name": "x"}`, beside the bare name. */
const secretName: Reader<string> = {
  expected: 'the name of a Secret',
  read: (value) => {
    const named = anyObject.read(value)
    return anyText.read(named.ok ? named.value.name : value)
  },
}

/** Defaults for the pods of runs. */
export const runner = {
  image: text(`${prefix}_IMAGE`, {
    doc: 'Image of runs that specify none.',
    chart: 'runtime.agentRunnerImage',
    optional: true,
  }),
  imagePullPolicy: oneOf(`${prefix}_IMAGE_PULL_POLICY`, ['Always', 'IfNotPresent', 'Never'], {
    doc: 'When the default image of runs is pulled. If unset, Kubernetes decides by the tag.',
    chart: 'runner.image.pullPolicy',
    optional: true,
  }),
  fallbackImage: text('JANGAR_AGENT_IMAGE', {
    doc: 'Image of runs that specify none if JANGAR_AGENT_RUNNER_IMAGE is unset.',
    chart: 'runtime.agentImage',
    optional: true,
  }),
  publisherImage: text('JANGAR_AGENT_PUBLISHER_IMAGE', {
    doc: "The image of the containers that hold a repository's credential, checkout and publish. If unset, that of the controllers (JANGAR_IMAGE), else that of runs that specify none. Never the image that a run specifies.",
    chart: 'runtime.agentPublisherImage',
    optional: true,
  }),
  publisherEnv: json('JANGAR_AGENT_PUBLISHER_ENV', mapOf(anyText), {
    doc: 'Variables of those containers, such as HTTPS_PROXY. Runs, agents and providers can add none.',
    chart: 'runtime.agentPublisherEnv',
    fallback: {},
  }),
  serviceAccount: text(`${prefix}_SERVICE_ACCOUNT`, {
    doc: "The service account of runs' pods.",
    chart: `${workloadPath}.serviceAccountName`,
    optional: true,
  }),
  jobTtlMs: duration(`${prefix}_JOB_TTL_SECONDS`, {
    doc: 'How long the Jobs of a finished run are kept. 0: until the run is deleted.',
    chart: 'controller.jobTtlSecondsAfterFinished',
    bareUnit: 's',
    fallback: 600_000,
  }),
  logRetentionMs: duration(`${prefix}_LOG_RETENTION_SECONDS`, {
    doc: "How long the runner keeps a run's log file.",
    chart: 'controller.logRetentionSeconds',
    bareUnit: 's',
    fallback: 7 * 86_400_000,
  }),
  backoffLimit: number(`${prefix}_BACKOFF_LIMIT`, {
    doc: 'backoffLimit of Jobs: how often Kubernetes replaces a failed pod within one attempt of the run.',
    integer: true,
    min: 0,
    fallback: 0,
  }),
  nodeSelector: json(`${prefix}_NODE_SELECTOR`, mapOf(anyText), {
    doc: "The node selector of runs' pods.",
    chart: `${workloadPath}.nodeSelector`,
    fallback: {},
  }),
  tolerations: json(`${prefix}_TOLERATIONS`, listOf(anyObject), {
    doc: "The tolerations of runs' pods.",
    chart: `${workloadPath}.tolerations`,
    fallback: [],
  }),
  affinity: json(`${prefix}_AFFINITY`, anyObject, {
    doc: "The affinity of runs' pods.",
    chart: `${workloadPath}.affinity`,
    optional: true,
  }),
  topologySpreadConstraints: json(`${prefix}_TOPOLOGY_SPREAD_CONSTRAINTS`, listOf(anyObject), {
    doc: "The topology spread constraints of runs' pods.",
    chart: `${workloadPath}.topologySpreadConstraints`,
    fallback: [],
  }),
  podSecurityContext: json(`${prefix}_POD_SECURITY_CONTEXT`, anyObject, {
    doc: "The security context of runs' pods.",
    chart: `${workloadPath}.podSecurityContext`,
    optional: true,
  }),
  imagePullSecrets: json(`${prefix}_IMAGE_PULL_SECRETS`, listOf(secretName), {
    doc: "The image pull Secrets of runs' pods. The chart adds those of runner.image.pullSecrets.",
    chart: `${workloadPath}.imagePullSecrets`,
    fallback: [],
  }),
  priorityClass: text(`${prefix}_PRIORITY_CLASS`, {
    doc: "The priority class of runs' pods.",
    chart: `${workloadPath}.priorityClassName`,
    optional: true,
  }),
  schedulerName: text(`${prefix}_SCHEDULER_NAME`, {
    doc: "The scheduler of runs' pods.",
    chart: `${workloadPath}.schedulerName`,
    optional: true,
  }),
}

/** Pods that create the runs of a Schedule. Nothing reads these settings: the controllers create the runs. */
export const scheduleRunner = {
  image: text('JANGAR_SCHEDULE_RUNNER_IMAGE', {
    doc: 'Reserved, not used yet. Image of the pods that create scheduled runs.',
    chart: 'runtime.scheduleRunnerImage',
    optional: true,
  }),
  serviceAccount: text('JANGAR_SCHEDULE_SERVICE_ACCOUNT', {
    doc: 'Reserved, not used yet. Service account of the pods that create scheduled runs.',
    chart: 'runtime.scheduleServiceAccount',
    optional: true,
  }),
}
