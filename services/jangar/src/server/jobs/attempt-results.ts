import type { Json } from '@agents/crd'
import type { Pod } from '@agents/kube'
import { mapText } from '../../run-contract/map-text.ts'
import { maskedOutputs } from '../../run-contract/masked-result.ts'
import { isReason, type Reason } from '../../run-contract/outcome.ts'
import { createSecretMask } from '../../run-contract/secrets/secret-mask.ts'
import {
  parseTerminationMessage,
  type TerminationMessage,
} from '../../run-contract/termination-message.ts'
import { maskedUsage } from '../../run-contract/usage.ts'
import type { PodOutput } from './output/pod-output.ts'
import { unmaskable } from './output/secret-values.ts'
import { shownMessage, shownTail } from './output/status-text.ts'
import { endOfCheckout, endOfPublish, endOfSkills, endOfWork, wasEvicted } from './pod-state.ts'

type VcsReport = NonNullable<TerminationMessage['vcs']>

/** The results of an attempt that has ended. A plain command leaves an exit code and perhaps a message. */
export interface AttemptResults {
  readonly exitCode?: number
  /** Shown to users; masked. */
  readonly text?: string
  /** Reason of the system if it ended the pod: OOMKilled, Evicted. */
  readonly systemReason?: string
  /** Whether the cluster ended the pod, or no pod is left. */
  readonly isEvicted: boolean
  /** The reason in the report of the agent's container, or of an init container that kept it from starting. */
  readonly work?: Reason
  /** The reason in the report of the publisher. */
  readonly publish?: Reason
  /** What the agent's model asked for when it refused requests. */
  readonly retryAfterSeconds?: number
  /** Its text is masked. */
  readonly report?: TerminationMessage
  /** What happened to the repository. */
  readonly vcs?: VcsReport
  /** The skills that were fetched from repositories. */
  readonly skills?: TerminationMessage['skills']
  /** What a program without agent-runner reported. Masked. */
  readonly outputs?: Readonly<Record<string, Json>>
  /** Why the attempt has failed although its program succeeded. */
  readonly fault?: string
}

/** Reads what the containers of an ended pod reported. */
export type ReadResults = (pod: Pod | undefined, output: PodOutput) => AttemptResults

/**
 * Reads what the containers of the pod reported. The state of the repository is taken from the containers that hold its
 * credential, since a report of the agent cannot be trusted.
 */
export function attemptResults(pod: Pod | undefined, output: PodOutput): AttemptResults {
  const work = endOfWork(pod)
  const publish = endOfPublish(pod)
  // The agent may have succeeded although its work could not be published.
  const isUnpublished = work?.exitCode === 0 && publish !== undefined && publish.exitCode !== 0
  const end = isUnpublished ? publish : work
  const systemReason = systemReasonOf(pod, end)
  const reported = parsed(work)
  const own = reported && maskedReport(reported, output)
  const pushed = parsed(publish)
  const last = isUnpublished ? pushed && maskedReport(pushed, output) : own
  const vcs = pushed?.vcs ?? parsed(endOfCheckout(pod))?.vcs
  const { skills } = parsed(endOfSkills(pod)) ?? {}
  const report = own && { ...own, ...(isUnpublished && verdictOf(last)) }
  const text =
    last?.message || (last ? undefined : shownText(end?.message ?? '', output)) || byKubelet(pod)
  return {
    ...(end && { exitCode: end.exitCode }),
    ...(text && { text }),
    ...(systemReason && { systemReason }),
    isEvicted: wasEvicted(pod),
    ...reasonIn('work', reported),
    ...reasonIn('publish', pushed),
    ...(reported?.retryAfterSeconds !== undefined && {
      retryAfterSeconds: reported.retryAfterSeconds,
    }),
    ...(report && { report }),
    ...(vcs && { vcs: withPullRequest(maskedVcs(vcs, output), own) }),
    ...(skills && { skills }),
  }
}

function parsed(end: ReturnType<typeof endOfWork>): TerminationMessage | undefined {
  return end?.message === undefined ? undefined : parseTerminationMessage(end.message)
}

/** As it was reported: a Secret may hold the same word, and would mask it. */
function reasonIn<Name extends string>(name: Name, report: TerminationMessage | undefined) {
  if (report === undefined || !isReason(report.reason)) return {}
  return { [name]: report.reason } as { readonly [Key in Name]: Reason }
}

function verdictOf(report: TerminationMessage | undefined) {
  if (report === undefined) return {}
  const { outcome, reason, message, exitCode } = report
  return { outcome, reason, message, exitCode }
}

/** The agent opens pull requests itself, with its own credential. */
function withPullRequest(vcs: VcsReport, report: TerminationMessage | undefined): VcsReport {
  const pullRequest = report?.vcs?.pullRequest
  return pullRequest ? { ...vcs, pullRequest } : vcs
}

/** The report of a program of the platform: it knows no Secret but the credential, and masks that itself. */
function maskedVcs(vcs: VcsReport, output: PodOutput): VcsReport {
  return output.kind === 'hidden' ? vcs : mapText(vcs, output.mask)
}

/** The reason of the system if it ended the pod. */
export function systemReasonOf(
  pod: Pod | undefined,
  end: ReturnType<typeof endOfWork>,
): string | undefined {
  return pod?.status?.reason ?? (end && !ordinary.has(end.reason ?? '') ? end.reason : undefined)
}

const ordinary = new Set(['', 'Completed', 'Error'])

/** Masks a report. The runner has masked it with the values that it read, so a Secret that changed does not hide it. */
function maskedReport(report: TerminationMessage, output: PodOutput): TerminationMessage {
  const { outcome, reason, exitCode, usage, outputs } = report
  // Any program may write a report. Only these fields cannot hold free text, except the names of models.
  const facts = (mask: (text: string) => string) => ({
    ...{ outcome, exitCode },
    ...(usage !== undefined && { usage: maskedUsage(usage, mask) }),
  })
  if (output.kind === 'hidden') {
    return {
      ...facts(() => ''),
      reason: isReason(reason) ? reason : 'Hidden',
      message: output.because,
    }
  }
  const { mask } = output
  return {
    ...mapText(report, mask),
    ...facts(mask),
    ...(outputs !== undefined && { outputs: maskedOutputs(outputs, mask) }),
    message: shownMessage(report.message, mask),
  }
}

/** What a program without a report left: its message, or else the end of its log. */
export function shownText(message: string, output: PodOutput): string {
  if (output.kind === 'hidden') return output.because
  const { mask, tail, changed } = output
  if (message === '' && tail === undefined) return ''
  if (changed !== undefined) return unmaskable(changed, 'changed')
  return message === '' && tail ? shownTail(tail, mask) : shownMessage(message, mask)
}

export function byKubelet(pod: Pod | undefined): string | undefined {
  const { message } = pod?.status ?? {}
  return message === undefined ? undefined : shownMessage(message, nothingToMask)
}

/** Messages of the kubelet contain no output of the program. */
const nothingToMask = createSecretMask([])

/** `exit code 3 (OOMKilled): the message` */
export function describeEnd({ exitCode, systemReason, text }: AttemptResults): string {
  const code = exitCode === undefined ? 'ended' : `exit code ${exitCode}`
  const why = systemReason === undefined ? '' : ` (${systemReason})`
  return text ? `${code}${why}: ${text}` : `${code}${why}`
}
