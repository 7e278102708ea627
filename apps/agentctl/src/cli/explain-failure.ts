import {
  isAlreadyExists,
  isForbidden,
  isNotFound,
  isTimeout,
  isUnauthorized,
  isUnreachable,
  KubeconfigError,
  KubeError,
} from '@agents/kube'
import { CommandFailure } from './command-failure.ts'
import { type ExitCode, exitCode } from './exit-code.ts'

interface ExplainedFailure {
  readonly code: ExitCode
  readonly message: string
  readonly advice: readonly string[]
}

/** Turns an error into a message, advice and an exit code. No other code does. */
export function explainFailure(error: unknown, stop: AbortSignal): ExplainedFailure {
  if (error instanceof CommandFailure) return error
  if (stop.aborted) return { code: exitCode.interrupted, message: 'stopped on request', advice: [] }
  if (error instanceof KubeconfigError) {
    return {
      code: exitCode.cluster,
      message: causes(error),
      advice: [
        'To start a platform on this machine, which every command then finds: agentctl up',
        'To use another cluster, set --kubeconfig or KUBECONFIG.',
      ],
    }
  }
  if (error instanceof KubeError) {
    return { code: exitCode.cluster, message: messageOf(error), advice: adviceFor(error) }
  }
  return {
    code: exitCode.internal,
    message: causes(error),
    advice: [
      'This is a bug in agentctl. AGENTCTL_DEBUG=1 prints where it happened; agentctl doctor checks the platform.',
    ],
  }
}

/** The message of an error without the HTTP request, which the user has not typed. */
export function messageOf(error: Error): string {
  const { message } = error
  const isAnswer = error instanceof KubeError && !isUnreachable(error) && !isTimeout(error)
  return (isAnswer ? message : causes(error)).replace(/^[A-Z]+ \/\S*: /, '')
}

function adviceFor(error: KubeError): string[] {
  const { details, message, cause } = error
  if (isUnreachable(error) && distrust.test(String((cause as NodeJS.ErrnoException)?.code))) {
    return [
      'The certificate of the server does not match the kubeconfig, which may belong to another cluster.',
      'To see which kubeconfig is used: agentctl doctor',
    ]
  }
  if (isUnreachable(error)) {
    return [
      'To start the platform of this machine again: agentctl up',
      'To see which kubeconfig is used and what else is wrong: agentctl doctor',
    ]
  }
  if (isTimeout(error))
    return ['The server did not answer in time. To find out more: agentctl doctor']
  if (isUnauthorized(error)) {
    return ['The cluster does not accept the credentials in the kubeconfig; they may have expired.']
  }
  if (isForbidden(error)) {
    return [
      'To list your permissions: agentctl doctor. Ask an administrator for those that are missing.',
    ]
  }
  if (isNotFound(error)) return missing(details)
  if (isAlreadyExists(error)) return ['Choose another name, or use the existing object.']
  if (isStorageFull.test(message)) return ['Free space on the disk of the API server.']
  return []
}

const distrust = /CERT|SIGNATURE|ISSUER/

/** The server of `agentctl up`, and etcd. */
const isStorageFull = /no (?:room|space) left on the disk|database space exceeded/

function missing({ name, kind, group }: KubeError['details']): string[] {
  if (!name) return ['The cluster does not serve this kind: install charts/agents/crds.']
  if (!kind) return []
  if (kind === 'namespaces') return [`To create it: kubectl create namespace ${name}`]
  const type = !group || group.endsWith('proompteng.ai') ? kind : `${kind}.${group}`
  return [`To list existing ones: agentctl get ${type} -A`]
}

function causes(error: unknown): string {
  const parts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.message !== '' && !parts.some((part) => part.includes(each.message))) {
      parts.push(each.message)
    }
  }
  return parts.length > 0 ? parts.join(': ') : String(error)
}
