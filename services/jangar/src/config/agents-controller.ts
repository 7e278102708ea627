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

const PREFIX = 'JANGAR_AGENTS_CONTROLLER'

/** An upper bound; 0 means none. */
function limit(name: string, chart: string, fallback: number, doc: string) {
  return number(`${PREFIX}_${name}`, {
    doc: `${doc} 0: no limit.`,
    chart: `controller.${chart}`,
    integer: true,
    min: 0,
    fallback,
  })
}

function patterns(name: string, chart: string, doc: string) {
  return list(`${PREFIX}_${name}`, {
    doc,
    chart: `controller.admissionPolicy.${chart}`,
    fallback: [],
  })
}

/** What may run, how much of it, and for how long it is kept. */
export const agentsController = {
  enabled: flag(`${PREFIX}_ENABLED`, {
    doc: 'Whether this process reconciles agents, their runs and what they refer to.',
    chart: 'controller.enabled',
    fallback: true,
  }),
  namespaces: namespaces(`${PREFIX}_NAMESPACES`, {
    doc: 'The namespaces whose agents and runs are reconciled; "*" is all of them and needs rbac.clusterScoped.',
    chart: 'controller.namespaces',
  }),
  concurrency: {
    perNamespace: limit(
      'CONCURRENCY_NAMESPACE',
      'concurrency.perNamespace',
      10,
      'Runs at a time in a namespace.',
    ),
    perAgent: limit('CONCURRENCY_AGENT', 'concurrency.perAgent', 5, 'Runs at a time of an agent.'),
    cluster: limit('CONCURRENCY_CLUSTER', 'concurrency.cluster', 100, 'Runs at a time in all.'),
  },
  repoConcurrency: {
    enabled: flag(`${PREFIX}_REPO_CONCURRENCY_ENABLED`, {
      doc: 'Whether runs at a time are limited by repository too.',
      chart: 'controller.repoConcurrency.enabled',
      fallback: false,
    }),
    default: limit(
      'REPO_CONCURRENCY_DEFAULT',
      'repoConcurrency.default',
      0,
      'Runs at a time on a repository.',
    ),
    overrides: json(`${PREFIX}_REPO_CONCURRENCY_OVERRIDES`, mapOf(wholeNumber), {
      doc: 'Runs at a time on particular repositories, by owner/name. 0: no limit.',
      chart: 'controller.repoConcurrency.overrides',
      fallback: {},
    }),
  },
  queue: {
    perNamespace: limit(
      'QUEUE_NAMESPACE',
      'queue.perNamespace',
      200,
      'Runs that may wait in a namespace.',
    ),
    perRepo: limit('QUEUE_REPO', 'queue.perRepo', 50, 'Runs that may wait for a repository.'),
    cluster: limit('QUEUE_CLUSTER', 'queue.cluster', 1000, 'Runs that may wait in all.'),
  },
  rate: {
    windowMs: duration(`${PREFIX}_RATE_WINDOW_SECONDS`, {
      doc: 'The window in which started runs are counted.',
      chart: 'controller.rate.windowSeconds',
      bareUnit: 's',
      minMs: 1000,
      fallback: 60_000,
    }),
    perNamespace: limit(
      'RATE_NAMESPACE',
      'rate.perNamespace',
      120,
      'Runs started in a window in a namespace.',
    ),
    perRepo: limit('RATE_REPO', 'rate.perRepo', 30, 'Runs started in a window on a repository.'),
    cluster: limit('RATE_CLUSTER', 'rate.cluster', 600, 'Runs started in a window in all.'),
  },
  runRetentionMs: duration(`${PREFIX}_AGENTRUN_RETENTION_SECONDS`, {
    doc: 'How long a finished run stays in the cluster if it does not say so itself. 0: for ever.',
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
      'Images that may not run, with * as a wildcard; it outweighs the allowed ones.',
    ),
    blockedSecrets: patterns(
      'BLOCKED_SECRETS',
      'secrets.blocked',
      'Names of Secrets that no run may use.',
    ),
  },
  vcs: {
    enabled: flag(`${PREFIX}_VCS_PROVIDERS_ENABLED`, {
      doc: 'Whether runs may use version control providers.',
      chart: 'controller.vcsProviders.enabled',
      fallback: true,
    }),
    deprecatedTokenTypes: json(`${PREFIX}_VCS_DEPRECATED_TOKEN_TYPES`, mapOf(listOf(anyText)), {
      doc: 'Kinds of token that are warned about, by kind of provider.',
      chart: 'controller.vcsProviders.deprecatedTokenTypes',
      fallback: { github: ['pat'] },
    }),
    pullRequestRateLimits: json(`${PREFIX}_VCS_PR_RATE_LIMITS`, mapOf(anyObject), {
      doc: 'Limits on opening pull requests, by kind of provider; handed to the runner as VCS_PR_RATE_LIMITS.',
      chart: 'controller.vcsProviders.prRateLimits',
      fallback: {},
    }),
  },
  authSecret: {
    name: text(`${PREFIX}_AUTH_SECRET_NAME`, {
      doc: "The Secret with the agent program's own credentials, mounted into every run. Not set: none.",
      chart: 'controller.authSecret.name',
      optional: true,
    }),
    key: text(`${PREFIX}_AUTH_SECRET_KEY`, {
      doc: 'The key in that Secret.',
      chart: 'controller.authSecret.key',
      fallback: 'auth.json',
    }),
    mountPath: text(`${PREFIX}_AUTH_SECRET_MOUNT_PATH`, {
      doc: 'The directory in the pod where that key appears as a file.',
      chart: 'controller.authSecret.mountPath',
      fallback: '/home/agent/.codex',
      expected: 'an absolute path',
      check: (path) => (path.startsWith('/') ? undefined : 'it is relative'),
    }),
  },
}

/** How issues that arrive by webhook are taken in. */
export const webhooks = {
  queueSize: number(`${PREFIX}_WEBHOOK_QUEUE_SIZE`, {
    doc: 'Deliveries that may wait to be processed; further ones are answered with 503.',
    chart: 'controller.webhook.queueSize',
    integer: true,
    min: 1,
    fallback: 1000,
  }),
  retryBaseDelayMs: duration(`${PREFIX}_WEBHOOK_RETRY_BASE_DELAY_SECONDS`, {
    doc: 'The wait before the first retry of a delivery; it doubles with each.',
    chart: 'controller.webhook.retry.baseDelaySeconds',
    bareUnit: 's',
    minMs: 1,
    fallback: 1000,
  }),
  retryMaxDelayMs: duration(`${PREFIX}_WEBHOOK_RETRY_MAX_DELAY_SECONDS`, {
    doc: 'The longest wait between retries of a delivery.',
    chart: 'controller.webhook.retry.maxDelaySeconds',
    bareUnit: 's',
    minMs: 1,
    fallback: 60_000,
  }),
  maxAttempts: number(`${PREFIX}_WEBHOOK_RETRY_MAX_ATTEMPTS`, {
    doc: 'How often a delivery is tried before it is given up.',
    chart: 'controller.webhook.retry.maxAttempts',
    integer: true,
    min: 1,
    fallback: 5,
  }),
}
