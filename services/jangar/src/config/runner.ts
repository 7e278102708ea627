import {
  anyObject,
  anyText,
  duration,
  json,
  listOf,
  mapOf,
  number,
  type Reader,
  text,
} from '@agents/config'

const PREFIX = 'JANGAR_AGENT_RUNNER'
const WORKLOAD = 'controller.defaultWorkload'

/** Accepts the form of a pod spec, `{"name": "x"}`, beside the bare name. */
const secretName: Reader<string> = {
  expected: 'the name of a Secret',
  read: (value) => {
    const named = anyObject.read(value)
    return anyText.read(named.ok ? named.value.name : value)
  },
}

/** What the pods of runs look like where a run or its agent does not say so. */
export const runner = {
  image: text(`${PREFIX}_IMAGE`, {
    doc: 'The image of a run that names none.',
    chart: 'runtime.agentRunnerImage',
    optional: true,
  }),
  fallbackImage: text('JANGAR_AGENT_IMAGE', {
    doc: 'The image when JANGAR_AGENT_RUNNER_IMAGE is not set either.',
    chart: 'runtime.agentImage',
    optional: true,
  }),
  serviceAccount: text(`${PREFIX}_SERVICE_ACCOUNT`, {
    doc: "The service account of runs' pods.",
    chart: `${WORKLOAD}.serviceAccountName`,
    optional: true,
  }),
  jobTtlMs: duration(`${PREFIX}_JOB_TTL_SECONDS`, {
    doc: 'How long the Job of a finished run stays. 0: until the run is deleted.',
    chart: 'controller.jobTtlSecondsAfterFinished',
    bareUnit: 's',
    fallback: 600_000,
  }),
  logRetentionMs: duration(`${PREFIX}_LOG_RETENTION_SECONDS`, {
    doc: "How long the runner keeps a run's log file.",
    chart: 'controller.logRetentionSeconds',
    bareUnit: 's',
    fallback: 7 * 86_400_000,
  }),
  backoffLimit: number(`${PREFIX}_BACKOFF_LIMIT`, {
    doc: "How often Kubernetes itself restarts a Job's failed pod, within one attempt of the run.",
    integer: true,
    min: 0,
    fallback: 0,
  }),
  nodeSelector: json(`${PREFIX}_NODE_SELECTOR`, mapOf(anyText), {
    doc: "The node selector of runs' pods.",
    chart: `${WORKLOAD}.nodeSelector`,
    fallback: {},
  }),
  tolerations: json(`${PREFIX}_TOLERATIONS`, listOf(anyObject), {
    doc: "The tolerations of runs' pods.",
    chart: `${WORKLOAD}.tolerations`,
    fallback: [],
  }),
  affinity: json(`${PREFIX}_AFFINITY`, anyObject, {
    doc: "The affinity of runs' pods.",
    chart: `${WORKLOAD}.affinity`,
    optional: true,
  }),
  topologySpreadConstraints: json(`${PREFIX}_TOPOLOGY_SPREAD_CONSTRAINTS`, listOf(anyObject), {
    doc: "The topology spread constraints of runs' pods.",
    chart: `${WORKLOAD}.topologySpreadConstraints`,
    fallback: [],
  }),
  podSecurityContext: json(`${PREFIX}_POD_SECURITY_CONTEXT`, anyObject, {
    doc: "The security context of runs' pods.",
    chart: `${WORKLOAD}.podSecurityContext`,
    optional: true,
  }),
  imagePullSecrets: json(`${PREFIX}_IMAGE_PULL_SECRETS`, listOf(secretName), {
    doc: "The Secrets that pull runs' images.",
    chart: `${WORKLOAD}.imagePullSecrets`,
    fallback: [],
  }),
  priorityClass: text(`${PREFIX}_PRIORITY_CLASS`, {
    doc: "The priority class of runs' pods.",
    chart: `${WORKLOAD}.priorityClassName`,
    optional: true,
  }),
  schedulerName: text(`${PREFIX}_SCHEDULER_NAME`, {
    doc: "The scheduler of runs' pods.",
    chart: `${WORKLOAD}.schedulerName`,
    optional: true,
  }),
}

/** The pods that a Schedule starts its runs from. */
export const scheduleRunner = {
  image: text('JANGAR_SCHEDULE_RUNNER_IMAGE', {
    doc: 'The image that creates a scheduled run.',
    chart: 'runtime.scheduleRunnerImage',
    optional: true,
  }),
  serviceAccount: text('JANGAR_SCHEDULE_SERVICE_ACCOUNT', {
    doc: 'The service account that creates a scheduled run.',
    chart: 'runtime.scheduleServiceAccount',
    optional: true,
  }),
}
