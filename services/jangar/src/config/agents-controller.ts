import {
  anyObject,
  anyText,
  duration,
  flag,
  json,
  list,
  listOf,
  mapOf,
  number,
  text,
  wholeNumber,
} from '@agents/config'
import { namespaces } from './namespaces.ts'

const prefix = 'JANGAR_AGENTS_CONTROLLER'

/** A limit; 0 means no limit. */
function limit(name: string, chart: string, fallback: number, doc: string) {
  return number(`${prefix}_${name}`, {
    doc: `${doc} 0: no limit.`,
    chart: `controller.${chart}`,
    integer: true,
    min: 0,
    fallback,
  })
}

function patterns(name: string, chart: string, doc: string) {
  return list(`${prefix}_${name}`, {
    doc,
    chart: `controller.admissionPolicy.${chart}`,
    fallback: [],
  })
}

/** Limits, policies and retention of runs. */
export const agentsController = {
  enabled: flag(`${prefix}_ENABLED`, {
    doc: 'Whether this process reconciles the kinds of the agents group. Processes that share a Lease have to enable the same controllers, because only one of them leads.',
    chart: 'controller.enabled',
    fallback: true,
  }),
  namespaces: namespaces(`${prefix}_NAMESPACES`, {
    doc: 'Namespaces in which agents and runs are reconciled. "*" means all namespaces and needs rbac.clusterScoped.',
    chart: 'controller.namespaces',
  }),
  concurrency: {
    perNamespace: limit(
      'CONCURRENCY_NAMESPACE',
      'concurrency.perNamespace',
      50,
      'Concurrent runs per namespace.',
    ),
    perAgent: limit('CONCURRENCY_AGENT', 'concurrency.perAgent', 25, 'Concurrent runs per agent.'),
    cluster: limit('CONCURRENCY_CLUSTER', 'concurrency.cluster', 100, 'Concurrent runs in total.'),
  },
  repoConcurrency: {
    enabled: flag(`${prefix}_REPO_CONCURRENCY_ENABLED`, {
      doc: 'Whether concurrent runs are also limited per repository.',
      chart: 'controller.repoConcurrency.enabled',
      fallback: false,
    }),
    default: limit(
      'REPO_CONCURRENCY_DEFAULT',
      'repoConcurrency.default',
      0,
      'Concurrent runs per repository.',
    ),
    overrides: json(`${prefix}_REPO_CONCURRENCY_OVERRIDES`, mapOf(wholeNumber), {
      doc: 'Concurrent runs of particular repositories, by owner/name. 0: no limit.',
      chart: 'controller.repoConcurrency.overrides',
      fallback: {},
    }),
  },
  queue: {
    perNamespace: limit(
      'QUEUE_NAMESPACE',
      'queue.perNamespace',
      2000,
      'Queued runs per namespace.',
    ),
    perRepo: limit('QUEUE_REPO', 'queue.perRepo', 1000, 'Queued runs per repository.'),
    cluster: limit('QUEUE_CLUSTER', 'queue.cluster', 10_000, 'Queued runs in total.'),
  },
  rate: {
    windowMs: duration(`${prefix}_RATE_WINDOW_SECONDS`, {
      doc: 'Length of the time window in which starts are counted.',
      chart: 'controller.rate.windowSeconds',
      bareUnit: 's',
      minMs: 1000,
      fallback: 60_000,
    }),
    perNamespace: limit(
      'RATE_NAMESPACE',
      'rate.perNamespace',
      1200,
      'Starts per window and namespace.',
    ),
    perRepo: limit('RATE_REPO', 'rate.perRepo', 300, 'Starts per window and repository.'),
    cluster: limit('RATE_CLUSTER', 'rate.cluster', 6000, 'Starts per window in total.'),
  },
  runRetentionMs: duration(`${prefix}_AGENTRUN_RETENTION_SECONDS`, {
    doc: 'How long a finished run without ttlSecondsAfterFinished is kept. 0: permanently.',
    chart: 'controller.agentRunRetentionSeconds',
    bareUnit: 's',
    fallback: 30 * 86_400_000,
  }),
  admission: {
    labelsRequired: patterns(
      'LABELS_REQUIRED',
      'labels.required',
      'Label keys that every run must have.',
    ),
    labelsAllowed: patterns(
      'LABELS_ALLOWED',
      'labels.allowed',
      'Label keys that a run may have, with * as a wildcard. Empty: any.',
    ),
    labelsDenied: patterns(
      'LABELS_DENIED',
      'labels.denied',
      'Label keys that no run may have, with * as a wildcard.',
    ),
    imagesAllowed: patterns(
      'IMAGES_ALLOWED',
      'images.allowed',
      'Images that may run, with * as a wildcard. Empty: any.',
    ),
    imagesDenied: patterns(
      'IMAGES_DENIED',
      'images.denied',
      'Images that may not run, with * as a wildcard. Takes precedence over the allowed ones.',
    ),
    blockedSecrets: patterns(
      'BLOCKED_SECRETS',
      'secrets.blocked',
      'Names of Secrets that no run may use.',
    ),
    secretBindingRequired: flag(`${prefix}_SECRET_BINDING_REQUIRED`, {
      doc: 'Whether a run that is the subject of no SecretBinding may use no Secrets. If false, only runs that are a subject of a binding, or name one, are restricted.',
      chart: 'controller.admissionPolicy.secrets.bindingRequired',
      fallback: false,
    }),
    serviceAccountsAllowed: patterns(
      'SERVICE_ACCOUNTS_ALLOWED',
      'serviceAccounts.allowed',
      'Service accounts that a run may use beside JANGAR_AGENT_RUNNER_SERVICE_ACCOUNT, with * as a wildcard. The account default may be used without its token even if it is not listed.',
    ),
    priorityClassesAllowed: patterns(
      'PRIORITY_CLASSES_ALLOWED',
      'priorityClasses.allowed',
      'Priority classes that a run may use beside JANGAR_AGENT_RUNNER_PRIORITY_CLASS, with * as a wildcard. Never allows classes that start with system-.',
    ),
    claimsAllowed: patterns(
      'CLAIMS_ALLOWED',
      'claims.allowed',
      'PersistentVolumeClaims that a run may mount, with * as a wildcard. Empty: any of its namespace.',
    ),
    platformServiceAccounts: list(`${prefix}_PLATFORM_SERVICE_ACCOUNTS`, {
      doc: "Service accounts of the platform's own processes, in their namespace. No run may use them, whatever other settings allow. The chart lists its own.",
      fallback: [],
    }),
    platformSecrets: list(`${prefix}_PLATFORM_SECRETS`, {
      doc: "Secrets that only the platform's own processes need, such as that of its database. No run may use them. The chart lists its own.",
      fallback: [],
    }),
  },
  vcs: {
    enabled: flag(`${prefix}_VCS_PROVIDERS_ENABLED`, {
      doc: 'Whether runs may use version control providers.',
      chart: 'controller.vcsProviders.enabled',
      fallback: true,
    }),
    githubRepositoriesAllowed: list('JANGAR_GITHUB_REPOS_ALLOWED', {
      doc: 'The GitHub repositories, as owner/name with * as a wildcard, that a run may work in, whatever its VersionControlProvider allows. If unset, any.',
      chart: 'env.vars.JANGAR_GITHUB_REPOS_ALLOWED',
      optional: true,
      checkEach: (name) =>
        /^[\w.*-]+\/[\w.*-]+$/.test(name) ? undefined : 'write it as owner/name',
    }),
    deprecatedTokenTypes: json(`${prefix}_VCS_DEPRECATED_TOKEN_TYPES`, mapOf(listOf(anyText)), {
      doc: 'Deprecated token types, which cause a warning, by provider.',
      chart: 'controller.vcsProviders.deprecatedTokenTypes',
      fallback: { github: ['pat'] },
    }),
    pullRequestRateLimits: json(`${prefix}_VCS_PR_RATE_LIMITS`, mapOf(anyObject), {
      doc: "Rate limits for opening pull requests, by provider. The platform does not enforce them; the agent's container gets them as VCS_PR_RATE_LIMITS.",
      chart: 'controller.vcsProviders.prRateLimits',
      fallback: {},
    }),
  },
  authSecret: {
    name: text(`${prefix}_AUTH_SECRET_NAME`, {
      doc: 'The Secret with the credentials of the agent program, mounted into every run. If unset, none.',
      chart: 'controller.authSecret.name',
      optional: true,
    }),
    key: text(`${prefix}_AUTH_SECRET_KEY`, {
      doc: 'The key in that Secret.',
      chart: 'controller.authSecret.key',
      fallback: 'auth.json',
    }),
    mountPath: text(`${prefix}_AUTH_SECRET_MOUNT_PATH`, {
      doc: 'The directory in the pod that contains that key as a file.',
      chart: 'controller.authSecret.mountPath',
      fallback: '/home/agent/.codex',
      expected: 'an absolute path',
      check: (path) => (path.startsWith('/') ? undefined : 'it is relative'),
    }),
  },
}

/** How webhook deliveries are taken and processed. */
export const webhooks = {
  enabled: flag('JANGAR_WEBHOOKS_ENABLED', {
    doc: 'Whether the HTTP API of the control plane takes deliveries of issue trackers for ImplementationSources. Needs a database.',
    chart: 'controller.webhook.enabled',
    fallback: false,
  }),
  queueSize: number(`${prefix}_WEBHOOK_QUEUE_SIZE`, {
    doc: 'How many webhook deliveries may wait to be stored; more are answered with 503.',
    chart: 'controller.webhook.queueSize',
    integer: true,
    min: 1,
    fallback: 1000,
  }),
  retryBaseDelayMs: duration(`${prefix}_WEBHOOK_RETRY_BASE_DELAY_SECONDS`, {
    doc: 'Delay before the first retry of a webhook delivery; it doubles with each retry.',
    chart: 'controller.webhook.retry.baseDelaySeconds',
    bareUnit: 's',
    minMs: 1,
    fallback: 1000,
  }),
  retryMaxDelayMs: duration(`${prefix}_WEBHOOK_RETRY_MAX_DELAY_SECONDS`, {
    doc: 'Longest delay between retries of a webhook delivery.',
    chart: 'controller.webhook.retry.maxDelaySeconds',
    bareUnit: 's',
    minMs: 1,
    fallback: 60_000,
  }),
  maxAttempts: number(`${prefix}_WEBHOOK_RETRY_MAX_ATTEMPTS`, {
    doc: 'Number of attempts to process a webhook delivery.',
    chart: 'controller.webhook.retry.maxAttempts',
    integer: true,
    min: 1,
    fallback: 5,
  }),
}
