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

export interface ExplainedFailure {
  readonly code: ExitCode
  readonly message: string
  readonly advice: readonly string[]
}

/** The one place where what was thrown becomes words and an exit code. */
export function explainFailure(error: unknown, stop: AbortSignal): ExplainedFailure {
  if (error instanceof CommandFailure) return error
  if (stop.aborted) return { code: exitCode.interrupted, message: 'stopped on request', advice: [] }
  if (error instanceof KubeconfigError) {
    return {
      code: exitCode.cluster,
      message: causes(error),
      advice: [
        'agentctl up starts a platform on this machine, and every command then finds it.',
        'For another cluster, name its kubeconfig with --kubeconfig or KUBECONFIG.',
      ],
    }
  }
  if (error instanceof KubeError) {
    return { code: exitCode.cluster, message: saidBy(error), advice: adviceFor(error) }
  }
  return {
    code: exitCode.internal,
    message: causes(error),
    advice: ['This should not happen; agentctl doctor may find out why.'],
  }
}

/** Without the request that was refused: who typed the command knows what it was. */
export function saidBy(error: Error): string {
  const { message } = error
  const isAnswer = error instanceof KubeError && !isUnreachable(error) && !isTimeout(error)
  return (isAnswer ? message : causes(error)).replace(/^[A-Z]+ \/\S*: /, '')
}

function adviceFor(error: KubeError): string[] {
  const { details, message, cause } = error
  if (isUnreachable(error) && distrust.test(String((cause as NodeJS.ErrnoException)?.code))) {
    return [
      'The kubeconfig does not know the certificate of the server: it may be that of another cluster.',
      'agentctl doctor says which kubeconfig is used.',
    ]
  }
  if (isUnreachable(error)) {
    return [
      'If it is the platform of this machine: agentctl up starts it again.',
      'agentctl doctor says which kubeconfig is used, and what else is wrong.',
    ]
  }
  if (isTimeout(error)) return ['The server did not answer in time; agentctl doctor looks closer.']
  if (isUnauthorized(error)) {
    return ['The credentials of the kubeconfig are not, or no longer, good for this cluster.']
  }
  if (isForbidden(error)) {
    return ['agentctl doctor lists what you may do; ask an administrator for the rest.']
  }
  if (isNotFound(error)) return missing(details)
  if (isAlreadyExists(error)) return ['Choose another name, or look at the one that is there.']
  if (isStorageFull.test(message)) return ['Make room on the disk of the API server.']
  return []
}

const distrust = /CERT|SIGNATURE|ISSUER/

/** The server of `agentctl up`, and etcd. */
const isStorageFull = /no room left on the disk|database space exceeded/

function missing({ name, kind, group }: KubeError['details']): string[] {
  if (!name) return ['The cluster does not serve this kind: install charts/agents/crds.']
  if (!kind) return []
  if (kind === 'namespaces') return [`To create it: kubectl create namespace ${name}`]
  const type = !group || group.endsWith('proompteng.ai') ? kind : `${kind}.${group}`
  return [`agentctl get ${type} -A lists those that there are.`]
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
